/** The types that `assay checks new` writes: the scaffolded folder compiles without other types, and wrong checks do not. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { scaffoldPlugin } from "../../../src/authoring/scaffold-plugin.ts";
import { evidence } from "../../support/evidence.ts";

const tsc = resolve(import.meta.dirname, "../../../node_modules/.bin/tsc");
const check = { key: "acme-build", header: "X-Acme-Build" };
const code = "security.missing-header.acme-build";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Output of the compiler for a scaffolded folder with these edits. The folder has no node_modules. */
function compiled(...edits: readonly Edit[]): { readonly exitCode: number; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), "assay-plugin-types-test-"));
  folders.push(folder);
  for (const { name, text } of scaffoldPlugin(check, evidence())) {
    const wanted = edits.filter(({ file }) => file === name);
    for (const { from } of wanted) if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
    writeFileSync(
      join(folder, name),
      wanted.reduce((edited, { from, to }) => edited.replace(from, () => to), text),
    );
  }
  const { exitCode, stdout } = Bun.spawnSync([tsc, "-p", folder, "--noEmit", "--strict"], { cwd: folder });
  return { exitCode, output: stdout.toString() };
}

const inCheck = (from: string, to: string): Edit => ({ file: "acme-build.ts", from, to });
const inTest = (from: string, to: string): Edit => ({ file: "acme-build.test.ts", from, to });

test("the scaffolded folder compiles", () => {
  expect(compiled()).toEqual({ exitCode: 0, output: "" });
});

test("a check may read everything that the plugin API offers", () => {
  const judge = `judge({ headers, page, tls, dnssec, subject }) {
    const [field] = valuesNamed(page.headers, "x-acme-build");
    if (tls.negotiated.protocol === "TLSv1" && dnssec.status === "failed") return notChecked();
    if (hostOf(subject.url) === null) return notApplicable();
    if (field !== undefined) return violated("${code}", { field });`;
  const edits = [
    inCheck("import { passed,", 'import { hostOf, valuesNamed } from "assay/check/parsers";\nimport { notApplicable, notChecked, passed,'),
    inCheck('reads: ["page"]', 'reads: ["page", "tls"], consults: ["dnssec"]'),
    inCheck("judge({ headers }) {", judge),
  ];
  expect(compiled(...edits)).toEqual({ exitCode: 0, output: "" });
});

describe("does not compile:", () => {
  test.each<[string, readonly Edit[], RegExp]>([
    [
      "an undeclared code",
      [inCheck(`violated("${code}")`, 'violated("security.acme.other")')],
      /acme-build\.ts\(\d+,\d+\).*security\.acme\.other/,
    ],
    [
      "a reading that is not in reads",
      [inCheck("judge({ headers })", "judge({ headers, tls })")],
      /acme-build\.ts\(16,20\): error TS2339: Property 'tls' does not exist/,
    ],
    ["a header that is not declared", [inCheck('headers["x-acme-build"]', 'headers["x-other"]')], /Property 'x-other' does not exist/],
    ["a reading that does not exist", [inCheck('reads: ["page"]', 'reads: ["pages"]')], /Type '"pages"' is not assignable/],
    ["a severity that does not exist", [inCheck('severity: "info"', 'severity: "severe"')], /Type '"severe"' is not assignable/],
    ["texts in one language", [inCheck('"de-de": {', '"fr-fr": {')], /'"fr-fr"' does not exist in type/],
    [
      "a finding without a case",
      [inCheck("findings: {\n", 'findings: {\n    "security.acme.second": { severity: "low", riskLevel: "low", effort: "low" },\n')],
      /acme-build\.test\.ts\(\d+,\d+\): error TS2741: Property '"security\.acme\.second"' is missing/,
    ],
    ["a case of another check", [inTest(`"${code}": [`, '"security.acme.other": [')], /'"security\.acme\.other"' does not exist in type/],
    [
      "a finding with an empty list of cases",
      [inTest('["no header", {}],\n      ["captured", evidenceFile("violated.json")],', "")],
      /TS2322/,
    ],
    [
      "an internal function",
      [inCheck("import { passed,", "import { closeRegistry, passed,")],
      /has no exported member named 'closeRegistry'|has no exported member 'closeRegistry'/,
    ],
  ])("%s", (_words, edits, message) => {
    const { exitCode, output } = compiled(...edits);
    expect(output).toMatch(message);
    expect(exitCode).not.toBe(0);
  });
});
