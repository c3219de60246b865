/** `assay checks try` and `assay evidence show` on files: what they print, and how faults are named. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { read } from "../../../src/evidence/evidence.ts";
import { type EvidenceGiven, evidence } from "../../support/evidence.ts";
import { runInProcess } from "../../support/program.ts";
import { pluginCode, removeScaffoldedPlugins, type ScaffoldedPlugin, scaffoldedPlugin } from "../../support/scaffolded-plugin.ts";

afterAll(removeScaffoldedPlugins);

const check = "acme-build.ts";
/** Control characters except the line feed, and a bidirectional override. */
const controls = /[^\P{Cc}\n]|\u202e/u;

function withEvidence(
  plugin: ScaffoldedPlugin,
  given: EvidenceGiven,
  wrap: (captured: unknown) => unknown = (captured) => captured,
): string {
  const file = join(plugin.folder, "captured.json");
  writeFileSync(file, JSON.stringify(wrap(evidence(given))));
  return file;
}

async function tried(plugin: ScaffoldedPlugin, file: string) {
  return runInProcess(["checks", "try", join(plugin.folder, check), file]);
}

describe("a verdict", () => {
  test("passed: with the value of the header", async () => {
    const plugin = scaffoldedPlugin();
    const { code, stdout, stderr } = await tried(plugin, withEvidence(plugin, { headers: { "x-acme-build": "1.2\u202e\u001b[31m" } }));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "acme-build on https://site.example/, scanned at 2026-11-21T12:00:00.000Z",
      "passed",
      "  page: read",
      '  header x-acme-build: "1.2?\\u001b[31m"',
      "",
    ]);
  });

  test("violated: with values, texts in both languages and lines for servers, also of a full report", async () => {
    const plugin = scaffoldedPlugin();
    plugin.edit(check, `violated("${pluginCode}")`, `violated("${pluginCode}", { status: 7 })`);
    plugin.edit(check, /what was found on \{\{host\}\}/g, "{{host}} answers {{status}}");
    const { code, stdout } = await tried(
      plugin,
      withEvidence(plugin, {}, (captured) => ({ token: "t", evidence: captured })),
    );
    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines.slice(1, 8)).toEqual([
      "violated, charges 1 point",
      "  page: read",
      "  header x-acme-build: not sent",
      "",
      `${pluginCode}: severity info, risk low, effort low`,
      "  values",
      "    status = 7",
    ]);
    expect(lines.filter((line) => line.includes("site.example answers 7"))).toHaveLength(2);
    expect(lines.filter((line) => /^ {2}(en-gb|de-de)$/.test(line))).toEqual(["  en-gb", "  de-de"]);
    expect(stdout).toContain('    nginx: add_header X-Acme-Build "value" always;');
  });

  test.each<[string, string, string, EvidenceGiven]>([
    ["a failed reading", "", "notChecked: the reading page failed (timeout), so judge was not called", { page: "timeout" }],
    ["judge itself", "return notChecked();", "notChecked: judge returned notChecked()", {}],
    ["judge that it does not apply", "return notApplicable();", "notApplicable: judge returned notApplicable()", {}],
  ])("by %s", async (_words, code, line, given) => {
    const plugin = scaffoldedPlugin();
    plugin.edit(check, "import { passed,", "import { notApplicable, notChecked, passed,");
    if (code !== "") plugin.edit(check, "    const [value]", `    ${code}\n    const [value]`);
    const { stdout } = await tried(plugin, withEvidence(plugin, given));
    expect(stdout.split("\n")[1]).toBe(line);
  });

  test("by a header that was cut", async () => {
    const plugin = scaffoldedPlugin();
    const file = withEvidence(plugin, {}, (captured) => {
      const { page, ...others } = captured as ReturnType<typeof evidence>;
      if (page.status === "failed") throw new Error("read");
      return { ...others, page: read({ ...page.facts, headers: [{ name: "X-Acme-Build", value: "1", truncated: true }] }) };
    });
    const { stdout } = await tried(plugin, file);
    expect(stdout.split("\n")[1]).toBe("notChecked: a header of `headers` is longer than the limit, so judge was not called");
    expect(stdout).toContain('header x-acme-build: "1" (cut at the limit)');
  });

  test("by a condition that the page does not meet", async () => {
    const plugin = scaffoldedPlugin();
    plugin.edit(check, 'area: "headers",', 'area: "headers",\n  appliesTo: ["public-name"],');
    const { stdout } = await tried(plugin, withEvidence(plugin, { registrableDomain: null }));
    expect(stdout.split("\n")[1]).toBe("notApplicable: the page does not meet appliesTo (public-name)");
  });

  test("of a built-in check, by its key", async () => {
    const plugin = scaffoldedPlugin();
    const { code, stdout } = await runInProcess(["checks", "try", "x-content-type-options", withEvidence(plugin, {})]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^x-content-type-options on [\s\S]*violated[\s\S]*nosniff/)]);
  });

  test("of a plugin, by its key in the folder of checks.dir", async () => {
    const plugin = scaffoldedPlugin();
    const { code, stdout } = await runInProcess(["checks", "try", "acme-build", withEvidence(plugin, {}), "--checks-dir", plugin.folder]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("acme-build on https://site.example/")]);
  });
});

describe("a fault is named with its line:", () => {
  test.each<[string, string | RegExp, string, number, RegExp]>([
    ["an exception of judge", "    const [value]", "    null.x;\n    const [value]", 1, /acme-build\.ts:17:\d+: null is not an object/],
    [
      "a verdict that is none",
      "return value ===",
      "return 7 as any; value ===",
      1,
      /acme-build\.ts:16:3: judge returned 7 instead of a verdict/,
    ],
    [
      "a change of the evidence",
      "judge({ headers }) {",
      "judge({ headers, page }) {\n    (page as any).status = 1;",
      1,
      /acme-build\.ts:17:\d+: .*readonly property/,
    ],
    ["an async judge", "judge(", "async judge(", 1, /acme-build\.ts:16:\d+: judge is async, but must return its verdict at once/],
    ["an unknown key", "area:", "aria:", 1, /acme-build\.ts:7:3: unknown key aria: did you mean area\?/],
    ["declarations that are no JSON", "weight: 1", "weight: 1n", 2, /acme-build\.ts.*BigInt/],
    ["texts that are no text", 'reason: "', 'reason: (() => 1) as any, other: "', 1, /acme-build\.ts:\d+:\d+: en-gb: no reason/],
    ["a missing language", '"de-de": {', '"fr-fr": {', 1, /no texts for de-de/],
    ["a syntax error", "judge(", "judge((", 2, /acme-build\.ts:16:9: Expected identifier/],
  ])("%s", async (_words, from, to, exitCode, message) => {
    const plugin = scaffoldedPlugin();
    plugin.edit(check, from, to);
    const { code, stderr } = await tried(plugin, withEvidence(plugin, {}));
    expect([code, stderr]).toEqual([exitCode, expect.stringMatching(message)]);
  });

  test.each([
    ["content-security-polcy", /there is no check content-security-polcy.*did you mean content-security-policy\?/],
    ["nothing\u001b[31m", /there is no check nothing\?\[31m, as a file or as a key/],
  ])("no check %j", async (name, message) => {
    const { code, stderr } = await runInProcess(["checks", "try", name, "captured.json"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test("evidence that is not there", async () => {
    const plugin = scaffoldedPlugin();
    const { code, stderr } = await tried(plugin, "/nothing/captured.json");
    expect([code, stderr]).toEqual([2, "assay: /nothing/captured.json does not exist\n"]);
  });
});

describe("evidence show", () => {
  test("prints readings, failures and headers without control characters", async () => {
    const plugin = scaffoldedPlugin();
    const file = withEvidence(plugin, { tls: "timeout", headers: { "x-evil": "a\u001b]0;b\u0007\u202ec" }, dom: { title: "\u001b[2J" } });
    const { code, stdout, stderr } = await runInProcess(["evidence", "show", file]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^tls +failed: timeout$/m);
    expect(stdout).toMatch(/^mailMx +read +domain site\.example, nameExists true$/m);
    expect(stdout).toContain("Headers of the page: 1\n  x-evil: a?]0;b??c\n");
    expect(stdout).not.toMatch(controls);
  });

  test("prints one reading as JSON, with the name that was meant for another", async () => {
    const plugin = scaffoldedPlugin();
    const file = withEvidence(plugin, { dom: { title: "\u001b[2J\u202e" }, dnssec: "unsupported" });
    const dom = await runInProcess(["evidence", "show", file, "--reading", "dom"]);
    expect(JSON.parse(dom.stdout)).toMatchObject({ title: "\u001b[2J\u202e" });
    expect(dom.stdout).not.toMatch(controls);
    expect((await runInProcess(["evidence", "show", file, "--reading", "dnssec"])).stdout).toBe("failed: unsupported\n");
    const wrong = await runInProcess(["evidence", "show", file, "--reading", "tlls"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, 'assay: there is no reading "tlls"; did you mean tls?\n']);
  });

  test.each([
    ["page", { headers: [{ name: "x-a", value: "1", truncated: false }, null] }],
    ["page", {}],
    ["navigation", { hops: [] }],
    ["tls", null],
  ])("refuses a malformed reading %s: %j", async (name, facts) => {
    const plugin = scaffoldedPlugin();
    const file = withEvidence(plugin, {}, (captured) => ({ ...(captured as object), [name]: { status: "read", facts } }));
    const refused = { code: 2, stdout: "", stderr: `assay: ${file} holds evidence with a malformed reading, ${name}\n` };
    expect(await runInProcess(["evidence", "show", file])).toEqual(refused);
    expect(await tried(plugin, file)).toEqual(refused);
    expect(await runInProcess(["checks", "try", "content-security-policy", file])).toEqual(refused);
  });

  test("refuses a folder", async () => {
    const { folder } = scaffoldedPlugin();
    expect((await runInProcess(["evidence", "show", folder])).stderr).toBe(`assay: ${folder} cannot be read (EISDIR)\n`);
  });
});
