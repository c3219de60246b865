/** Worker whose gathering fails as the host of the URL names; judging is real, with test checks. */
import type { MessagePort } from "node:worker_threads";
import type { AnyCheck } from "../../../src/check/registry.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import type { Gathered, GatherTask, Judged, JudgeTask } from "../../../src/scan/task.ts";
import { evidence } from "../../support/evidence.ts";

export async function gather({ task, port }: { task: GatherTask; port: MessagePort }): Promise<Gathered> {
  port.postMessage({ type: "started" });
  const { url, browserEndpoint } = task;
  const gathered = (part: Partial<Gathered> = {}): Gathered => ({
    evidence: evidence({ url }),
    screenshot: null,
    timings: { total: 5 },
    unreachable: null,
    refusals: [],
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
      // The test counts endpoints, one per attempt.
      if (browserEndpoint.endsWith("/1")) throw new Error("thrown once on purpose");
      return gathered();
    case "browser-breaks-once.test":
      return browserEndpoint.endsWith("/1")
        ? gathered({ evidence: evidence({ url, navigation: "crashed" }), unreachable: "crashed" })
        : gathered();
    case "browser-breaks.test":
      return gathered({ evidence: evidence({ url, navigation: "crashed", tls: "refused" }), unreachable: "crashed" });
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
export function judge({ task, port }: { task: JudgeTask; port: MessagePort }): Judged {
  port.postMessage({ type: "started" });
  const catalog = { checks, version: "v", texts: { "en-gb": {}, "de-de": {} }, pluginFiles: {} };
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
