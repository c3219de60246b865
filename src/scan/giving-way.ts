/**
 * Proofs hand over their slot before each visit, so that the scans of people need not wait for all pages of a proof. A proof of several
 * pages also visits in slots that are free, and takes none while people wait.
 */

/** Slot of a job that runs. */
export interface Slot {
  /** Scans that may still start in place of the job; null while it holds the slot. */
  left: number | null;
  /** Further slots that visits of the job hold. */
  further: number;
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
  /** Slots of all jobs, also of those that give way. */
  used(): number;
  capacity(): number;
  /** Resolves when another job has ended, or a further slot is free again. */
  nextEnd(): Promise<void>;
  /** A further slot is free again. */
  onRelease(): void;
}

/**
 * Hands over the slot while `wait` runs and while scans need it. As many start before the job goes on as waited at the beginning, and at
 * least one: a job that gives way is never passed by without an end. Resolves when the job holds the slot again, and at once on an abort.
 */
async function giveWay(slot: Slot, use: SlotUse, signal: AbortSignal, wait: () => Promise<void>): Promise<void> {
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

/** Slots that stay free for people, where there are more than two. */
const keptFree = 1;

/**
 * A further slot for a visit of the job, as soon as no job is being claimed, or not at all. Returns what releases it; null if none is free
 * or people wait. Where only two slots are in all, a scan that starts while both are held waits for the end of one visit.
 */
async function takeFree(slot: Slot, use: SlotUse): Promise<(() => void) | null> {
  for (let claim = use.claiming(); claim !== null; claim = use.claiming()) await claim;
  const usable = Math.min(use.capacity(), Math.max(2, use.capacity() - keptFree));
  if (use.waiting() > 0 || use.used() >= usable) return null;
  slot.further += 1;
  return () => {
    slot.further -= 1;
    use.onRelease();
  };
}

/** What a job may do with its slot while it runs. An abort of `signal` ends its waits. */
export function waysOf(slot: Slot, use: SlotUse, signal: AbortSignal) {
  return {
    giveWay: (wait: () => Promise<void>) => giveWay(slot, use, signal, wait),
    takeFree: () => takeFree(slot, use),
  };
}
