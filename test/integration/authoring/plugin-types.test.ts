/** The types that `assay checks new` writes: the scaffolded folder compiles without other types, and wrong checks do not. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scaffoldPlugin } from "../../../src/authoring/scaffold-plugin.ts";
import { evidence } from "../../support/evidence.ts";

const tsc = resolve(import.meta.dirname, "../../../node_modules/.bin/tsc");
const check = { key: "acme-build", header: "X-Acme-Build" };
const code = "security.missing-header.acme-build";

const place = mkdtempSync(join(tmpdir(), "assay-plugin-types-test-"));
const folders: string[] = [];
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Writes the files of a scaffold with these edits into a new folder, which has no node_modules. Returns its name. */
function folderWith(edits: readonly Edit[], without: readonly string[] = []): string {
  const name = `folder-${folders.length}`;
  folders.push(name);
  mkdirSync(join(place, name));
  for (const { name: file, text } of scaffoldPlugin(check, evidence())) {
    if (without.includes(file)) continue;
    const wanted = edits.filter((edit) => edit.file === file);
    for (const { from } of wanted) if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    writeFileSync(
      join(place, name, file),
      wanted.reduce((edited, { from, to }) => edited.replace(from, () => to), text),
    );
  }
  return name;
}

/** Output of the compiler. */
function compiled(project: string): { readonly exitCode: number; readonly output: string } {
  const { exitCode, stdout } = Bun.spawnSync([tsc, "-p", project, "--noEmit", "--strict"], { cwd: project });
  return { exitCode, output: stdout.toString() };
}

/** Messages by folder, with the lines that explain them. */
function messagesByFolder(output: string): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  let folder = "";
  for (const line of output.split("\n").filter((each) => each !== "")) {
    const [, named, message] = /^(folder-\d+)\/(.*)$/.exec(line) ?? [];
    folder = named ?? folder;
    messages.set(folder, `${messages.get(folder) ?? ""}${message ?? line}\n`);
  }
  return messages;
}

const inCheck = (from: string, to: string): Edit => ({ file: "acme-build.ts", from, to });
const inTest = (from: string, to: string): Edit => ({ file: "acme-build.test.ts", from, to });

test("the scaffolded folder compiles", () => {
  expect(compiled(join(place, folderWith([])))).toEqual({ exitCode: 0, output: "" });
});

/** Checked by one run of the compiler, which takes most of its time for its own types. They share the types of the plugin API. */
const shared = { types: "assay-check.d.ts", project: "tsconfig.json" };

function everythingRead(): readonly Edit[] {
  const judge = `judge({ headers, page, tls, dnssec, subject }) {
    const [field] = valuesNamed(page.headers, "x-acme-build");
    if (tls.negotiated.protocol === "TLSv1" && dnssec.status === "failed") return notChecked();
    if (hostOf(subject.url) === null) return notApplicable();
    if (field !== undefined) return violated("${code}", { field });`;
  return [
    inCheck("import { passed,", 'import { hostOf, valuesNamed } from "assay/check/parsers";\nimport { notApplicable, notChecked, passed,'),
    inCheck('reads: ["page"]', 'reads: ["page", "tls"], consults: ["dnssec"]'),
    inCheck("judge({ headers }) {", judge),
  ];
}

const wrong: readonly (readonly [words: string, edits: readonly Edit[], message: RegExp])[] = [
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
];

describe("of edited folders", () => {
  let sound: string;
  let faulty: readonly string[];
  let messages: ReadonlyMap<string, string>;

  beforeAll(() => {
    sound = folderWith(everythingRead());
    faulty = wrong.map(([, edits]) => folderWith(edits, [shared.types]));
    const { compilerOptions } = JSON.parse(readFileSync(join(place, sound, shared.project), "utf8"));
    writeFileSync(join(place, shared.project), JSON.stringify({ compilerOptions, include: [sound, ...faulty] }));
    messages = messagesByFolder(compiled(place).output);
  });

  test("a check may read everything that the plugin API offers", () => {
    expect(messages.get(sound)).toBeUndefined();
    expect([...messages.keys()].sort()).toEqual([...faulty].sort());
  });

  test.each(wrong.map(([words, , message], at) => [words, message, at] as const))("does not compile: %s", (_words, message, at) => {
    expect(messages.get(faulty[at] ?? "")).toMatch(message);
  });
});
