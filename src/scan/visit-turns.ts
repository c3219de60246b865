/** Turns of visits: one host gets one visit at a time, and rests between two. */
import { aborted, type Clock, pause } from "../base/clock.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { hostOf } from "../parse/site.ts";
import type { GatherWatch, VisitJob } from "./gatherer.ts";
import type { Visited } from "./task.ts";

/** Rest of a host from the end of a visit to the start of the next one, in milliseconds. */
export const visitGapMs = 500;

type Visit = (job: VisitJob, watch: GatherWatch) => Promise<Visited | ScanErrorCode>;

/** The visit with turns, in the order of the calls. A visit that is aborted while it waits ends at once. */
export function inTurns(visit: Visit, clock: Pick<Clock, "monotonicMs" | "after">): Visit {
  /** Time of the end of each host's last visit; pending while one runs or waits. */
  const ends = new Map<string, Promise<number>>();
  return async (job, watch) => {
    const host = hostOf(job.url) ?? "";
    const { signal } = watch;
    const before = ends.get(host) ?? Promise.resolve(Number.NEGATIVE_INFINITY);
    const visited = Promise.withResolvers<number>();
    // One that was aborted ends before the visit that it waited for.
    const end = Promise.all([before, visited.promise]).then((times) => Math.max(...times));
    ends.set(host, end);
    let endedMs = Number.NEGATIVE_INFINITY;
    try {
      const beforeMs = await Promise.race([before, ...(signal === undefined ? [] : [aborted(signal).then(() => 0)])]);
      const restMs = beforeMs + visitGapMs - clock.monotonicMs();
      if (restMs > 0) await pause(clock, restMs, signal);
      if (signal?.aborted) return "interrupted";
      return await visit(job, watch).finally(() => {
        endedMs = clock.monotonicMs();
      });
    } finally {
      visited.resolve(endedMs);
      // A host that has rested is forgotten.
      void end.then(() => clock.after(visitGapMs, () => ends.get(host) === end && ends.delete(host)));
    }
  };
}
