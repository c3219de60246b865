/** Laws of events and their deliveries. */
import { secondMs } from "../../src/base/units.ts";
import type { StoredEvent } from "../../src/store/site-events.ts";
import { firstOf, type Law, law, type UpLife } from "./law.ts";
import type { Taken } from "./receivers.ts";
import type { World } from "./world.ts";

/** Limits of src/channels/pacing.ts. */
const attemptsMax = { http: 16, mail: 8, ofAccount: 3 };
/** Time in which the outcome of an attempt is on disk: a process that ends within it sends again. */
const storeMsMax = secondMs;
const readMax = 1_000;

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

/** An event is queued once for each channel that wants it, in the transaction that stores it. */
function queuedForEach(world: World, life: UpLife): string | null {
  const { store } = life;
  return firstOf(store.accounts.list(), ({ id: accountId }) => {
    const last = world.seen.events.get(accountId) ?? 0;
    const events = store.events.list(accountId, { limit: readMax, cursor: null }).items;
    const channels = store.channels.list(accountId);
    const known = world.seen.channels.get(accountId) ?? [];
    world.seen.channels.set(
      accountId,
      channels.filter(({ disabled }) => disabled === null).map(({ id }) => id),
    );
    const fresh = events.filter(({ seq }) => seq > last);
    if (fresh.length === 0) return null;
    world.seen.events.set(accountId, Math.max(...fresh.map(({ seq }) => seq)));
    const deliveries = store.deliveries.list(accountId, { limit: readMax, cursor: null }).items;
    const wanting = channels.filter(({ id, disabled }) => known.includes(id) && disabled === null);
    return (
      firstOf(fresh, (event) =>
        firstOf(wanting, ({ id, name }) => {
          const count = deliveries.filter(({ channelId, eventSeqs }) => channelId === id && eventSeqs.includes(event.seq)).length;
          return count === 1 ? null : `event ${event.seq} (${event.type}) is queued ${count} times for channel ${name}`;
        }),
      ) ?? firstOf(fresh, (event) => praisedTooEarly(life, event))
    );
  });
}

/** No finding counts as resolved while the site waits for a second look. */
function praisedTooEarly({ store }: UpLife, { type, site, accountId }: StoredEvent): string | null {
  if (type !== "finding.resolved" || site === null) return null;
  const lookAt = store.sites.find(accountId, site.id)?.secondLookAt ?? null;
  return lookAt === null ? null : `site ${site.id} is praised, and has a second look at ${lookAt}`;
}

/** A receiver that takes everything is told the events in their order. */
function toldInOrder(world: World, { store }: UpLife): string | null {
  if (world.plan.steps.some((step) => step.do === "receiver" || step.do === "clock" || step.do === "disk full")) return null;
  return firstOf(world.taken.slice(world.ordered), ({ target, id }) => {
    world.ordered++;
    if (!id.startsWith("evt_")) return null;
    const event = store.accounts
      .list()
      .flatMap((account) => store.events.list(account.id, { limit: readMax, cursor: null }).items)
      .find((one) => one.id === id);
    if (event === undefined) return null;
    const newest = world.seen.newest.get(target) ?? 0;
    world.seen.newest.set(target, Math.max(newest, event.seq));
    return event.seq < newest && world.taken.filter((one) => one.target === target && one.id === id).length === 1
      ? `${target} is told event ${event.seq} after event ${newest}`
      : null;
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

export const laws: readonly Law[] = [...[toldOnce, queuedForEach, toldInOrder].map((check) => law(check)), law(attemptLimits, "time")];
