/** Counts what the server does, and adds it to the store once a minute. An unclean end loses the rest. */
import { type Log, messageOf } from "../base/log.ts";
import { type Activity, noActivity, sumOfActivity } from "../store/activity.ts";
import type { Store } from "../store/store.ts";

const storeEveryMs = 60_000;

export interface ActivityCounter {
  /** `since` of the change is ignored. */
  count(change: Partial<Activity>): void;
  /** Up to now, with what is not stored yet. */
  lastDay(): Activity;
  /** Stores the rest. */
  stop(): Promise<void>;
}

export function countActivity({ activity }: Pick<Store, "activity">, log: Log, now: () => Date = () => new Date()): ActivityCounter {
  let pending = noActivity(now());
  let hasChanged = true;

  async function storePending(): Promise<void> {
    if (!hasChanged) return;
    const stored = pending;
    pending = noActivity(now());
    hasChanged = false;
    try {
      await activity.add(stored);
    } catch (error) {
      pending = sumOfActivity(stored, pending);
      hasChanged = true;
      log.warn("figures of the day not stored yet", { because: messageOf(error) });
    }
  }

  // At once, so that the start of counting is known.
  void storePending();
  const timer = setInterval(() => void storePending(), storeEveryMs);
  return {
    count: (change) => {
      // An idle hour is not the hour of the change.
      if (!hasChanged) pending = noActivity(now());
      pending = sumOfActivity(pending, { ...noActivity(now()), ...change });
      hasChanged = true;
    },
    lastDay: () => sumOfActivity(activity.lastDay(now()), pending),
    stop: async () => {
      clearInterval(timer);
      await storePending();
    },
  };
}
