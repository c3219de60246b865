/** Where scans are gathered: in this process, or by workers of a location. */
import type { LogFields } from "../base/log.ts";
import type { LocationDirectory, ProgressStage, ScanErrorCode } from "../evidence/scan.ts";
import type { Gathered } from "./task.ts";

/** What a gatherer needs to know of a scan that is stored. */
export interface StoredJob {
  readonly token: string;
  /** From 1; a result of an earlier attempt is dropped. */
  readonly attempt: number;
  readonly location: string;
  /** An earlier process of this server handed it out: its result may be waiting. */
  readonly adopted: boolean;
  /** Of the request that started the scan. */
  readonly requestId?: string | undefined;
}

/** Fields of every log line about the scan. */
export function scanFields(url: string, stored: Omit<StoredJob, "adopted"> | null): LogFields {
  if (stored === null) return { url };
  const { token, location, attempt, requestId } = stored;
  return { token, url, location, attempt, ...(requestId === undefined ? {} : { requestId }) };
}

export interface GatherJob {
  readonly url: string;
  /** Null for a scan without a store. */
  readonly stored: StoredJob | null;
}

/** Reason of an abort. `stopping`: the server ends, and its next start goes on with the scan. `cancelled`: by an administrator. */
export type ScanEnding = "stopping" | "cancelled";

export function isCancelled(signal: AbortSignal | undefined): boolean {
  return signal?.reason === ("cancelled" satisfies ScanEnding);
}

export interface GatherWatch {
  readonly onStage: (stage: ProgressStage) => void;
  /**
   * Aborted with a `ScanEnding`; a local scan then ends as `interrupted`. A worker elsewhere goes on while the server stops: the next
   * process gets its result. It ends a scan that is cancelled.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface GatherEnd {
  readonly gathered: Gathered | ScanErrorCode;
  /** Id of the worker elsewhere that had the scan last; null while none was heard of. */
  readonly worker?: string | null;
  /** To be called once the outcome is stored: until then a worker's result can be had again. Never rejects. */
  readonly release: () => Promise<void>;
}

export interface Gatherer {
  /** Never rejects. */
  gather(job: GatherJob, watch: GatherWatch): Promise<GatherEnd>;
}

/** Of a server without a fleet. Scans of a location may wait since it had one. `since`: start of the server. */
export function noRemoteLocations(since: Date): LocationDirectory {
  return { names: () => [], capacity: () => 0, absentSince: () => since };
}

/** Locations other than that of the server itself. */
export interface RemoteLocations extends Gatherer, LocationDirectory {
  /** Calls the listener after a capacity has risen. */
  onCapacity(listener: () => void): void;
}
