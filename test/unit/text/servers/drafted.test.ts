/** Lines with the policy that a scan drafted: first one that only reports, then the same enforced. */
import { describe, expect, test } from "vitest";
import * as fixes from "../../../../src/check/fix.ts";
import { draftedFixes, type PolicyStage } from "../../../../src/text/servers/drafted.ts";
import { configurationFor, headerChangesFor, linesFor, type ServerName, serverNames } from "../../../../src/text/servers/server-lines.ts";

const policy =
  "default-src 'self'; script-src 'self' cdn.example; object-src 'none'; base-uri 'none'; form-action 'self' pay.example; frame-ancestors 'self'";
const missing = fixes.sendPolicy(fixes.ownFilesPolicy, "none");
const framing = [fixes.setHeader("X-Frame-Options", "SAMEORIGIN"), fixes.sendPolicy("frame-ancestors 'self'")];

/** One finding for each list of fixes. */
function configuration(server: ServerName, stage: PolicyStage, ...findings: readonly (readonly fixes.Fix[])[]) {
  const items = findings.map((each, at) => ({ code: String(at), fixes: draftedFixes(each, { policy }), values: {} }));
  return configurationFor(server, items, (note) => `(${note})`, stage);
}

describe.each(serverNames)("%s", (server) => {
  test("reports first, beside the lines that break nothing", () => {
    const { text, left } = configuration(server, "reported", [missing], framing);
    expect(left).toEqual([]);
    expect(text).toContain("Content-Security-Policy-Report-Only");
    expect(text).toContain("(policyReports)");
    expect(text.replaceAll("Content-Security-Policy-Report-Only", "")).not.toMatch(/Content-Security-Policy["':=\s][^\n]*default-src/);
    expect(text).toMatch(/SAMEORIGIN|sameorigin/);
  });

  test("enforces the same policy afterwards", () => {
    const { text, codes } = configuration(server, "enforced", [missing], framing);
    expect(codes).toEqual(["0", "1"]);
    expect(text).not.toContain("Report-Only");
    for (const host of ["cdn.example", "pay.example"]) expect(text).toContain(host);
  });

  test("has a line of the finding that only reports", () => {
    expect(linesFor(server, draftedFixes([missing], { policy }), {})).toContain("Content-Security-Policy-Report-Only");
  });
});

test("a weak policy of the site stays while the draft reports, and gives way to the draft alone", () => {
  const weak = [fixes.sendPolicy("script-src 'self'", "weak")];
  const faulty = [fixes.newPolicyCures];
  const { text } = configuration("nginx", "reported", weak, faulty);
  expect(text).not.toContain("proxy_hide_header");
  expect(text).toContain(`add_header Content-Security-Policy-Report-Only "${policy}" always;`);
  const enforced = configuration("nginx", "enforced", weak, faulty);
  expect(enforced.codes).toEqual(["0", "1"]);
  expect(enforced.text).toContain(`proxy_hide_header Content-Security-Policy;`);
  expect(enforced.text).toContain(`add_header Content-Security-Policy "${policy}" always;`);
  expect(configuration("nginx", "enforced", [fixes.newPolicyNeeded]).text).toContain(
    `add_header Content-Security-Policy "${policy}" always;`,
  );
});

test("forms may send where the page sends them, also by a policy beside that of the site", () => {
  const { text } = configuration("nginx", "reported", [fixes.sendPolicy("form-action 'self'")]);
  expect(text).toContain(`add_header Content-Security-Policy "form-action 'self' pay.example" always;`);
});

test("the predicted headers are the enforced ones", () => {
  const drafted = { code: "0", fixes: draftedFixes([missing], { policy }), values: {} };
  expect(headerChangesFor([drafted]).changes).toEqual([{ name: "Content-Security-Policy", value: policy, added: false }]);
});

test("without a draft nothing changes", () => {
  expect(draftedFixes([missing, ...framing], null)).toEqual([missing, ...framing]);
});
