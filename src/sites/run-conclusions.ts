/** Concludes the runs of watched sites whose scans are all over. */
import type { Clock } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { dayMs } from "../base/units.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { SiteRun } from "../store/site-runs.ts";
import type { Store } from "../store/store.ts";
import { abandonRun, concludeRun } from "./conclude-run.ts";
import { type RunReading, readRun } from "./run-reading.ts";

/** Scans that wait longer are cancelled, as at a location that has lost its workers. The run must end for the next one to start. */
const runMsMax = dayMs;

export interface ConclusionOptions {
  readonly store: Pick<Store, "siteRuns" | "scans" | "results" | "evidence">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

/** Returns the number of events. @throws DataDirError, after which the rest is left to the next call. */
export async function concludeEndedRuns({ store, clock, log }: ConclusionOptions): Promise<number> {
  let events = 0;
  for (const run of store.siteRuns.list()) {
    if (isWaiting(store, run)) continue;
    try {
      events += await concludeOne(store, run, clock.now());
    } catch (error) {
      noteFault(log, run, error);
      await store.siteRuns.conclude(run, abandonRun, clock.now()).catch((again: unknown) => noteFault(log, run, again));
    }
  }
  return events;
}

/** A fault of one run does not stop the others. @throws DataDirError */
function noteFault(log: Log, { siteId }: SiteRun, error: unknown): void {
  if (error instanceof DataDirError) throw error;
  log.error("run of a site could not be concluded", { site: siteId, because: messageOf(error) });
}

/** Ends scans that have waited for too long. */
export async function cancelOldRuns({ store, clock, log }: ConclusionOptions): Promise<void> {
  for (const run of store.siteRuns.list()) {
    if (clock.now().getTime() - Date.parse(run.startedAt) < runMsMax) continue;
    log.warn("scans of a site have waited too long", { site: run.siteId });
    for (const { token } of run.scans) await store.scans.cancelQueued(token, clock.now());
  }
}

/** Scans of a lane run in their order, so the last one of a run is the best sign. */
function isWaiting({ scans }: Pick<Store, "scans">, run: SiteRun): boolean {
  const last = scans.findByToken(run.scans.at(-1)?.token ?? "");
  return last?.status === "queued" || last?.status === "running";
}

async function concludeOne(store: ConclusionOptions["store"], run: SiteRun, now: Date): Promise<number> {
  if (store.siteRuns.endedScans(run) === null) return 0;
  const reading = readStored(store, run);
  const events = await store.siteRuns.conclude(run, (site, state) => concludeRun(site, state, run, reading, now), now);
  return events?.length ?? 0;
}

function readStored({ scans, results, evidence }: Pick<Store, "scans" | "results" | "evidence">, run: SiteRun): RunReading {
  const scanned = run.scans.map(({ url, token }) => {
    const scan = scans.findByToken(token);
    return { url, scan, result: scan?.status === "finished" ? results.find(token) : undefined };
  });
  return readRun(scanned, evidence.find(run.scans[0]?.token ?? "")?.evidence);
}
