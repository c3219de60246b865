/** Turns of visits: a proof of many pages is no load for their host. */
import { type Clock, pause } from "../base/clock.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { hostOf } from "../parse/site.ts";
import type { GatherWatch, VisitJob } from "./gatherer.ts";
import type { Visited } from "./task.ts";

/** Least time from the start of a visit to the start of the next one of its host, in milliseconds. */
export const visitGapMs = 500;

/** Calls `wait`, and resolves when the visit may begin. A proof hands over its slot until then. */
export type GiveWay = (wait: () => Promise<void>) => Promise<void>;

/** Location of workers elsewhere at which a proof runs. */
export interface ProofPlace {
  readonly location: string;
  readonly requestId?: string | undefined;
}

export interface VisitWatch extends GatherWatch {
  /** Only waits, by default. */
  readonly giveWay?: GiveWay;
  /** Location of workers that visit; this process by default. */
  readonly at?: ProofPlace | null;
}

type Visit = (job: VisitJob, watch: VisitWatch) => Promise<Visited | ScanErrorCode>;

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
    const { signal, giveWay = (wait) => wait() } = watch;
    await giveWay(async () => {
      if (turnMs > nowMs) await pause(clock, turnMs - nowMs, signal);
    });
    if (signal?.aborted) return "interrupted";
    // It may have waited for longer than its turn.
    turns.set(host, Math.max(turns.get(host) ?? 0, clock.monotonicMs() + visitGapMs));
    return visit(job, watch);
  };
}
