/** What the head needs of the network between it and its workers. NATS is one such network. */
import type { CancelNote, FleetJob } from "../messages.ts";
import type { ResultAddress, WorkerAddress } from "../subjects.ts";

/** Every method rejects while the network is away, and may be called again. */
export interface HeadTransport {
  /** Sequence of the job; null if a job of this scan waits or runs already. */
  publishJob(location: string, job: FleetJob): Promise<number | null>;
  /** Tokens of the scans of the location that have a job. */
  jobs(location: string): Promise<ReadonlySet<string>>;
  /** Null if the scan has no job. */
  sequenceOfJob(location: string, token: string): Promise<number | null>;
  /** Jobs of the location up to this sequence have been delivered to a worker. 0 for a location without workers. */
  deliveredSequence(location: string): Promise<number>;
  withdrawJob(location: string, token: string): Promise<void>;
  cancel(location: string, note: CancelNote): void;
  /** Everything that workers of the location have sent as results, and that is not removed yet. */
  results(location: string): Promise<readonly ResultAddress[]>;
  /** Null if it has not arrived. */
  resultPart(address: ResultAddress): Promise<Uint8Array | null>;
  /** Removes what any worker has sent for the scan. */
  removeResults(location: string, token: string): Promise<void>;
  removeResultPart(address: ResultAddress): Promise<void>;
}

/** A manifest as delivered. It comes again unless it is acknowledged. */
export interface DeliveredManifest {
  readonly bytes: Uint8Array;
  ack(): void;
  /** Asks for the next delivery after this time. */
  nak(delayMs: number): void;
  /** Puts the next delivery off. */
  working(): void;
}

/** Calls of a transport to the head. None may throw. */
export interface HeadEvents {
  readonly onPresence: (address: WorkerAddress, bytes: Uint8Array, reply: (bytes: string) => void) => void;
  readonly onProgress: (address: WorkerAddress & { readonly token: string }, bytes: Uint8Array) => void;
  readonly onManifest: (address: ResultAddress, manifest: DeliveredManifest) => void;
  /** No delivery of the job is left, and the last one was not acknowledged. */
  readonly onSpentJob: (location: string, token: string) => void;
}
