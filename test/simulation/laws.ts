/** The laws: what must hold after each event, whatever went wrong before. Each is a function with a sentence that says it. */
import type { ScanRecord } from "../../src/store/scans.ts";
import { tokenIn } from "./pages.ts";
import type { World } from "./world.ts";

export interface Law {
  readonly name: string;
  /** Returns what is wrong, or null. `isEnd`: all faults have ended long ago. */
  readonly check: (world: World, isEnd: boolean) => string | null;
}

/** First of the texts that is not null. */
function firstOf<T>(values: Iterable<T>, check: (value: T) => string | null): string | null {
  for (const value of values) {
    const what = check(value);
    if (what !== null) return what;
  }
  return null;
}

const isEnded = ({ status }: Pick<ScanRecord, "status">) => status === "finished" || status === "failed";

/** A scan that was accepted ends once: it is never lost, and its end never changes. */
function endsOnce(world: World, isEnd: boolean): string | null {
  const store = world.life?.store;
  if (store === undefined) return null;
  return firstOf(world.told.accepted.keys(), (token) => {
    const scan = store.scans.findByToken(token);
    if (scan === undefined) return world.told.removable.has(token) ? null : `accepted scan ${token} is gone`;
    const end = `${scan.status} ${scan.errorCode} at ${scan.endedAt}`;
    const known = world.ends.get(token);
    if (known !== undefined) return known === end ? null : `scan ${scan.id} was ${known}, and is ${end}`;
    if (isEnded(scan)) world.ends.set(token, end);
    return isEnd && !isEnded(scan) ? `scan ${scan.id} is still ${scan.status}` : null;
  });
}

/** A finished scan has its own result and evidence; any other scan has no result. */
function hasOwnResult(world: World): string | null {
  const store = world.life?.store;
  if (store === undefined) return null;
  return firstOf(world.scans(), ({ id, token, status, url }) => {
    if (world.proven.has(token)) return null;
    const result = store.results.find(token);
    if (status !== "finished") return result === undefined ? null : `scan ${id} is ${status} and has a result`;
    if (result === undefined) return `scan ${id} is finished without a result`;
    world.proven.add(token);
    if (tokenIn(result) !== token) return `scan ${id} has the result of another scan`;
    const evidence = store.evidence.find(token)?.evidence;
    return evidence === undefined || evidence.subject.url === url ? null : `scan ${id} of ${url} has evidence of ${evidence.subject.url}`;
  });
}

/** A scan whose cancellation was answered never finishes. */
function staysCancelled(world: World): string | null {
  const store = world.life?.store;
  if (store === undefined) return null;
  const finished = firstOf(world.told.cancelled, (token) => {
    const scan = store.scans.findByToken(token);
    return scan === undefined || scan.errorCode === "cancelled" ? null : `cancelled scan ${scan.id} is ${scan.status} ${scan.errorCode}`;
  });
  return finished ?? firstOf(world.told.removed, (token) => (store.scans.findByToken(token) ? `removed scan ${token} is back` : null));
}

export const laws: readonly Law[] = [endsOnce, hasOwnResult, staysCancelled].map((check) => ({ name: check.name, check }));
