/** Removes what has expired or is no longer kept by the settings of retention, in small steps between the requests. */
import { type Clock, pause } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { hourMs } from "../base/units.ts";
import type { RetentionRules } from "../store/retention.ts";
import type { Store } from "../store/store.ts";
import type { Config } from "./settings.ts";

/** From the end of one pass to the next. */
const passEveryMs = hourMs;
/** Between two steps, so that requests and scans go first. */
const stepEveryMs = 20;

export interface HousekeepingOptions {
  readonly config: Pick<Config, "audit.days" | "retention.evidence_days" | "retention.scans_per_host" | "retention.screenshots">;
  readonly store: Pick<Store, "audit" | "deliveries" | "members" | "retention" | "sites">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Begins with a first pass. The returned function stops it after the current step. */
export function startHousekeeping(options: HousekeepingOptions): () => Promise<void> {
  const stopped = new AbortController();
  const running = keepTidying(options, stopped.signal);
  return () => {
    stopped.abort();
    return running;
  };
}

async function keepTidying(options: HousekeepingOptions, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      await tidyOnce(options, stop);
    } catch (error) {
      options.log.warn("old data could not be removed", { because: messageOf(error) });
    }
    await pause(options.clock, passEveryMs, stop);
  }
}

/** One pass. Each step is a transaction of its own: a process that is killed goes on at the next start. */
async function tidyOnce({ config, store, clock, log }: HousekeepingOptions, stop: AbortSignal): Promise<void> {
  const rules = rulesOf(config);
  let [evidence, screenshots] = [0, 0];
  for (let from: string | null = null; !stop.aborted; await pause(clock, stepEveryMs, stop)) {
    const { next, removed } = await store.retention.removeEvidence(rules, clock.now(), from);
    evidence += removed;
    from = next;
    if (next === null) break;
  }
  for (let removed = 1; removed > 0 && !stop.aborted; await pause(clock, stepEveryMs, stop)) {
    removed = await store.retention.removeScreenshots(rules, clock.now());
    screenshots += removed;
  }
  while (!stop.aborted && (await store.audit.removeOlder(config["audit.days"], clock.now()))) await pause(clock, stepEveryMs, stop);
  while (!stop.aborted && (await store.deliveries.removeOlder(clock.now()))) await pause(clock, stepEveryMs, stop);
  while (!stop.aborted && (await store.sites.removeStrayDue())) await pause(clock, stepEveryMs, stop);
  if (!stop.aborted) await store.members.removeExpiredInvitations(clock.now());
  if (evidence + screenshots > 0) log.info("old data removed", { scansWithoutEvidence: evidence, screenshots });
}

function rulesOf(config: HousekeepingOptions["config"]): RetentionRules {
  return {
    evidenceDays: config["retention.evidence_days"],
    scansPerHost: config["retention.scans_per_host"],
    screenshots: config["retention.screenshots"],
  };
}
