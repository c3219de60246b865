/** Evidence with other headers, as the judge gets it for a prediction. */
import { describe, expect, test } from "vitest";
import { builtInCatalog } from "../../../src/catalog/catalog.ts";
import { type Evidence, failed } from "../../../src/evidence/evidence.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import { predictedEvidence } from "../../../src/scan/predict.ts";
import { evidence } from "../../support/evidence.ts";
import { visitOf } from "../../support/visited.ts";

const scanned = evidence({ headers: { "content-security-policy": "img-src *", "x-frame-options": "DENY", server: "x" } });
const headersOf = (from: typeof scanned) => (from.page.status === "read" ? from.page.facts.headers : []);

test("fields replace those of their name, in any case, and null takes them away", () => {
  const predicted = predictedEvidence(
    scanned,
    [
      { name: "Content-Security-Policy", value: "default-src 'self'" },
      { name: "SERVER", value: null },
    ],
    null,
  );
  const names = headersOf(predicted).map(({ name, value }) => `${name}: ${value}`);
  expect(names).toContain("Content-Security-Policy: default-src 'self'");
  expect(names).toContain("x-frame-options: DENY");
  expect(names.join("\n")).not.toMatch(/img-src|server/);
  expect({ ...predicted, page: null }).toEqual({ ...scanned, page: null } as unknown as typeof predicted & { page: null });
});

test("a value over the limit of scans is cut as there", () => {
  const [field] = headersOf(predictedEvidence(scanned, [{ name: "content-security-policy", value: "x".repeat(600) }], null)).slice(-1);
  expect(field).toEqual({ name: "content-security-policy", value: "x".repeat(512), truncated: true });
});

test("the document is that of the visit, if all of it was read", () => {
  const { dom } = visitOf().readings;
  const { markup, requests, scripts, scriptLibraries } = scanned;
  const enforced = { dom, markup, requests, scripts, scriptLibraries };
  expect(predictedEvidence(scanned, [], enforced).dom).toBe(dom);
  expect(predictedEvidence(scanned, [], { ...enforced, markup: failed("timeout") }).dom).toBe(scanned.dom);
});

test("a page that was not read stays unread", () => {
  const unread = { ...scanned, page: failed("timeout") };
  expect(predictedEvidence(unread, [{ name: "x-frame-options", value: "DENY" }], null)).toBe(unread);
});

describe("the score of the lines", () => {
  const catalog = builtInCatalog();
  const judged = (given: Evidence) => performJudge({ evidence: given, hung: [] }, catalog, () => {});
  const withPolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'";

  test("is what the judge says of the page with these headers", () => {
    const bare = evidence({ headers: { "x-powered-by": "PHP/5.2", "x-frame-options": "ALLOWALL" } });
    const { result, lines } = judged(bare);
    expect(lines?.codes).toContain("security.missing-header.content-security-policy");
    expect(lines?.codes).toContain("security.disclosure.x-powered-by");
    expect(lines?.score).toBeGreaterThan((result.score ?? 100) + 20);
    // The sent headers as a server would send them: the same score, by an ordinary scan.
    const sent = {
      "content-security-policy": `${withPolicy}; frame-ancestors 'self'`,
      "x-frame-options": "SAMEORIGIN",
      "strict-transport-security": "max-age=31536000; includeSubDomains",
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
      "cross-origin-opener-policy": "same-origin",
    };
    const left = judged(evidence({ headers: sent })).result.findings.map(({ code }) => code);
    expect(left.filter((code) => lines?.codes.includes(code))).toEqual([]);
  });

  test("keeps a policy to which the lines add one, also one that was cut", () => {
    const long = evidence({ headers: { "content-security-policy": "script-src 'self'; img-src https://a.example" } });
    const cut = predictedEvidence(
      long,
      [{ name: "content-security-policy", value: `script-src 'self'; img-src ${"x".repeat(600)}` }],
      null,
    );
    expect(judged(cut).result.ledger.find(({ key }) => key === "content-security-policy")?.notCheckedBecause).toBe("header-truncated");
    const { lines } = judged(cut);
    expect(lines?.score).toBeLessThanOrEqual(79);
    const { lines: added, result } = judged(
      evidence({ headers: { "content-security-policy": "script-src 'nonce-abcdefghijklmnopqrstuv'" } }),
    );
    expect(added?.codes).toContain("security.csp.base-uri-missing");
    expect(added?.score).toBeGreaterThan(result.score ?? 100);
  });

  test("leaves findings out that no header repairs, and those without points", () => {
    const { lines, result } = judged(evidence({ headers: { "set-cookie": "session=1" } }));
    const charging = result.ledger.filter(({ weight }) => weight !== 0).map(({ key }) => key);
    const counted = result.findings.filter(({ code }) => lines?.codes.includes(code));
    expect(counted.filter(({ checkKey }) => !charging.includes(checkKey))).toEqual([]);
    expect(counted.filter(({ code }) => code.startsWith("security.cookie"))).toEqual([]);
  });

  test("is unknown for a page over plain http, without a score, and for a page that was not read", () => {
    const bare = evidence();
    const navigation = bare.navigation.status === "read" ? { ...bare.navigation.facts, finalUrl: "http://www.example.com/" } : null;
    expect(navigation).not.toBeNull();
    const plain = { ...bare, navigation: { status: "read", facts: navigation } } as Evidence;
    expect(judged(plain).lines).toBeNull();
    const { result, lines } = judged({ ...bare, page: failed("timeout") });
    expect([result.score, lines]).toEqual([null, null]);
  });
});
