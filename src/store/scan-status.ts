/** The life of a scan: the only table of its transitions. */

export const scanStatuses = ["queued", "running", "finished", "failed"] as const;
export type ScanStatus = (typeof scanStatuses)[number];

/** Back to the queue goes only what a stopped or broken process left running. */
const next: Readonly<Record<ScanStatus, readonly ScanStatus[]>> = {
  queued: ["running"],
  running: ["finished", "failed", "queued"],
  finished: [],
  failed: [],
};

/** @throws Error on a step that the table does not know: our own mistake, never the world's. */
export function assertTransition(from: ScanStatus, to: ScanStatus): void {
  if (!next[from].includes(to)) throw new Error(`a scan cannot go from ${from} to ${to}`);
}
