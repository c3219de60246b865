/** Worker whose gathering fails as the host of the URL names; judging is real, with test checks. */
import type { AnyCheck } from "../../../src/check/registry.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import { type GatherWorkerData, type WorkerCall, workerData } from "../../../src/scan/pool.ts";
import type { BrowserUnavailable, Gathered, GatherTask, Judged, JudgeTask } from "../../../src/scan/task.ts";
import { evidence } from "../../support/evidence.ts";

/** Shared with the test: the number of attempts so far. */
const attempts = new Int32Array(workerData<GatherWorkerData>().browser?.processes ?? new SharedArrayBuffer(4));

export async function gather({ task, port }: WorkerCall<GatherTask>): Promise<Gathered | BrowserUnavailable> {
  port.postMessage({ type: "started" });
  const { url } = task;
  const attempt = Atomics.add(attempts, 0, 1) + 1;
  const gathered = (part: Partial<Gathered> = {}): Gathered => ({
    evidence: evidence({ url }),
    screenshot: null,
    timings: { total: 5 },
    unreachable: null,
    refusals: [],
    browserBroke: false,
    ...part,
  });
  switch (new URL(url).hostname) {
    case "unreachable.test":
      return gathered({ unreachable: "unresolved", refusals: ["10.0.0.1 is private; scan.allow_cidrs opens it"] });
    case "throws.test":
      throw new Error("thrown on purpose");
    case "throws-later.test":
      setTimeout(() => {
        throw new Error("thrown later on purpose");
      }, 1);
      return new Promise(() => {});
    case "exits.test":
      process.exit(1);
      break;
    case "loops.test":
      for (;;);
    case "dies-once.test":
      if (attempt === 1) throw new Error("thrown once on purpose");
      return gathered();
    case "browser-breaks-once.test":
      return attempt === 1 ? gathered({ browserBroke: true }) : gathered();
    case "browser-sick-of-others.test":
      return gathered({ browserBroke: !task.freshBrowser });
    case "browser-breaks.test":
      return gathered({ browserBroke: true });
    case "browser-breaks-no-tls.test":
      return gathered({ evidence: evidence({ url, tls: "refused" }), browserBroke: true });
    case "no-browser-once.test":
      return attempt === 1 ? { browserUnavailable: "it was ended" } : gathered();
    case "no-browser.test":
      return { browserUnavailable: "there is no room for it" };
    case "stages.test":
      port.postMessage({ type: "trace", trace: { event: "probe started", probe: "tls" } });
      port.postMessage({ type: "trace", trace: { event: "egress blocked", refusal: "10.0.0.1: private", ms: 3 } });
      port.postMessage({ type: "trace", trace: { event: "probe ended", probe: "tls", ms: 4 } });
      for (const stage of ["resolving", "connecting", "tls", "browsing"]) port.postMessage({ type: "stage", stage });
      await Bun.sleep(20);
      return gathered();
  }
  return gathered();
}

/** The host of the evidence selects how each check fails. */
export function judge({ task, port }: WorkerCall<JudgeTask>): Judged {
  port.postMessage({ type: "started" });
  const catalog = { checks, version: "v", texts: { "en-gb": {}, "de-de": {} }, pluginFiles: {}, warnings: [] };
  return performJudge(task, catalog, (key) => port.postMessage({ type: "judging", key }));
}

function check(key: string, judge: (given: { subject: { host: string } }) => unknown): AnyCheck {
  const code = `security.test.${key}` as const;
  return { key, weight: 1, reads: [], findings: { [code]: { severity: "low", riskLevel: "low", effort: "low" } }, judge } as AnyCheck;
}

const checks: readonly AnyCheck[] = [
  check("a-sound", () => ({ state: "passed" })),
  check("b-hangs", ({ subject }) => {
    while (subject.host.includes("hangs"));
    return { state: "passed" };
  }),
  check("c-exits", ({ subject }) => {
    if (subject.host.includes("check-exits")) process.exit(1);
    return { state: "passed" };
  }),
  check("d-throws", ({ subject }) => {
    if (subject.host.includes("check-throws")) throw new Error("a check's mistake");
    return { state: "passed" };
  }),
  check("e-async", ({ subject }) => (subject.host.includes("check-async") ? Promise.reject(new Error("too late")) : { state: "passed" })),
  check("f-mutates", ({ subject }) => {
    if (subject.host.includes("check-mutates")) subject.host = "other.test";
    return { state: "passed" };
  }),
  check("g-hangs-too", ({ subject }) => {
    while (subject.host === "all-hangs.test");
    return { state: "passed" };
  }),
];
