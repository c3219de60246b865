/** Laws of events and their deliveries. */
import { secondMs } from "../../src/base/units.ts";
import { firstOf, type Law, law, type UpLife } from "./law.ts";
import type { Taken } from "./receivers.ts";
import type { World } from "./world.ts";

/** Limits of src/channels/pacing.ts. */
const attemptsMax = { http: 16, mail: 8, ofAccount: 3 };
/** Time in which the outcome of an attempt is on disk: a process that ends within it sends again. */
const storeMsMax = secondMs;
/** Events and deliveries of an account that one look reads, the newest ones. */
const readMax = 60;

/** A message is taken once. It comes again only if its answer was lost, or was not stored by a process that ended. */
function toldOnce(world: World): string | null {
  const { taken, seen } = world;
  const fresh = taken.slice(seen.taken);
  const from = seen.taken;
  seen.taken = taken.length;
  return firstOf(fresh.entries(), ([at, one]) => {
    if (one.id === "") return null;
    const before = taken.slice(0, from + at).findLast(({ target, id }) => target === one.target && id === one.id);
    return before === undefined || mayRepeat(world, before) ? null : `${one.target} is told ${one.id} again`;
  });
}

function mayRepeat(world: World, { mood, life, atMs, whileFull }: Taken): boolean {
  const endedMs = world.lifeEnds.get(life) ?? Number.POSITIVE_INFINITY;
  const diskFailed = whileFull || world.fullSpans.some(({ fromMs }) => fromMs >= atMs && fromMs <= Math.min(endedMs, atMs + storeMsMax));
  return mood === "drops" || endedMs - atMs <= storeMsMax || (diskFailed && endedMs < Number.POSITIVE_INFINITY);
}

/** Reads the events that came since the last look, before the laws do. */
export function noteEvents({ seen }: World, { store }: UpLife): void {
  seen.fresh.length = 0;
  for (const { id: accountId } of store.accounts.list()) {
    const last = seen.events.get(accountId) ?? 0;
    const { items } = store.events.list(accountId, { limit: readMax, cursor: null });
    const fresh = items.filter(({ seq }) => seq > last);
    const channels = store.channels.list(accountId).filter(({ disabled }) => disabled === null);
    // A channel that came at the same time may have come after the event.
    const wanting = channels.filter(({ id }) => seen.channels.get(accountId)?.includes(id));
    seen.channels.set(
      accountId,
      channels.map(({ id }) => id),
    );
    for (const event of fresh) {
      seen.fresh.push({ event, wanting });
      seen.sequence.set(event.id, event.seq);
      seen.events.set(accountId, Math.max(event.seq, seen.events.get(accountId) ?? 0));
    }
  }
}

/** An event is queued once for each channel that wants it, in the transaction that stores it. */
function queuedForEach({ seen }: World, { store }: UpLife): string | null {
  return firstOf(seen.fresh, ({ event: { accountId, seq, type }, wanting }) => {
    const { items } = store.deliveries.list(accountId, { limit: readMax, cursor: null });
    return firstOf(wanting, ({ id, name }) => {
      const count = items.filter(({ channelId, eventSeqs }) => channelId === id && eventSeqs.includes(seq)).length;
      return count === 1 ? null : `event ${seq} (${type}) is queued ${count} times for channel ${name}`;
    });
  });
}

/** No finding counts as resolved while the site waits for a second look. */
function noEarlyPraise({ seen }: World, { store }: UpLife): string | null {
  return firstOf(seen.fresh, ({ event: { type, site, accountId } }) => {
    if (type !== "finding.resolved" || site === null) return null;
    const lookAt = store.sites.find(accountId, site.id)?.secondLookAt ?? null;
    return lookAt === null ? null : `site ${site.id} is praised, and has a second look at ${lookAt}`;
  });
}

/** A receiver that takes everything gets the events in their order. */
function toldInOrder({ seen, taken, plan, moods, nowMs }: World): string | null {
  const fresh = taken.slice(seen.ordered);
  seen.ordered = taken.length;
  const disorders = ["clock", "disk full", "refuse"];
  if (plan.steps.some((step) => step.atMs <= nowMs && disorders.includes(step.do))) return null;
  return firstOf(fresh, ({ target, id }) => {
    const seq = seen.sequence.get(id);
    if (seq === undefined || moods.has(target) || taken.filter((one) => one.target === target && one.id === id).length > 1) return null;
    const newest = seen.newest.get(target) ?? 0;
    seen.newest.set(target, Math.max(newest, seq));
    return seq < newest ? `${target} is told event ${seq} after event ${newest}` : null;
  });
}

/** Attempts at a time keep the limits of channels, accounts and kinds. */
function attemptLimits(_world: World, { gauges }: UpLife): string | null {
  const open = [...gauges.attempts].filter(([, count]) => count > 0);
  const kindOf = (target: string) => (target.includes("@") ? "mail" : "http");
  const twice = open.find(([, count]) => count > 1);
  if (twice !== undefined) return `${twice[1]} attempts at a time reach ${twice[0]}`;
  const accountOf = (target: string) => `${kindOf(target)} ${target.replace("https://", "").split("-")[0]}`;
  for (const [kind, attempts] of Map.groupBy(open, ([target]) => kindOf(target)))
    if (attempts.length > attemptsMax[kind]) return `${attempts.length} attempts of ${kind}`;
  for (const [account, attempts] of Map.groupBy(open, ([target]) => accountOf(target)))
    if (attempts.length > attemptsMax.ofAccount) return `${attempts.length} attempts of ${account}`;
  return null;
}

export const laws: readonly Law[] = [
  ...[toldOnce, queuedForEach, noEarlyPraise, toldInOrder].map((check) => law(check)),
  law(attemptLimits, "time"),
];
