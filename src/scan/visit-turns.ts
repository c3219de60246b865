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

/** Takes one more slot for a visit of the same proof, and returns what releases it. Null if none is free, or people need it. */
export type TakeFree = () => Promise<(() => void) | null>;

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

/**
 * The visit with turns, in the order of the calls. A visit that is aborted while it waits ends at once. Visits that wait for slots can pass
 * each other; the gap between two starts stays.
 */
export function inTurns(visit: Visit, clock: Pick<Clock, "monotonicMs" | "after">): Visit {
  /** Time at which the next visit of a host may start. */
  const turns = new Map<string, number>();
  /** Earliest start of the next visit of a host, by the starts so far. */
  const starts = new Map<string, number>();
  return async (job, watch) => {
    const nowMs = clock.monotonicMs();
    for (const times of [turns, starts]) for (const [host, timeMs] of times) if (timeMs <= nowMs) times.delete(host);
    const host = hostOf(job.url) ?? "";
    const turnMs = turns.get(host) ?? nowMs;
    turns.set(host, turnMs + visitGapMs);
    const { signal, giveWay = (wait) => wait() } = watch;
    await giveWay(async () => {
      if (turnMs > nowMs) await pause(clock, turnMs - nowMs, signal);
    });
    if (signal?.aborted) return "interrupted";
    const begunMs = clock.monotonicMs();
    const startMs = Math.max(begunMs, starts.get(host) ?? 0);
    starts.set(host, startMs + visitGapMs);
    // It may have waited for longer than its turn.
    turns.set(host, Math.max(turns.get(host) ?? 0, startMs + visitGapMs));
    if (startMs > begunMs) await pause(clock, startMs - begunMs, signal);
    if (signal?.aborted) return "interrupted";
    return visit(job, watch);
  };
}
