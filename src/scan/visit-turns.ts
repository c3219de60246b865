/** Turns of visits: a proof of many pages is no load for their host. */
import { type Clock, pause } from "../base/clock.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { hostOf } from "../parse/site.ts";
import type { GatherWatch, VisitJob } from "./gatherer.ts";
import type { Visited } from "./task.ts";

/** Least time from the start of a visit to the start of the next one of its host, in milliseconds. */
export const visitGapMs = 500;

type Visit = (job: VisitJob, watch: GatherWatch) => Promise<Visited | ScanErrorCode>;

/** The visit with turns, in the order of the calls. A visit that is aborted while it waits ends at once. */
export function inTurns(visit: Visit, clock: Pick<Clock, "monotonicMs" | "after">): Visit {
  /** Time at which the next visit of a host may start. */
  const turns = new Map<string, number>();
  return async (job, watch) => {
    const nowMs = clock.monotonicMs();
    for (const [host, turnMs] of turns) if (turnMs <= nowMs) turns.delete(host);
    const host = hostOf(job.url) ?? "";
    const turnMs = turns.get(host) ?? nowMs;
    turns.set(host, turnMs + visitGapMs);
    if (turnMs > nowMs) await pause(clock, turnMs - nowMs, watch.signal);
    return watch.signal?.aborted ? "interrupted" : visit(job, watch);
  };
}
