/** The order of visits in a proof, with visits that the test answers. */
import { describe, expect, test } from "vitest";
import type { BlockedByPolicy, Observation } from "../../../src/evidence/observation.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import type { PageOverrides, ReplacedHeader } from "../../../src/probe/browser/page-fetch.ts";
import type { Rung } from "../../../src/prove/draft.ts";
import { headersToCopy, isProven, type Proof, type ProofStep, provePage } from "../../../src/prove/prove.ts";
import type { Visited } from "../../../src/scan/task.ts";
import { evidence } from "../../support/evidence.ts";
import { blockedBy, loaded, visitOf } from "../../support/visited.ts";

const result = { measured: true, score: 50, ledger: [] } as unknown as StoredResult;
const inline = blockedBy({ kind: "inline", hash: `sha256-${"A".repeat(43)}=` });
const fieldValue = (headers: readonly ReplacedHeader[], name: string) => headers.find((field) => field.name.toLowerCase() === name)?.value;
const csp = "content-security-policy";

interface Case {
  readonly policy?: string;
  readonly draft?: Rung;
  readonly headers?: readonly ReplacedHeader[];
  readonly today?: Readonly<Record<string, string>>;
  /** What a visit with this policy shows; an ordinary page by default. */
  readonly shows?: (policy: string, step: ProofStep, visit: number) => Partial<Observation> | "timeout";
}

async function proven({ policy, draft, headers = [], today = {}, shows = () => ({}) }: Case) {
  const steps: string[] = [];
  const sent: (PageOverrides | null)[] = [];
  const scanned = evidence({ url: "https://site.test/", headers: today });
  const visit = async (overrides: PageOverrides | null, step: ProofStep) => {
    steps.push(step);
    sent.push(overrides);
    const shown = shows(fieldValue(overrides?.headers ?? [], csp) ?? "", step, steps.length);
    if (shown === "timeout") return shown;
    const visited = visitOf(shown);
    return { ...visited, readings: { ...scanned, ...visited.readings } } as unknown as Visited;
  };
  const tools = { visit, judge: async () => result, nonce: () => "bm9uY2Vub25jZW5vbmNl" };
  const plan = { policy: policy ?? null, draft: draft ?? null, headers };
  return { proof: await provePage({ evidence: scanned, result, headerCharsMax: 512 }, plan, tools), steps, sent };
}

const ofProof = (proof: Proof | string): Proof => {
  if (typeof proof === "string") throw new Error(proof);
  return proof;
};
const reported = (...blocked: readonly BlockedByPolicy[]) => ({ blocked: blocked.map((one) => ({ ...one, reportOnly: true })) });

test("a policy of the user: two visits without, one with it, two with injected code", async () => {
  const { proof, steps, sent } = await proven({ policy: "default-src 'self'" });
  expect([ofProof(proof).comparison.verdict, isProven(ofProof(proof)), steps.join(" ")]).toEqual([
    "works",
    true,
    "baseline baseline enforce attack attack",
  ]);
  // The second one is answered by this program, with the headers of the server.
  expect([sent[0], sent[1]?.headers.some(({ value }) => value !== null)]).toEqual([null, false]);
  expect(sent.map((overrides) => overrides?.canaries != null)).toEqual([false, false, false, true, true]);
});

test("headers without a policy are not attacked, and a broken page is not either", async () => {
  expect((await proven({ headers: [{ name: "x-frame-options", value: "DENY" }] })).steps).not.toContain("attack");
  const broken = await proven({ policy: "script-src 'self'", shows: (policy) => (policy === "" ? {} : { blocked: [inline] }) });
  expect([ofProof(broken.proof).comparison.verdict, broken.steps.join(" ")]).toEqual(["blocks", "baseline baseline enforce"]);
});

test("a draft is refined with what it blocked", async () => {
  const late = blockedBy({ directive: "img-src", url: "https://late.test/i.png" });
  const { proof, steps } = await proven({
    draft: "strict-hash",
    shows: (policy, step) =>
      step === "observe" ? reported(inline) : step === "enforce" && !policy.includes("late.test") ? { blocked: [late] } : {},
  });
  const { rung, refused, headers } = ofProof(proof);
  expect([rung, refused, fieldValue(headers, csp)]).toEqual(["strict-hash", [], expect.stringContaining("img-src 'self' late.test")]);
  expect(steps.join(" ")).toBe("baseline baseline observe enforce enforce attack attack");
});

test("rungs are climbed until one works, each with its reason", async () => {
  const file = blockedBy({ url: "https://site.test/app.js" });
  const { proof, steps } = await proven({
    draft: "strict-hash",
    shows: (policy, step) =>
      step === "observe"
        ? reported(file)
        : step === "enforce" && policy.includes("'strict-dynamic'")
          ? { blocked: [{ ...file, byScript: true }] }
          : {},
  });
  const { rung, refused } = ofProof(proof);
  expect([rung, refused.map((one) => `${one.rung} ${one.because}`)]).toEqual([
    "hosts",
    ["strict-hash external-scripts", "strict-nonce blocks"],
  ]);
  expect(steps.filter((step) => step === "enforce").length).toBe(2);
});

test("a change without a block is tried again, and counts only if it is seen twice", async () => {
  const lost = { requests: [loaded("https://site.test/app.js")] };
  const once = await proven({ policy: "img-src *", shows: (_policy, step, visit) => (step === "enforce" && visit === 3 ? lost : {}) });
  const twice = await proven({ policy: "img-src *", shows: (_policy, step) => (step === "enforce" ? lost : {}) });
  expect([ofProof(once.proof).comparison.verdict, ofProof(twice.proof).comparison.verdict]).toEqual(["works", "changes"]);
});

test("a visit that cannot be made ends the proof", async () => {
  expect((await proven({ policy: "img-src *", shows: (_policy, _step, visit) => (visit === 2 ? "timeout" : {}) })).proof).toBe("timeout");
});

test("a page that cannot be read is visited once", async () => {
  const { proof, steps } = await proven({ policy: "img-src *", shows: () => ({ shape: null }) });
  expect([ofProof(proof).comparison.because, steps]).toEqual(["not-read", ["baseline"]]);
});

test("injected code that runs with the policy is no proof", async () => {
  const shows = (_policy: string, step: ProofStep) => (step === "attack" ? { canaries: ["form"] } : {});
  const proof = ofProof((await proven({ policy: "default-src 'self'", shows })).proof);
  expect([
    proof.comparison.verdict,
    isProven(proof),
    proof.canaries.filter(({ outcome }) => outcome === "runs").map(({ name }) => name),
  ]).toEqual(["works", false, ["form"]]);
});

describe("headers", () => {
  test("keep what one page cannot show", async () => {
    const today = { "x-frame-options": "deny", [csp]: "upgrade-insecure-requests, trusted-types x; img-src *" };
    const policy = fieldValue(ofProof((await proven({ draft: "hosts", today })).proof).headers, csp);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    expect(policy).toMatch(/; upgrade-insecure-requests; .*; trusted-types x$/);
    expect(policy).not.toMatch(/img-src|frame-ancestors 'self'/);
  });

  test("of visits name no place for reports; those to copy do", async () => {
    const policy = "default-src 'self'; report-uri https://r.test/a; report-to r; img-src *";
    const { proof, sent } = await proven({ policy, headers: [{ name: "Reporting-Endpoints", value: "r='https://r.test'" }] });
    expect(JSON.stringify(sent)).not.toMatch(/r\.test|report-(uri|to) /);
    expect(fieldValue(sent[2]?.headers ?? [], csp)).toBe("default-src 'self';;; img-src *");
    expect(fieldValue(headersToCopy(ofProof(proof)), csp)).toBe(policy);
  });

  test("to copy have no nonce, which must be a new one in each answer", async () => {
    const { proof } = await proven({ draft: "strict-nonce" });
    expect(JSON.stringify(headersToCopy(ofProof(proof)))).toContain("'nonce-{nonce}'");
  });
});
