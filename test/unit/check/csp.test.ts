/** Enforced policies, and the property that an additional policy never weakens the result. */
import fc from "fast-check";
import { expect, test } from "vitest";
import contentSecurityPolicy from "../../../checks/content-security-policy.ts";
import baseUri from "../../../checks/csp-base-uri.ts";
import bypassableHosts from "../../../checks/csp-bypassable-hosts.ts";
import formAction from "../../../checks/csp-form-action.ts";
import objectSrc from "../../../checks/csp-object-src.ts";
import scriptEval from "../../../checks/csp-script-eval.ts";
import scriptInline from "../../../checks/csp-script-inline.ts";
import scriptSources from "../../../checks/csp-script-sources.ts";
import styleInline from "../../../checks/csp-style-inline.ts";
import { enforcedCsp } from "../../../src/check/csp.ts";
import type { AnyCheck } from "../../../src/check/registry.ts";
import { failed, read } from "../../../src/evidence/evidence.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { evidence } from "../../support/evidence.ts";

const empty = { metas: [], metasDropped: 0, subresources: [], subresourcesDropped: 0, forms: [], formsDropped: 0, title: "" };
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });
const names = (csp: ReturnType<typeof enforcedCsp>) => csp.policies.map((policy) => [...policy.keys()]);

test("header fields come first, then meta elements without directives ignored there", () => {
  const csp = enforcedCsp(["img-src a"], read({ ...empty, metas: [meta("script-src b; frame-ancestors c; report-uri d; sandbox")] }));
  expect(names(csp)).toEqual([["img-src"], ["script-src"]]);
  expect(csp.complete).toBe(true);
});

test("a policy without restrictions is listed separately", () => {
  const csp = enforcedCsp(["report-uri /r, img-src a"], read(empty));
  expect(names(csp)).toEqual([["img-src"]]);
  expect(csp.idle.map((policy) => [...policy.keys()])).toEqual([["report-uri"]]);
});

test("an unread or partly read document makes the result incomplete", () => {
  expect(enforcedCsp([], failed("crashed")).complete).toBe(false);
  expect(enforcedCsp([], read({ ...empty, metasDropped: 1 })).complete).toBe(false);
  const cut = enforcedCsp([], read({ ...empty, metas: [meta("script-src a", true)] }));
  expect(cut).toEqual({ policies: [], idle: [], complete: false });
});

const source = fc.constantFrom(
  "'self'",
  "'none'",
  "'unsafe-inline'",
  "'nonce-abc'",
  "'strict-dynamic'",
  "*",
  "https:",
  "data:",
  "blob:",
  "*.com",
  "http://a.example",
  "api.vk.com",
  "'unsafe-eval'",
  "'sha256-abc'",
);
const directive = fc
  .tuple(
    fc.constantFrom(
      "script-src",
      "script-src-elem",
      "script-src-attr",
      "style-src",
      "default-src",
      "img-src",
      "object-src",
      "base-uri",
      "form-action",
      "upgrade-insecure-requests",
      "sandbox",
      "report-uri",
    ),
    fc.array(source, { maxLength: 4 }),
  )
  .map(([name, sources]) => [name, ...sources].join(" "));
const policy = fc.array(directive, { maxLength: 4 }).map((directives) => directives.join("; "));

const forms = [{ action: "https://site.example/login", method: "post" }];
/** With 'strict-dynamic' in the additional policy, hosts are not evaluated. */
const fine: readonly unknown[] = ["passed", "notApplicable"];

test.each<[string, AnyCheck]>([
  ["content-security-policy", contentSecurityPolicy],
  ["csp-base-uri", baseUri],
  ["csp-bypassable-hosts", bypassableHosts],
  ["csp-form-action", formAction],
  ["csp-object-src", objectSrc],
  ["csp-script-eval", scriptEval],
  ["csp-script-inline", scriptInline],
  ["csp-script-sources", scriptSources],
  ["csp-style-inline", styleInline],
])("%s: a pass stays a pass with one more policy in any position", (_key, check) => {
  const stateOf = (fields: readonly string[], inMeta: readonly string[]) =>
    judgeEvidence(
      evidence({ headers: { "content-security-policy": fields }, dom: { forms, metas: inMeta.map((content) => meta(content)) } }),
      { checks: [check], version: "test" },
      (_checkKey, fault) => expect(fault).toBe(""),
    ).ledger[0]?.state;
  fc.assert(
    fc.property(fc.array(policy, { maxLength: 3 }), policy, (policies, more) => {
      if (stateOf(policies, []) !== "passed") return;
      expect(fine).toContain(stateOf([more, ...policies], []));
      expect(fine).toContain(stateOf([[more, ...policies].join(", ")], []));
      expect(fine).toContain(stateOf(policies, [more]));
    }),
  );
});
