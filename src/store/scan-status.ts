/** Statuses of a scan and the table of their transitions. */

export const scanStatuses = ["queued", "running", "finished", "failed"] as const;
export type ScanStatus = (typeof scanStatuses)[number];

/** `running` to `queued` only after an interrupted process; `queued` to `failed` only with the codes `no-worker` and `cancelled`. */
const transitions: Readonly<Record<ScanStatus, readonly ScanStatus[]>> = {
  queued: ["running", "failed"],
  running: ["finished", "failed", "queued"],
  finished: [],
  failed: [],
};

/** @throws Error on a transition outside the table, which is a programmer error. */
export function assertTransition(from: ScanStatus, to: ScanStatus): void {
  if (!transitions[from].includes(to)) throw new Error(`a scan cannot go from ${from} to ${to}`);
}
