/** Pages that are scanned, and the gatherer and judge that read them. Everything else of the scanner is the product's. */
import { pause } from "../../src/base/clock.ts";
import { secondMs } from "../../src/base/units.ts";
import { type Evidence, failed } from "../../src/evidence/evidence.ts";
import type { ScanErrorCode } from "../../src/evidence/scan.ts";
import type { StoredResult } from "../../src/judge/result.ts";
import type { GatherEnd, GatherJob, GatherWatch, LocalGatherer } from "../../src/scan/gatherer.ts";
import type { Judging } from "../../src/scan/judging.ts";
import { knownScans } from "../support/finished-scans.ts";
import { drawsOf } from "./draws.ts";
import type { PageMood, ShownPage } from "./plan.ts";
import type { World } from "./world.ts";

/** Check of every finding of the model, and of the token that each result carries. */
const checkKey = "model";
/** Its finding is in every result, and quotes the token of the scan. */
const tokenCode = "security.model.token";
const durationsMs: Readonly<Record<PageMood, readonly [min: number, max: number]>> = {
  quick: [1 * secondMs, 8 * secondMs],
  slow: [20 * secondMs, 50 * secondMs],
  hangs: [60 * secondMs, 60 * secondMs],
  refused: [0, 100],
  unresolved: [0, 3 * secondMs],
  crashes: [1 * secondMs, 20 * secondMs],
};
const codeOf: Partial<Readonly<Record<PageMood, ScanErrorCode>>> = { hangs: "timeout", crashes: "crashed" };
const unreachableOf: Partial<Readonly<Record<PageMood, ScanErrorCode>>> = { refused: "refused", unresolved: "unresolved" };
const pageDefault: ShownPage = { score: 90, findings: [], mood: "quick" };
const algorithmVersion = 3;

/** Facts of a real scan without those that make it large. */
const smallEvidence: Evidence = {
  ...knownScans.sound.evidence,
  markup: failed("not-asked"),
  dom: failed("not-asked"),
  requests: failed("not-asked"),
};

/** What a scan was shown, by its token. */
export interface Shown {
  readonly url: string;
  readonly page: ShownPage;
}

/** Reads pages of the world, each at the time of its scan. `onRunning` gets 1 for a scan that begins, and -1 for its end. */
export function modelGatherer(
  world: World,
  onRunning: (url: string, by: 1 | -1) => void,
): Pick<LocalGatherer, "gather" | "visit" | "startBrowser" | "close"> {
  async function gather({ url, stored }: GatherJob, { onStage, signal }: GatherWatch): Promise<GatherEnd> {
    const { hostname } = new URL(url);
    const page = world.pages.get(hostname) ?? pageDefault;
    const visit = (world.visits.get(url) ?? 0) + 1;
    world.visits.set(url, visit);
    const [min, max] = durationsMs[page.mood];
    const ms = drawsOf("visit", world.plan.seed, url, visit).whole(min, max);
    onRunning(url, 1);
    onStage("connecting");
    await pause(world.lifeClock(), ms, signal);
    onRunning(url, -1);
    const end = (gathered: GatherEnd["gathered"]): GatherEnd => ({ gathered, release: async () => {} });
    if (signal?.aborted) return end("interrupted");
    const code = codeOf[page.mood];
    if (code !== undefined) return end(code);
    const token = stored?.token ?? "";
    world.shown.set(token, { url, page });
    const scannedAt = world.clock.now().toISOString();
    const evidence = { ...smallEvidence, subject: { ...smallEvidence.subject, url, host: hostname, scannedAt } };
    const unreachable = unreachableOf[page.mood] ?? null;
    return end({ evidence, screenshot: null, timings: { total: ms }, unreachable, browserBroke: false, refusals: [] });
  }

  return {
    gather,
    visit: async () => "crashed",
    startBrowser: async () => {},
    close: async () => {},
  };
}

/** Judges by what the page of the scan was, which its log fields name. */
export function modelJudging(world: World): Judging {
  const judge = async ({ fields, evidence }: { readonly fields: object; readonly evidence: Evidence }) => {
    const { token } = fields as { readonly token?: string };
    const shown = world.shown.get(token ?? "");
    if (shown === undefined || shown.url !== evidence.subject.url) throw new Error("the judge got the evidence of another scan");
    return resultOf(token ?? "", shown.page);
  };
  return { withCurrent: (task) => task(judge), replace: () => {}, close: async () => {} };
}

function resultOf(token: string, { score, findings }: ShownPage): StoredResult {
  const finding = (code: string, severity: "high" | "info", values: Readonly<Record<string, string>>) =>
    ({ code, checkKey, severity, riskLevel: "medium", effort: "low", values }) as const;
  return {
    algorithmVersion,
    catalogVersion: "c1",
    basis: { headerValueCharsMax: 512, dataDates: {} },
    measured: true,
    ...{ score, band: "good", rank: "strong" },
    ledger: [{ key: checkKey, state: "violated", weight: 5, evidence: ["page"] }],
    findings: [...findings.map((code) => finding(code, "high", {})), finding(tokenCode, "info", { token })],
  };
}

/** Token that a result carries; undefined for a result of none of the model's scans. */
export function tokenIn({ findings }: StoredResult): string | undefined {
  const token = findings.find(({ code }) => code === tokenCode)?.values.token;
  return typeof token === "string" ? token : undefined;
}
