/** Laws of scans and their queue. */
import { minuteMs, secondMs } from "../../src/base/units.ts";
import { isBackgroundLane, lanes, networkScansMax } from "../../src/store/queue.ts";
import type { ScanRecord } from "../../src/store/scans.ts";
import { firstOf, type Law, lastsTooLong, law, type UpLife } from "./law.ts";
import { tokenIn } from "./pages.ts";
import type { World } from "./world.ts";

/** A waiting scan starts within this time once there is a free slot: the dispatcher reads a queue again 2 seconds after a failure. */
const startMsMax = 10 * secondMs;
/** The longest scan of the model takes a minute, and its outcome is written again every 2 seconds. */
const runMsMax = 2 * minuteMs;
/** Timers of one process: its parts have some, and so has each scan and attempt under way. */
const timersMax = 100;

const isEnded = ({ status }: Pick<ScanRecord, "status">) => status === "finished" || status === "failed";
const sumOf = (counts: Iterable<number>) => [...counts].reduce((sum, count) => sum + count, 0);

/** An accepted scan ends exactly once: it is never lost, and its end never changes. */
function endsOnce(world: World, { store }: UpLife, isEnd: boolean): string | null {
  return firstOf(world.told.accepted.keys(), (token) => {
    const scan = store.scans.findByToken(token);
    if (scan === undefined) return world.told.removable.has(token) ? null : `accepted scan ${token} is gone`;
    const end = `${scan.status} ${scan.errorCode} at ${scan.endedAt}`;
    const known = world.seen.ends.get(token);
    if (known !== undefined) return known === end ? null : `scan ${scan.id} was ${known}, and is ${end}`;
    if (isEnded(scan)) world.seen.ends.set(token, end);
    return isEnd && !isEnded(scan) ? `scan ${scan.id} is still ${scan.status}` : null;
  });
}

/** A finished scan has its own result and evidence; any other scan has no result. */
function hasOwnResult({ seen, told }: World, { store }: UpLife): string | null {
  return firstOf(told.accepted.keys(), (token) => {
    const scan = store.scans.findByToken(token);
    if (scan !== undefined && seen.proven.has(token)) return null;
    const result = store.results.find(token);
    if (scan === undefined) return result === undefined ? null : `there is a result of scan ${token}, which is gone`;
    const { id, status, url } = scan;
    if (status !== "finished") return result === undefined ? null : `scan ${id} is ${status} and has a result`;
    if (result === undefined) return `scan ${id} is finished without a result`;
    seen.proven.add(token);
    if (tokenIn(result) !== token) return `scan ${id} has the result of another scan`;
    const evidence = store.evidence.find(token)?.evidence;
    return evidence === undefined || evidence.subject.url === url ? null : `scan ${id} of ${url} has evidence of ${evidence.subject.url}`;
  });
}

/** A scan whose cancellation was answered never finishes. */
function staysCancelled({ told }: World, { store }: UpLife): string | null {
  const finished = firstOf(told.cancelled, (token) => {
    const scan = store.scans.findByToken(token);
    return scan === undefined || scan.errorCode === "cancelled" ? null : `cancelled scan ${scan.id} is ${scan.status} ${scan.errorCode}`;
  });
  return finished ?? firstOf(told.removed, (token) => (store.scans.findByToken(token) ? `removed scan ${token} is back` : null));
}

/** No scan waits while slots are free, and a scan that is stored as running is being run. */
function nobodyWaits(world: World, life: UpLife): string | null {
  const { store, gauges } = life;
  const queued = world.lanesOf(life);
  const running = sumOf(gauges.scans.values());
  const people = sumOf(queued.map(({ lane, scans }) => (isBackgroundLane(lane) ? 0 : scans)));
  const others = sumOf(queued.map(({ lane, scans }) => (isBackgroundLane(lane) ? scans : 0)));
  return (
    lastsTooLong(world, "scans of people wait beside a free slot", people > 0 && running < world.plan.slots, startMsMax) ??
    lastsTooLong(world, "scans of sites wait although nothing runs", others > 0 && running === 0, startMsMax) ??
    lastsTooLong(world, "the store has running scans that nothing runs", store.scans.runningCount() > running, runMsMax)
  );
}

/** Scans of people start before the scans of schedules. */
function peopleFirst({ unfair }: World): string | null {
  const [first] = unfair;
  return first === undefined ? null : `scan ${first.claimed} of a schedule starts while ${first.waiting} of a person waits`;
}

/** Limits of slots, networks and queues are kept. */
function queueLimits({ plan: { slots, queueMax } }: World, { store, gauges, parts }: UpLife): string | null {
  const running = Math.max(sumOf(gauges.scans.values()), parts.dispatcher.running());
  if (running > slots) return `${running} scans run in ${slots} slots`;
  const background = store.scans.listRunning().filter(({ queueKey }) => queueKey !== undefined && isBackgroundLane(queueKey[1]));
  if (background.length > Math.max(1, slots - 1)) return `${background.length} scans of schedules run in ${slots} slots`;
  for (const [network, scans] of Map.groupBy(background, (scan) => scan.network))
    if (network !== undefined && scans.length > networkScansMax) return `${scans.length} scans run in network ${network}`;
  return firstOf(store.scans.lanesOf("local"), ({ lane, scans }) => {
    // What was interrupted returns to its lane, also to a full one.
    const most = Math.ceil(queueMax * lanes[lane].queueShare) + slots;
    return scans > most ? `${scans} scans wait in lane ${lane}, which takes ${most}` : null;
  });
}

/** Timers, and with them what waits in memory, stay few. */
function memoryIsBounded(_world: World, life: UpLife): string | null {
  return life.timers() > timersMax ? `${life.timers()} timers wait` : null;
}

export const laws: readonly Law[] = [
  ...[endsOnce, hasOwnResult, staysCancelled, peopleFirst, queueLimits].map((check) => law(check)),
  ...[nobodyWaits, memoryIsBounded].map((check) => law(check, "time")),
];
