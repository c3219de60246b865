/** Where scans are gathered: in this process, or by workers of a location. */
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
}

export interface GatherJob {
  readonly url: string;
  /** Null for a scan without a store. */
  readonly stored: StoredJob | null;
}

export interface GatherWatch {
  readonly onStage: (stage: ProgressStage) => void;
  /** An abort ends a local scan as `interrupted`. A worker elsewhere goes on: the next process of this server gets its result. */
  readonly signal?: AbortSignal | undefined;
}

export interface GatherEnd {
  readonly gathered: Gathered | ScanErrorCode;
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
