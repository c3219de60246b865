/** Proofs hand over their slot before each visit, so that the scans of people need not wait for all pages of a proof. */

/** Slot of a job that runs. */
export interface Slot {
  /** Scans that may still start in place of the job; null while it holds the slot. */
  left: number | null;
}

/** All at the location of the slot. */
export interface SlotUse {
  /** Jobs of people that wait. */
  waiting(): number;
  wake(): void;
  /** Null while no job is claimed. */
  claiming(): Promise<void> | null;
  /** Whether jobs hold all slots. */
  isFull(): boolean;
  /** Resolves when another job has ended. */
  nextEnd(): Promise<void>;
}

/**
 * Hands over the slot while `wait` runs and while scans need it. As many start before the job goes on as waited at the beginning, and at
 * least one: a job that gives way is never passed by without an end. Resolves when the job holds the slot again, and at once on an abort.
 */
export async function giveWay(slot: Slot, use: SlotUse, signal: AbortSignal, wait: () => Promise<void>): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const onAbort = () => aborted.resolve();
  signal.addEventListener("abort", onAbort);
  slot.left = Math.max(1, use.waiting());
  try {
    use.wake();
    await wait();
    while (!signal.aborted) {
      const claim = use.claiming();
      if (claim === null && !use.isFull()) return;
      await Promise.race([claim ?? use.nextEnd(), aborted.promise]);
    }
  } finally {
    slot.left = null;
    signal.removeEventListener("abort", onAbort);
  }
}
