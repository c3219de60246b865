/** Clock of watched sites over a real store. The test sets the time, and the outcomes of scans. */
import { minuteMs } from "../../../src/base/units.ts";
import { failed } from "../../../src/evidence/evidence.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import { createSiteTicker, type SiteTicker, type SiteTickerOptions } from "../../../src/sites/clock.ts";
import type { ScanRecord } from "../../../src/store/scans.ts";
import type { StoredEvent } from "../../../src/store/site-events.ts";
import type { Site } from "../../../src/store/sites.ts";
import type { Store, StoreOptions } from "../../../src/store/store.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

export const begin = Date.parse("2026-11-02T12:00:00Z");

/** What a scan shows; a text is the code of a failure. */
export type Outcome =
  | string
  | { readonly score: number; readonly codes?: readonly string[]; readonly catalogVersion?: string; readonly plugin?: string };

export interface SiteRig {
  readonly store: Store;
  readonly log: readonly string[];
  readonly ticker: SiteTicker;
  readonly clock: FakeClock;
  now(): Date;
  /** Sets the time to so many minutes after the begin. */
  setMinute(minute: number): void;
  show(outcome: Outcome, url?: string): void;
  end(scan: Pick<ScanRecord, "token"> | undefined, outcome: Outcome): Promise<void>;
  /** Ends all scans that wait; returns their number. */
  runScans(): Promise<number>;
  /** One tick at that minute, the scans that it starts, and their conclusion. Returns the number of scans. */
  at(minute: number): Promise<number>;
  /** A new process with the same store. */
  restart(options?: Partial<SiteTickerOptions>): void;
  eventsOf(site: Pick<Site, "id">): readonly string[];
  allEvents(): readonly StoredEvent[];
  stop(): Promise<void>;
}

export async function siteRig(storeOptions: StoreOptions = {}): Promise<SiteRig> {
  const { store, stop } = temporaryStore(storeOptions);
  const log: string[] = [];
  const outcomes = new Map<string, Outcome>();
  const clock = fakeClock({ startAt: new Date(begin) });
  const { now } = clock;
  await store.accounts.create({ email: "owner@agency.example", now: now() });
  const line = (event: string, fields: object = {}) => void log.push(`${event} ${JSON.stringify(fields)}`);
  const options = { store, clock, wake: () => {}, log: { debug: () => {}, info: line, warn: line, error: line } };
  let ticker = createSiteTicker(options);

  function setMinute(minute: number): void {
    clock.set(new Date(begin + minute * minuteMs));
  }

  async function end(scan: Pick<ScanRecord, "token"> | undefined, outcome: Outcome): Promise<void> {
    const token = scan?.token ?? "";
    if (typeof outcome === "string") await store.scans.fail(token, { code: outcome, evidence: null, timings: {}, now: now() });
    else await store.scans.finish(token, { result: resultOf(outcome), evidence: smallEvidence, timings: {}, now: now() });
  }

  async function runScans(): Promise<number> {
    const ended: Promise<unknown>[] = [];
    for (let scan = await store.scans.claimNext("local", now()); scan !== undefined; scan = await store.scans.claimNext("local", now())) {
      ended.push(end(scan, outcomes.get(scan.url) ?? outcomes.get("") ?? { score: 90 }));
    }
    await Promise.all(ended);
    return ended.length;
  }

  return {
    store,
    log,
    get ticker() {
      return ticker;
    },
    ...{ clock, now, setMinute },
    show: (outcome, url = "") => void outcomes.set(url, outcome),
    end,
    runScans,
    at: async (minute) => {
      setMinute(minute);
      await ticker.tick();
      const scans = await runScans();
      await ticker.conclude();
      return scans;
    },
    restart: (changed = {}) => {
      ticker = createSiteTicker({ ...options, ...changed });
    },
    eventsOf: (site) =>
      store.events
        .listOfSite(1, site.id, 1_000)
        .map(({ type }) => type)
        .reverse(),
    allEvents: () => store.events.list(1, { limit: 1_000, cursor: null }).items,
    stop,
  };
}

/** Facts of a real scan without those that make it large. */
const smallEvidence = {
  ...knownScans.sound.evidence,
  markup: failed("not-asked"),
  dom: failed("not-asked"),
  requests: failed("not-asked"),
};

export function expiryOfEvidence(): string {
  const { tls } = knownScans.sound.evidence;
  return tls.status === "read" ? (tls.facts.chain[0]?.validTo ?? "") : "";
}

function resultOf({ score, codes = [], catalogVersion = "c1", plugin }: Exclude<Outcome, string>): StoredResult {
  const findings = codes.map((code) => ({
    code,
    checkKey: "x",
    severity: "high" as const,
    riskLevel: "medium" as const,
    effort: "low" as const,
    values: {},
  }));
  return {
    algorithmVersion: 3,
    catalogVersion,
    basis: { headerValueCharsMax: 512, dataDates: {}, ...(plugin !== undefined && { plugins: { x: plugin } }) },
    measured: true,
    score,
    band: "good",
    rank: "strong",
    ledger: [{ key: "x", state: codes.length > 0 ? "violated" : "passed", weight: 5, evidence: ["page"] }],
    findings,
  };
}
