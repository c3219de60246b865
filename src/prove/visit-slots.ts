/** Slots for the visits of one proof: its own, and further ones that are free. */
import type { GiveWay, TakeFree } from "../scan/visit-turns.ts";

/** Visits of one proof at once. Their host gets no more of them than one each `visitGapMs`. */
export const visitsAtOnce = 3;

interface Surroundings {
  readonly giveWay: GiveWay;
  readonly takeFree: TakeFree;
  readonly signal: AbortSignal;
}

/**
 * Returns a function that resolves when a visit may begin, with what ends its hold of the slot. `wait` runs before, without a slot. On an
 * abort it resolves as soon as another visit ends.
 */
export function openVisitSlots({ giveWay, takeFree, signal }: Surroundings): (wait: () => Promise<void>) => Promise<() => void> {
  let isOwnTaken = false;
  let ended = Promise.withResolvers<void>();

  function onEnd(end: () => void): () => void {
    return () => {
      end();
      ended.resolve();
      ended = Promise.withResolvers();
    };
  }

  async function takeOwn(wait: () => Promise<void>): Promise<() => void> {
    isOwnTaken = true;
    await giveWay(wait);
    return onEnd(() => {
      isOwnTaken = false;
    });
  }

  return async (wait) => {
    if (!isOwnTaken) return takeOwn(wait);
    await wait();
    while (!signal.aborted) {
      if (!isOwnTaken) return takeOwn(() => Promise.resolve());
      const { promise: nextEnd } = ended;
      const release = await takeFree();
      if (release !== null) return onEnd(release);
      await nextEnd;
    }
    return () => {};
  };
}
