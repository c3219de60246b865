/** When deliveries may be attempted: slots of attempts under way, further attempts after a failure, and quotas. */
import type { Clock } from "../base/clock.ts";
import { createLruCache } from "../base/lru-cache.ts";
import { hourMs, minuteMs, secondMs } from "../base/units.ts";
import type { Delivery, DeliveryPlace } from "../store/deliveries.ts";
import type { Store } from "../store/store.ts";

/** Attempts at the same time. All mails go to one server, which may hang; webhooks and chat messages go to different ones. */
const slotsMax = { http: 16, mail: 8 };
/** Limit of one account and kind: its slow receivers leave the rest to others. */
const slotsOfAccountMax = 3;
/** Deliveries among which one look chooses. */
const candidatesMax = 200;

interface Slot {
  readonly accountId: number;
  readonly kind: keyof typeof slotsMax;
}

export type Slots = ReturnType<typeof createSlots>;

/** `onFree`: called when an attempt has ended. */
export function createSlots({ channels, deliveries }: Pick<Store, "channels" | "deliveries">, onFree: () => void) {
  /** Slots by id of the channel. */
  const taken = new Map<number, Slot>();
  const works = new Set<Promise<void>>();
  /** A delivery of a removed channel sends nothing. */
  const slotOf = ({ accountId, channelId }: DeliveryPlace): Slot => ({
    accountId,
    kind: channels.find(accountId, channelId)?.kind === "mail" ? "mail" : "http",
  });
  return {
    /** Deliveries to begin now, at most one of each channel. Accounts with the fewest attempts under way go first. */
    listDue: (now: Date): readonly Delivery[] => {
      const candidates = new Map<number, Slot>();
      const known = new Map<number, Slot>();
      const accepts = (place: DeliveryPlace) => {
        const { channelId } = place;
        if (taken.has(channelId) || candidates.has(channelId)) return false;
        const slot = known.get(channelId) ?? slotOf(place);
        known.set(channelId, slot);
        if (countOfKind(taken, slot) >= slotsMax[slot.kind]) return false;
        if (countOfAccount(taken, slot) + countOfAccount(candidates, slot) >= slotsOfAccountMax) return false;
        candidates.set(channelId, slot);
        return true;
      };
      return chosen(deliveries.listDue(now, candidatesMax, accepts), candidates, taken);
    },
    /** `work` never rejects. */
    run: (delivery: Delivery, work: () => Promise<void>): void => {
      taken.set(delivery.channelId, slotOf(delivery));
      const tracked = work().finally(() => {
        taken.delete(delivery.channelId);
        works.delete(tracked);
        onFree();
      });
      works.add(tracked);
    },
    /** Resolves when the attempts under way have ended. */
    idle: async (): Promise<void> => void (await Promise.allSettled(works)),
  };
}

/** Among accounts with equally many attempts, the earliest delivery goes first. */
function chosen(
  due: readonly Delivery[],
  candidates: ReadonlyMap<number, Slot>,
  takenBefore: ReadonlyMap<number, Slot>,
): readonly Delivery[] {
  const taken = new Map(takenBefore);
  const begun: Delivery[] = [];
  let left = due;
  for (;;) {
    const free = left.flatMap((delivery) => {
      const slot = candidates.get(delivery.channelId);
      return slot === undefined || countOfKind(taken, slot) >= slotsMax[slot.kind] ? [] : [{ delivery, slot }];
    });
    const [first] = free.toSorted((one, other) => countOfAccount(taken, one.slot) - countOfAccount(taken, other.slot));
    if (first === undefined) return begun;
    taken.set(first.delivery.channelId, first.slot);
    begun.push(first.delivery);
    left = left.filter((delivery) => delivery !== first.delivery);
  }
}

function countOfKind(slots: ReadonlyMap<number, Slot>, { kind }: Slot): number {
  return [...slots.values()].filter((slot) => slot.kind === kind).length;
}

function countOfAccount(slots: ReadonlyMap<number, Slot>, { accountId, kind }: Slot): number {
  return [...slots.values()].filter((slot) => slot.accountId === accountId && slot.kind === kind).length;
}

/** Waits after the first attempt, the second and so on. */
const waitsMs: readonly number[] = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)];
/** Time from the first attempt to the last, without jitter. */
export const retriedForMs = waitsMs.reduce((sum, waitMs) => sum + waitMs, 0);
/** Deliveries that failed together do not return together. */
const jitterShare = 0.1;

/**
 * Time of the next attempt; null after the last one.
 * @param attempts number of attempts so far, 1 or more.
 * @param retryAfterMs wait that the receiver asked for, which counts if it is longer.
 */
export function nextAttemptAt(attempts: number, clock: Pick<Clock, "now" | "random">, retryAfterMs: number | null): Date | null {
  const waitMs = waitsMs[attempts - 1];
  if (waitMs === undefined) return null;
  const jitterMs = waitMs * jitterShare * (2 * clock.random() - 1);
  return new Date(clock.now().getTime() + Math.max(Math.round(waitMs + jitterMs), retryAfterMs ?? 0));
}

/** Keys that are remembered; beyond it the least recently used one is forgotten. */
const keysMax = 10_000;

export type HourlyQuota = ReturnType<typeof createHourlyQuota>;

/** Limit of actions in an hour, kept in memory: a restart forgets it. */
export function createHourlyQuota(perHourMax: number, clock: Pick<Clock, "now">) {
  const taken = createLruCache<readonly number[]>(keysMax);
  // After the clock was set back, times lie ahead: distant ones must not block the key until the clock reaches them.
  const recentOf = (key: string, nowMs: number) => (taken.get(key) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < hourMs);
  return {
    /** Counts the action, unless the limit of its key is reached. */
    take: (key: string): boolean => {
      const nowMs = clock.now().getTime();
      const recent = recentOf(key, nowMs);
      if (recent.length >= perHourMax) return false;
      taken.set(key, [...recent, nowMs]);
      return true;
    },
    isUsedUp: (key: string): boolean => recentOf(key, clock.now().getTime()).length >= perHourMax,
  };
}
