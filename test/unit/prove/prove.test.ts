/** The order of visits in a proof, with visits that the test answers. */
import { describe, expect, test } from "vitest";
import { type Evidence, failed, read } from "../../../src/evidence/evidence.ts";
import type { BlockedByPolicy, Observation } from "../../../src/evidence/observation.ts";
import type { ScanErrorCode } from "../../../src/evidence/scan.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import type { PageOverrides, ReplacedHeader } from "../../../src/probe/browser/page-fetch.ts";
import type { Rung } from "../../../src/prove/draft.ts";
import {
  headersToCopy,
  isProven,
  type PageProof,
  type Proof,
  type ProofPlan,
  type ProofStep,
  pageMsMax,
  proofVerdict,
  prove,
} from "../../../src/prove/prove.ts";
import type { Visited } from "../../../src/scan/task.ts";
import { evidence } from "../../support/evidence.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { blockedBy, loaded, shapeOf, visitOf } from "../../support/visited.ts";

const result = { measured: true, score: 50, ledger: [] } as unknown as StoredResult;
const inline = blockedBy({ kind: "inline", hash: `sha256-${"A".repeat(43)}=` });
const fieldValue = (headers: readonly ReplacedHeader[], name: string) => headers.find((field) => field.name.toLowerCase() === name)?.value;
const csp = "content-security-policy";

/** What runs in an ordinary page without a policy. */
const ranIn = (overrides: PageOverrides | null) => ({
  canaries: overrides?.canaries?.withoutMetaPolicies === true ? ["inline-script"] : [],
});

interface Case {
  readonly policy?: string;
  readonly draft?: Rung;
  readonly headers?: readonly ReplacedHeader[];
  readonly today?: Readonly<Record<string, string>>;
  /** True for fields that were longer than scans read. */
  readonly isCut?: boolean;
  /** What a visit with this policy shows; an ordinary page by default. */
  readonly shows?: (policy: string, step: ProofStep, visit: number) => Partial<Observation> | "timeout";
  /** True for a document that the scan could not read. */
  readonly unread?: boolean;
  readonly visitMs?: number;
}

function withCutHeaders(given: Evidence): Evidence {
  if (given.page.status === "failed") return given;
  const headers = given.page.facts.headers.map((field) => ({ ...field, truncated: true }));
  return { ...given, page: read({ ...given.page.facts, headers }) };
}

async function proven({ policy, draft, headers = [], today = {}, isCut = false, shows = () => ({}), unread = false, visitMs = 0 }: Case) {
  const steps: string[] = [];
  const sent: (PageOverrides | null)[] = [];
  const whole = evidence({ url: "https://site.test/", headers: today });
  const served = isCut ? withCutHeaders(whole) : whole;
  const scanned = unread ? { ...served, dom: failed("timeout") } : served;
  const clock = fakeClock();
  const visit = async (_url: string, overrides: PageOverrides | null, step: ProofStep) => {
    steps.push(step);
    sent.push(overrides);
    clock.advance(visitMs);
    const shown = shows(fieldValue(overrides?.headers ?? [], csp) ?? "", step, steps.length);
    if (shown === "timeout") return shown;
    const visited = visitOf({ ...ranIn(overrides), ...shown });
    return { ...visited, readings: { ...scanned, ...visited.readings } } as unknown as Visited;
  };
  const tools = { visit, judge: async () => result, nonce: () => "bm9uY2Vub25jZW5vbmNl", clock };
  const plan = { policy: policy ?? null, draft: draft ?? null, headers };
  return { proof: await prove(["https://site.test/"], { evidence: scanned, result, headerCharsMax: 512 }, plan, tools), steps, sent };
}

const ofProof = (proof: Proof | string): Proof & PageProof => {
  if (typeof proof === "string") throw new Error(proof);
  const [page] = proof.pages;
  if (page === undefined) throw new Error("no page");
  return { ...page, ...proof };
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

test("a nonce of the user's policy is a new one, which no injected code knows; one that stands there is known", async () => {
  const { proof, sent } = await proven({ policy: "script-src 'nonce-{nonce}'" });
  expect([ofProof(proof).costs, fieldValue(headersToCopy(ofProof(proof)), csp)]).toEqual([["nonce"], "script-src 'nonce-{nonce}'"]);
  expect(sent.map((overrides) => overrides?.nonce ?? null)).toEqual([null, null, "bm9uY2Vub25jZW5vbmNl", null, "bm9uY2Vub25jZW5vbmNl"]);
  expect(fieldValue(sent[2]?.headers ?? [], csp)).toBe("script-src 'nonce-bm9uY2Vub25jZW5vbmNl'");
  expect(sent[4]?.canaries?.html).not.toContain("nonce=");
  const known = await proven({ policy: "script-src 'nonce-c3RhdGlj'" });
  expect([known.sent[2]?.nonce, known.sent[4]?.canaries?.html]).toEqual([null, expect.stringContaining('<script nonce="c3RhdGlj">')]);
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

test("sources of a draft that no visit needed are named, and only of one that works", async () => {
  const late = blockedBy({ directive: "img-src", url: "https://late.test/i.png" });
  const observing = (shown: Partial<Observation>) => (policy: string, step: ProofStep) =>
    step === "observe" ? shown : step === "enforce" && !policy.includes("late.test") ? { blocked: [late] } : {};
  const unneeded = async (given: Case) =>
    ofProof((await proven(given)).proof).unneeded.map(({ directive, source }) => `${directive} ${source}`);
  const spare = ["default-src 'self'", "img-src 'self'", "form-action 'self'", "frame-ancestors 'self'"];
  const [first, ...others] = spare;
  expect(await unneeded({ draft: "strict-hash", shows: observing(reported(inline)) })).toEqual([
    first,
    "script-src 'strict-dynamic'",
    ...others,
  ]);
  // Code of the document needs the nonce.
  const byNonce = await unneeded({ draft: "strict-nonce", shows: observing(reported(inline)) });
  expect(byNonce).toEqual([first, "script-src 'strict-dynamic'", ...others]);
  expect(await unneeded({ draft: "strict-nonce", shows: observing({}) })).toEqual([
    first,
    "script-src 'nonce-{nonce}'",
    "script-src 'strict-dynamic'",
    ...others,
  ]);
  expect(await unneeded({ draft: "strict-hash", shows: observing({ ...reported(inline), blockedDropped: 1 }) })).toEqual([]);
  expect(await unneeded({ policy: "default-src 'self'" })).toEqual([]);
  const broken = (_policy: string, step: ProofStep) => (step === "enforce" ? { blocked: [inline] } : {});
  expect(await unneeded({ draft: "hosts", shows: broken })).toEqual([]);
});

test("a draft does not allow what the page's own policy blocks today", async () => {
  const [stopped, used] = ["https://stopped.test/i.png", "https://used.test/i.png"].map((url) => blockedBy({ directive: "img-src", url }));
  if (stopped === undefined || used === undefined) throw new Error("not blocked");
  const { proof } = await proven({
    draft: "strict-hash",
    shows: (_policy, step) => (step === "observe" ? { blocked: [...reported(stopped, used).blocked, stopped] } : { blocked: [stopped] }),
  });
  const { comparison, headers } = ofProof(proof);
  expect([comparison.verdict, fieldValue(headers, csp)]).toEqual(["works", expect.stringContaining("img-src 'self' used.test;")]);
});

test("event handlers that today's policy stops refuse no rung", async () => {
  const handlers = Array.from({ length: 6 }, (_, n) => ({ kind: "handler", hash: `sha256-${n}`, sample: "", nonced: false }) as const);
  const shown = { shape: shapeOf({ handlers: 6, inline: handlers }) };
  const climbed = async (policy: string, isCut = false) => {
    const today = policy === "" ? {} : { [csp]: policy };
    return ofProof((await proven({ draft: "strict-hash", today, isCut, shows: () => shown })).proof);
  };
  for (const policy of ["script-src 'self'", "default-src 'self' 'nonce-abc' 'unsafe-inline'"])
    expect((await climbed(policy)).rung).toBe("strict-hash");
  const refusals = async (...given: Parameters<typeof climbed>) => (await climbed(...given)).refused.map(({ because }) => because);
  const all = ["handlers", "handlers", "handlers"];
  for (const policy of ["", "img-src 'self'", "script-src 'unsafe-inline'", "script-src 'unsafe-hashes' 'sha256-0'"])
    expect(await refusals(policy)).toEqual(all);
  // It may allow them where it was cut.
  expect(await refusals("script-src 'self'", true)).toEqual(all);
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

test("a page that the scan could not read is not visited", async () => {
  const { proof, steps } = await proven({ policy: "img-src *", unread: true });
  expect([ofProof(proof).comparison.verdict, ofProof(proof).comparison.because, steps]).toEqual(["unknown", "not-read", []]);
});

describe("a page that cannot be proven costs no further visits", () => {
  test.each<[string, Partial<Observation>, readonly string[], string]>([
    ["without a load event", { stillLoading: true }, ["baseline"], "never-settles"],
    ["whose document is too large", { unchanged: "document-too-large" }, ["baseline", "baseline"], "document-too-large"],
  ])("%s", async (_words, seen, steps, because) => {
    const shows = (_policy: string, _step: ProofStep, visit: number) => (visit === steps.length ? seen : {});
    for (const draft of [undefined, "strict-hash" as const]) {
      const { proof, steps: made } = await proven({ ...(draft === undefined ? { policy: "img-src *" } : { draft }), shows });
      expect([ofProof(proof).comparison.because, made]).toEqual([because, steps]);
    }
  });
});

test("visits of a page end when they have taken too long together", async () => {
  const visitMs = 45_000;
  const { proof, steps } = await proven({
    draft: "strict-hash",
    shows: (_policy, step) => (step === "enforce" ? { blocked: [inline] } : {}),
    visitMs,
  });
  expect([proof, steps.length]).toEqual(["timeout", Math.ceil((pageMsMax + 1) / visitMs)]);
});

test("a page that heeds its policies is told as such, and is never proven", async () => {
  const changed = { shape: shapeOf({ textChars: 10 }), hearsViolations: true };
  const enforced = await proven({ policy: "img-src *", shows: (_policy, step) => (step === "enforce" ? changed : {}) });
  expect([ofProof(enforced.proof).comparison.because, enforced.steps.filter((step) => step === "enforce").length]).toEqual(["reacts", 2]);
  const shows = (policy: string, step: ProofStep) =>
    step === "attack"
      ? { canariesPressed: policy === "" ? 2 : 0, canaries: policy === "" ? ["inline-script", "form", "base"] : ["base"] }
      : {};
  const attacked = ofProof((await proven({ policy: "img-src *", shows })).proof);
  expect([attacked.comparison.verdict, attacked.comparison.because, isProven(attacked)]).toEqual(["unknown", "reacts", false]);
  // What did not run is left out: it may run where the page stays.
  expect(attacked.canaries).toEqual([{ name: "base", outcome: "runs" }]);
});

test("injected code that runs with the policy is no proof", async () => {
  const shows = (policy: string, step: ProofStep) =>
    step === "attack" ? { canaries: policy === "" ? ["inline-script", "form"] : ["form"] } : {};
  const proof = ofProof((await proven({ policy: "default-src 'self'", shows })).proof);
  expect([
    proof.comparison.verdict,
    isProven(proof),
    proof.canaries.filter(({ outcome }) => outcome === "runs").map(({ name }) => name),
  ]).toEqual(["works", false, ["form"]]);
});

test("a page that lets no injected code run without a policy proves nothing", async () => {
  const shows = (_policy: string, step: ProofStep) => (step === "attack" ? { canaries: [] } : {});
  const proof = ofProof((await proven({ policy: "default-src 'self'", shows })).proof);
  expect([proof.comparison.verdict, proof.comparison.because, isProven(proof)]).toEqual(["unknown", "hides-code", false]);
});

test("a page that the scan could not open ends with the code of that scan", async () => {
  const scanned = { evidence: { ...evidence({}), navigation: failed("crashed") }, result, headerCharsMax: 512 };
  const plan = { policy: null, draft: "hosts", headers: [] } as const;
  const tools = { visit: async () => "timeout" as const, judge: async () => result, nonce: () => "n" };
  expect(await prove(["https://site.test/"], scanned, plan, tools)).toBe("crashed");
});

test("a document that is no HTML is not attacked", async () => {
  const { proof, steps } = await proven({ policy: "default-src 'self'", today: { "content-type": "text/plain" } });
  expect([ofProof(proof).comparison.verdict, steps]).toEqual(["works", ["baseline", "baseline", "enforce"]]);
});

describe("several pages", () => {
  type Shown = Partial<Observation> & { readonly to?: string };
  type Shows = (url: string, step: ProofStep, policy: string) => Shown | ScanErrorCode;

  async function provenOn(urls: readonly string[], given: Partial<ProofPlan>, shows: Shows = () => ({}), visitsAtOnce = 1) {
    const visits: string[] = [];
    const judged: string[] = [];
    const scanned = evidence({ url: "https://site.test/" });
    const visit = async (url: string, overrides: PageOverrides | null, step: ProofStep) => {
      visits.push(`${new URL(url).pathname} ${step}`);
      const shown = shows(url, step, fieldValue(overrides?.headers ?? [], csp) ?? "");
      if (typeof shown === "string") return shown;
      const { to = url, ...observed } = shown;
      const visited = visitOf({ ...ranIn(overrides), ...observed }, { url: to });
      return { ...visited, readings: { ...scanned, ...visited.readings } } as unknown as Visited;
    };
    const judge = async ({ subject }: Evidence) => {
      judged.push(new URL(subject.url).pathname);
      return result;
    };
    const plan = { policy: null, draft: null, headers: [], ...given };
    const tools = { visit, judge, nonce: () => "bm9uY2Vub25jZW5vbmNl", visitsAtOnce };
    return { proof: await prove(urls, { evidence: scanned, result, headerCharsMax: 512 }, plan, tools), visits, judged };
  }

  const urls = ["https://site.test/", "https://site.test/a", "https://site.test/b", "https://site.test/c", "https://site.test/d"];
  const allOf = (proof: Proof | string): Proof => {
    if (typeof proof === "string") throw new Error(proof);
    return proof;
  };
  const verdicts = (proof: Proof | string) =>
    allOf(proof).pages.map(({ url, comparison }) => `${new URL(url).pathname} ${comparison.verdict}`);

  test.each([1, 3])("get one draft, the union of what they need, with %i visits at once", async (atOnce) => {
    const image = (url: string) =>
      blockedBy({ directive: "img-src", url: `https://${new URL(url).pathname.slice(1) || "home"}.test/i.png` });
    const { proof } = await provenOn(
      urls,
      { draft: "strict-hash" },
      (url, step) => (step === "observe" ? { blocked: [{ ...image(url), reportOnly: true }] } : {}),
      atOnce,
    );
    expect(fieldValue(allOf(proof).headers, csp)).toContain("img-src 'self' a.test b.test c.test d.test home.test");
    expect(verdicts(proof)).toEqual(["/ works", "/a works", "/b works", "/c works", "/d works"]);
  });

  test("are attacked on three shapes of page", async () => {
    const shapeNamed = (name: string) => shapeOf({ elements: [{ name, count: 1 }] });
    const { proof, visits } = await provenOn(urls, { policy: "default-src 'self'" }, (url) => ({
      shape: shapeNamed({ "/": "home", "/a": "article", "/b": "article", "/c": "form" }[new URL(url).pathname] ?? "list"),
    }));
    expect(visits.filter((visit) => visit.endsWith("attack"))).toEqual(
      ["/", "/a", "/c"].flatMap((path) => Array(2).fill(`${path} attack`)),
    );
    expect(allOf(proof).pages.map(({ canaries }) => canaries.length > 0)).toEqual([true, true, false, true, false]);
  });

  test("a rung is refused if one of them breaks, and one that breaks is named", async () => {
    const shows: Shows = (url, step, policy) =>
      step === "enforce" && url.endsWith("/b") && policy.includes("'strict-dynamic'") ? { blocked: [inline] } : {};
    const climbed = allOf((await provenOn(urls, { draft: "strict-nonce" }, shows)).proof);
    expect([climbed.rung, climbed.refused.map(({ because }) => because), isProven(climbed)]).toEqual(["hosts", ["blocks"], true]);
    const { proof, visits } = await provenOn(urls, { policy: "script-src 'strict-dynamic'" }, shows);
    expect([proofVerdict(allOf(proof)), isProven(allOf(proof)), verdicts(proof)[2]]).toEqual(["blocks", false, "/b blocks"]);
    expect(visits.join()).not.toContain("attack");
  });

  test("one that cannot be visited is named, and the others are proven", async () => {
    const { proof, visits } = await provenOn(urls, { policy: "img-src *" }, (url) => (url.endsWith("/a") ? "timeout" : {}));
    expect(allOf(proof).unvisited).toEqual([{ url: "https://site.test/a", code: "timeout" }]);
    expect([verdicts(proof).length, visits.filter((visit) => visit.startsWith("/a"))]).toEqual([4, ["/a baseline"]]);
    expect((await provenOn(urls, { policy: "img-src *" }, () => "refused")).proof).toBe("refused");
  });

  test("an interruption ends all visits", async () => {
    const { proof, visits } = await provenOn(urls, { policy: "img-src *" }, (url) => (url.endsWith("/a") ? "interrupted" : {}), 2);
    expect([proof, visits.some((visit) => /^\/[cd]/.test(visit))]).toEqual(["interrupted", false]);
  });

  test("one that leads to another origin, or cannot be read, is no pass", async () => {
    const elsewhere = await provenOn(urls.slice(0, 2), { policy: "img-src *" }, (url) =>
      url.endsWith("/a") ? { to: "https://other.test/" } : {},
    );
    expect(allOf(elsewhere.proof).pages.map(({ comparison }) => comparison.because)).toEqual([null, "other-origin"]);
    expect([proofVerdict(allOf(elsewhere.proof)), isProven(allOf(elsewhere.proof))]).toEqual(["unknown", false]);
    const unread = await provenOn(urls.slice(0, 2), { draft: "hosts" }, (url) => (url.endsWith("/a") ? { shape: null } : {}));
    expect(allOf(unread.proof).pages.map(({ comparison }) => comparison.because)).toEqual([null, "not-read"]);
  });

  test("each has a score of its own, before and after", async () => {
    const { judged } = await provenOn(urls.slice(0, 2), { policy: "img-src *" });
    expect(judged).toEqual(["/", "/a", "/a"]);
  });
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
