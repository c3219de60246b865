/** A site whose runs are concluded one after the other, without a store. */
import { expect } from "vitest";
import type { Severity } from "../../../src/check/check.ts";
import { concludeRun } from "../../../src/sites/conclude-run.ts";
import type { MeasuredReading, ReadCertificate, RunReading } from "../../../src/sites/run-reading.ts";
import type { NewEvent, ShownPage } from "../../../src/store/site-events.ts";
import { newSiteState, type RunKind, type RunRules, type SiteState } from "../../../src/store/site-runs.ts";
import type { Site } from "../../../src/store/sites.ts";

export const begin = Date.parse("2026-11-02T12:00:00Z");
export const address = "https://a.example/";
export const rulesGiven: RunRules = {
  algorithmVersion: 3,
  catalogVersion: "c1",
  basis: { headerValueCharsMax: 512, dataDates: { hstsPreload: "2026-10-01" } },
};

const siteGiven: Site = {
  id: 1,
  accountId: 1,
  name: "A",
  url: address,
  pages: [],
  client: null,
  tags: [],
  location: "local",
  accepted: [],
  schedule: { every: "weekly" },
  paused: false,
  createdAt: new Date(begin).toISOString(),
  nextRunAt: null,
  secondLookAt: null,
  lastRunAt: null,
  failingSince: null,
  reading: null,
  trend: [],
};

/** What a run shows. Checks are `x`, `y` and `z`; a code names its check first, as in `x.missing`. */
export interface Shown {
  readonly codes?: readonly string[];
  readonly undecided?: readonly string[];
  /** Checks that do not apply to any address. */
  readonly inapplicable?: readonly string[];
  /** Lowest score of all addresses. */
  readonly score?: number;
  /** Scores of addresses that differ from `score`. */
  readonly scores?: Readonly<Record<string, number>>;
  readonly rules?: RunRules;
  readonly addresses?: readonly string[];
  readonly missing?: readonly string[];
  readonly missingBecause?: string;
  readonly certificate?: ReadCertificate | null;
  readonly severity?: Severity;
  /** Addresses with the findings; default: the first one. */
  readonly urls?: readonly string[];
  readonly page?: ShownPage;
}

const checkKeys = ["x", "y", "z"];
/** Only `z` uses a data file. */
const evidenceOf: Readonly<Record<string, readonly string[]>> = { x: ["page"], y: ["tls"], z: ["page", "hstsPreload"] };

export function shown({
  codes = [],
  undecided = [],
  inapplicable = [],
  scores = {},
  score = Math.min(90, ...Object.values(scores)),
  rules = rulesGiven,
  addresses = [address],
  missing = [],
  missingBecause = "timeout",
  certificate = null,
  severity = "medium",
  urls = [address],
  page,
}: Shown): MeasuredReading {
  const decidedUrlsOf = (key: string) => addresses.filter((url) => !missing.includes(url) && !undecided.includes(key));
  const checkOf = (key: string) => {
    const decidedUrls = new Set(decidedUrlsOf(key));
    const inapplicableUrls = new Set(inapplicable.includes(key) ? decidedUrls : []);
    return { decided: decidedUrls.size === addresses.length, decidedUrls, inapplicableUrls, evidence: new Set(evidenceOf[key]) };
  };
  return {
    measured: true,
    addresses,
    certificate,
    rules,
    judgedAt: new Date(begin).toISOString(),
    token: "t".repeat(22),
    page,
    score,
    scores: new Map(addresses.filter((url) => !missing.includes(url)).map((url) => [url, scores[url] ?? score])),
    findings: new Map(codes.map((code) => [code, { checkKey: code.split(".")[0] ?? "", severity, urls }])),
    checks: new Map(checkKeys.map((key) => [key, checkOf(key)])),
    unmeasured: new Map(missing.map((url) => [url, missingBecause])),
  };
}

export function failing(errorCode: string | null = "timeout", ownFault = false): RunReading {
  return { measured: false, addresses: [address], certificate: null, errorCode, ownFault };
}

export interface ScriptedSite {
  readonly site: Site;
  readonly state: SiteState;
  /** Minutes after the begin at which the run is concluded. */
  run(minute: number, reading: RunReading, kind?: RunKind): readonly NewEvent[];
  change(change: Partial<Site>): void;
  /** Changes the stored state. */
  amend(change: (state: SiteState) => SiteState): void;
  /** Minute of the planned second look; null for none. */
  secondLook(): number | null;
}

export function scriptedSite(given: Partial<Site> = {}): ScriptedSite {
  let site: Site = { ...siteGiven, ...given };
  let state = newSiteState;
  return {
    get site() {
      return site;
    },
    get state() {
      return state;
    },
    run: (minute, reading, kind = "scheduled") => {
      const now = new Date(begin + minute * 60_000);
      const concluded = concludeRun({ ...site, secondLookAt: null }, state, { kind }, reading, now);
      state = concluded.state;
      site = { ...site, secondLookAt: null, ...concluded.site };
      return concluded.events;
    },
    change: (change) => {
      site = { ...site, ...change };
    },
    amend: (change) => {
      state = change(state);
    },
    secondLook: () => (site.secondLookAt === null ? null : (Date.parse(site.secondLookAt) - begin) / 60_000),
  };
}

/** Short form of events: `opened x.missing`. */
export function inShort(events: readonly NewEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type.startsWith("finding.") && "findings" in event.data)
      return `${event.type.slice("finding.".length)} ${event.data.findings.map(({ code }) => code).join(" ")}`;
    if (event.type === "site.score_dropped") return `dropped ${event.data.from} ${event.data.to}`;
    return event.type;
  });
}

/** A site with a first measured run at minute 0. */
export function knownSite(codes: readonly string[] = [], score = 90, given: Partial<Site> = {}): ScriptedSite {
  const site = scriptedSite(given);
  expect(site.run(0, shown({ codes, score }))).toEqual([]);
  return site;
}

export function openCodesOf({ state }: ScriptedSite): readonly string[] {
  return Object.entries(state.findings)
    .filter(([, one]) => one.state === "open")
    .map(([code]) => code);
}
