/** Slots of attempts under way, and which of the due deliveries get a free one. */
import type { ChannelKind } from "../store/channels.ts";
import type { Delivery, DeliveryPlace } from "../store/deliveries.ts";
import type { Store } from "../store/store.ts";

/** Attempts at the same time. All mails go to one server, which may hang; all webhooks go to different ones. */
const slotsMax: Readonly<Record<ChannelKind, number>> = { webhook: 16, mail: 8 };
/** Of one account and kind: its slow receivers leave the rest to others. */
const slotsOfAccountMax = 3;
/** Deliveries among which one look chooses. */
const candidatesMax = 200;

interface Slot {
  readonly accountId: number;
  readonly kind: ChannelKind;
}

export interface Slots {
  /** Deliveries to begin now, at most one of each channel. Accounts with the fewest attempts under way go first. */
  listDue(now: Date): readonly Delivery[];
  /** `work` never rejects. */
  run(delivery: Delivery, work: () => Promise<void>): void;
  /** Resolves when the attempts under way have ended. */
  idle(): Promise<void>;
}

/** `onFree`: called when an attempt has ended. */
export function createSlots({ channels, deliveries }: Pick<Store, "channels" | "deliveries">, onFree: () => void): Slots {
  /** By the id of the channel. */
  const taken = new Map<number, Slot>();
  const works = new Set<Promise<void>>();
  /** A delivery of a removed channel sends nothing. */
  const slotOf = ({ accountId, channelId }: DeliveryPlace): Slot => ({
    accountId,
    kind: channels.find(accountId, channelId)?.kind ?? "webhook",
  });
  return {
    listDue: (now) => {
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
    run: (delivery, work) => {
      taken.set(delivery.channelId, slotOf(delivery));
      const tracked = work().finally(() => {
        taken.delete(delivery.channelId);
        works.delete(tracked);
        onFree();
      });
      works.add(tracked);
    },
    idle: async () => void (await Promise.allSettled(works)),
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
