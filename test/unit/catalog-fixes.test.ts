/** Fixes of plugins, which nothing else checks: what is wrong is named, with the code of the finding. */
import { expect, test } from "vitest";
import { builtInChecks } from "../../checks/index.ts";
import { faultsOfFixes } from "../../src/catalog/validate.ts";
import { fixesByCode } from "../../src/check/check.ts";
import * as fixes from "../../src/check/index.ts";
import type { AnyCheck } from "../../src/check/registry.ts";

const code = "security.own.fault";
const findings: AnyCheck["findings"] = { [code]: { severity: "low", riskLevel: "low", effort: "low" } };

function faultsOf(given: unknown): readonly string[] {
  return faultsOfFixes({ findings, fixes: given as NonNullable<AnyCheck["fixes"]> }).map(({ reason }) => reason);
}

test("the fixes of every built-in check are valid", () => {
  expect(builtInChecks.flatMap((check) => faultsOfFixes(check))).toEqual([]);
});

test("every function of assay/check makes a valid fix", () => {
  const all = [
    fixes.setHeader("X-A", "a"),
    fixes.replaceHeader("X-A", "a", { optional: true }),
    fixes.removeHeader("X-A"),
    fixes.sendPolicy("object-src 'none'", "weak", { cures: false }),
    fixes.newPolicyNeeded,
    fixes.newPolicyCures,
    fixes.addToCookies("all", "Secure"),
    fixes.addToCookies({ names: "{{names}}" }, "HttpOnly", "SameSite=Lax"),
    fixes.redirectToHttps,
    fixes.useCertificate("{{host}}", "listen"),
    fixes.modernProtocols,
    fixes.modernCiphers,
    fixes.modernCurves,
    fixes.declareCharset,
    fixes.hideServerVersion,
    fixes.noDirectoryListing,
    fixes.forwardScheme,
    fixes.redirectPath("/a", "/b"),
    fixes.setPathType("/a", "text/plain"),
  ];
  expect(faultsOf({ [code]: all })).toEqual([]);
  expect(faultsOf({ [code]: [fixes.serveTextFile("/a", "/var/a")] })).toEqual([]);
});

test("one list of fixes belongs to every finding", () => {
  const declared = { findings: { ...findings, "security.own.other": findings[code] }, fixes: [fixes.declareCharset] };
  expect(fixesByCode(declared as Pick<AnyCheck, "findings" | "fixes">)).toEqual({
    [code]: [fixes.declareCharset],
    "security.own.other": [fixes.declareCharset],
  });
  expect(faultsOf([fixes.declareCharset])).toEqual([]);
});

test.each([
  ["no object", "none", "fixes is not an object"],
  ["another code", { "security.own.other": [] }, 'fixes name "security.own.other", which the check does not declare'],
  ["one list with a text", ["nginx: x"], `fixes of "${code}" contain "nginx: x"; use the functions of assay/check`],
  ["no list", { [code]: fixes.declareCharset }, `fixes of "${code}" are not a list of at most 20`],
  ["too many", { [code]: Array(21).fill(fixes.declareCharset) }, `fixes of "${code}" are not a list of at most 20`],
  ["a text", { [code]: ["nginx: x"] }, `fixes of "${code}" contain "nginx: x"; use the functions of assay/check`],
  ["null", { [code]: [null] }, `fixes of "${code}" contain null; use the functions of assay/check`],
  [
    "an unknown kind",
    { [code]: [{ kind: "__proto__" }] },
    `fixes of "${code}" contain {"kind":"__proto__"}; use the functions of assay/check`,
  ],
  [
    "a header without value",
    { [code]: [{ kind: "header", name: "X-A", replaces: true, optional: false }] },
    `fixes of "${code}": value of "header" is undefined`,
  ],
  [
    "an unknown attribute",
    { [code]: [{ kind: "cookie", cookies: "all", attributes: ["Evil"] }] },
    `fixes of "${code}": attributes of "cookie" is ["Evil"]`,
  ],
  ["cookies without names", { [code]: [{ kind: "cookie", cookies: {}, attributes: [] }] }, `fixes of "${code}": cookies of "cookie" is {}`],
])("%s is named", (_words, given, fault) => expect(faultsOf(given)).toEqual([fault]));
