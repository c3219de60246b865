/** A single improvement of a site never lowers its score, and a single worsening never raises it. Pairs with a cut header are left out. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomRuns } from "../../../support/random-runs.ts";
import { remediationOf } from "../../../support/remediations.ts";
import { anySite, flawlessSite, soundHeaders } from "./any-site.ts";
import { improvementsOf, worseningsOf } from "./changes.ts";
import { pastedChanges, withLines } from "./pasted.ts";
import { withPolicy } from "./policies.ts";
import { servers } from "./server-lines.ts";
import { type Headers, host, type Site } from "./site.ts";
import { breachOf, judgedSite, pairOf } from "./site-law.ts";

const pairs = randomRuns(500);

const scoreOf = (site: Site): number => judgedSite(site).score ?? Number.NaN;
const withHeaders = (headers: Headers): Site => ({ ...flawlessSite, headers: { ...flawlessSite.headers, ...headers } });
const without = (...names: readonly string[]): Site => ({
  ...flawlessSite,
  headers: Object.fromEntries(Object.entries(soundHeaders).filter(([name]) => !names.includes(name))),
});
const bare = without(...Object.keys(soundHeaders).filter((name) => name !== "content-type"));

test("the modelled site without a fault scores 100", () => {
  const { findings, score } = judgedSite(flawlessSite);
  expect(findings).toEqual([]);
  expect(score).toBe(100);
});

test(`${pairs} pairs of sites keep the law`, () => {
  fc.assert(
    fc.property(anySite, fc.nat({ max: 10_000 }), (site, choice) => {
      expect(breachOf(pairOf(site, choice))).toBeNull();
    }),
    { numRuns: pairs },
  );
});

test("every change of the flawless and of the bare site keeps the law", () => {
  for (const site of [flawlessSite, bare]) {
    const count = improvementsOf(site).length + pastedChanges(site, judgedSite(site).findings).length + worseningsOf(site).length;
    for (let choice = 0; choice < count; choice++) expect(breachOf(pairOf(site, choice))).toBeNull();
  }
});

describe("cases from real scans", () => {
  test.each<[string, Site, Site]>([
    ["max-age=0 is no better than no header", bare, { ...bare, headers: { ...bare.headers, "strict-transport-security": ["max-age=0"] } }],
    ["upgrade-insecure-requests alone", bare, withPolicy(bare, "upgrade-insecure-requests")],
    ...servers.map((server): [string, Site, Site] => [
      `the remediation on framing for ${server}`,
      bare,
      withLines(bare, server, linesOf("security.missing-header.x-frame-options")),
    ]),
    [
      "Report-Only first, as the remediation advises",
      bare,
      { ...bare, headers: { ...bare.headers, "content-security-policy-report-only": ["default-src 'self'"] } },
    ],
    [
      "everything but a policy, plus frame-ancestors",
      without("content-security-policy"),
      withHeaders({ "content-security-policy": ["frame-ancestors 'self'"] }),
    ],
  ])("%s", (_words, before, after) => {
    expect(scoreOf(after)).toBeGreaterThanOrEqual(scoreOf(before));
  });

  test("max-age=0 costs what a missing header costs", () => {
    const disabled = withHeaders({ "strict-transport-security": ["max-age=0"] });
    expect(scoreOf(disabled)).toBe(scoreOf(without("strict-transport-security")));
  });
});

describe("the lines of a remediation", () => {
  const weak: Site = {
    ...bare,
    headers: { ...bare.headers, "x-frame-options": ["ALLOW-FROM https://a.example"], "x-powered-by": ["PHP/5.4.1"] },
    cookies: [{ name: "sid", attributes: ["Path=/"] }],
  };
  test.each([...servers])("of %s change what they are about", (server) => {
    const state = (site: Site, key: string) => judgedSite(site).ledger.find((row) => row.key === key)?.state;
    for (const [code, key] of [
      ["security.invalid-header.x-frame-options", "x-frame-options"],
      ["security.missing-header.content-security-policy", "content-security-policy"],
      ["security.missing-header.strict-transport-security", "strict-transport-security"],
      ["security.disclosure.x-powered-by", "information-disclosure"],
      ["security.cookie.missing-secure", "cookie-secure"],
      ["security.cookie.missing-httponly", "cookie-httponly"],
      ["security.cookie.missing-samesite", "cookie-samesite"],
    ] as const) {
      expect([key, state(weak, key)]).toEqual([key, "violated"]);
      expect([key, state(withLines(weak, server, linesOf(code)), key)]).toEqual([key, "passed"]);
    }
  });
});

function linesOf(code: string): readonly string[] {
  return remediationOf(code, { host, names: "sid" }).split("\n").slice(1);
}
