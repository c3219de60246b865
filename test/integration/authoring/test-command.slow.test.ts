/** `assay checks test` on scaffolded plugins: what passes, and how each fault is named. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { workerFiles } from "../../../src/app/placement.ts";
import { runAuthorTaskInThread } from "../../../src/authoring/run-author-task.ts";
import { evidence } from "../../support/evidence.ts";
import { runInProcess } from "../../support/program.ts";
import { pluginCode, removeScaffoldedPlugins, scaffoldedPlugin } from "../../support/scaffolded-plugin.ts";

afterAll(removeScaffoldedPlugins);

const check = "acme-build.ts";
const cases = "acme-build.test.ts";

test("a new check passes all cases but those of its texts", async () => {
  const { folder } = scaffoldedPlugin({ withTexts: false });
  const { code, stdout, stderr } = await runInProcess(["checks", "test", folder]);
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toMatch(
    /acme-build\.ts:\d+:7: every text is written: en-gb: write the texts of "acme-build" in acme-build\.ts: reason, method, title/,
  );
  expect(stdout).toContain("9 cases, 2 failed, in ");
});

test("with written texts every case passes, by folder, by file and from the folder above", async () => {
  const { folder } = scaffoldedPlugin();
  for (const path of [folder, join(folder, check), join(folder, cases), join(folder, "..")]) {
    const { code, stdout, stderr } = await runInProcess(["checks", "test", path]);
    expect([path, code, stderr]).toEqual([path, 0, ""]);
    const groups = stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
    expect(groups.slice(0, 7).map((cells) => cells.slice(0, -1))).toEqual([
      ["CHECK", "CASES OF", "PASSED", "FAILED"],
      ["acme-build", "texts", "2"],
      ["passed", "2", "0"],
      [pluginCode, "2", "0"],
      ["findings", "1"],
      ["failed readings", "1"],
      ["cut headers", "1"],
    ]);
    expect(stdout).toMatch(/9 cases, all passed, in \d+ ms; slowest judgement \d\.\d\d ms/);
  }
});

type Edit = readonly [file: string, from: string | RegExp, to: string];

describe("a failed case is named with its line:", () => {
  test.each<[string, readonly Edit[], RegExp]>([
    [
      "another state",
      [[check, ": passed()", `: violated("${pluginCode}")`]],
      /acme-build\.test\.ts:7:6: passed: the header is sent: expected passed, but the verdict is violated security\.missing-header/,
    ],
    [
      "an exception of judge",
      [[check, "    const [value]", "    null.x;\n    const [value]"]],
      /acme-build\.ts:17:\d+: passed: the header is sent: null is not an object/,
    ],
    [
      "a verdict that is none",
      [[check, ": passed()", ": true"]],
      /acme-build\.test\.ts:7:6: passed: .*judge returned true instead of a verdict/,
    ],
    [
      "a placeholder without a value",
      [[check, /found on \{\{host\}\}/g, "found: {{build}}"]],
      /acme-build\.test\.ts:13:8: .*the en-gb texts of \S+ quote \{\{build\}\}, but the finding has no such value/,
    ],
    [
      "a value that is no text",
      [[check, `violated("${pluginCode}")`, `violated("${pluginCode}", { build: value })`]],
      /acme-build\.test\.ts:13:8: .*the value build of \S+ is undefined, but must be a text or a number/,
    ],
    [
      "another value",
      [[cases, '["no header", {}]', '["no header", {}, { values: { build: "7" } }]']],
      /acme-build\.test\.ts:13:8: .*expected the value build = "7", but found none/,
    ],
    [
      "a change of the evidence",
      [[check, "judge({ headers }) {", "judge({ headers, page }) {\n    (page as any).status = 1;"]],
      /acme-build\.ts:17:\d+: passed: the header is sent: Attempted to assign to readonly property/,
    ],
    [
      "a verdict that depends on earlier ones",
      [
        [check, "export default", "let calls = 0;\nexport default"],
        [check, "value === undefined ?", "value === undefined || ++calls === 2 ?"],
      ],
      /acme-build\.test\.ts:7:6: passed: the header is sent: two judgements differ: first the verdict is passed, then the verdict is violated/,
    ],
    [
      "a finding without a case",
      [
        [check, "findings: {\n", 'findings: {\n    "security.acme.second": { severity: "low", riskLevel: "low", effort: "low" },\n'],
        [
          check,
          /( {6}findings: \{\n)/g,
          '      findings: {\n        "security.acme.second": { title: "t", detail: "d", riskStatement: "s", remediation: "r" },\n',
        ],
      ],
      /acme-build\.test\.ts:11:3: every declared finding has a case: no case for security\.acme\.second: add one under "violated"/,
    ],
  ])("%s", async (_words, edits, message) => {
    const plugin = scaffoldedPlugin();
    for (const edit of edits) plugin.edit(...edit);
    const { code, stdout, stderr } = await runInProcess(["checks", "test", plugin.folder]);
    expect([stdout, stderr]).toEqual([expect.stringMatching(message), ""]);
    expect(code).toBe(1);
  });
});

describe("a file that cannot be loaded is named with its line, exit 2:", () => {
  test.each<[string, Edit, RegExp]>([
    ["syntax of the check", [check, "judge(", "judge(("], /acme-build\.ts:16:9: Expected identifier/],
    ["syntax of the test", [cases, "testCheck(check", "testCheck((check"], /acme-build\.test\.ts:17:3: Expected "\)"/],
    ["an exception at import", [check, "export default", 'throw new Error("no luck");\nexport default'], /acme-build\.ts:4:\d+: no luck/],
    ["an unknown key", [check, "weight:", "wieght:"], /acme-build\.ts:6:3: unknown key wieght: did you mean weight\?/],
    ["a missing language", [check, '"de-de": {', '"fr-fr": {'], /acme-build\.ts:\d+:\d+: no texts for de-de/],
    ["placeholders that differ", [check, "found on {{host}}", "found {{build}}"], /quote different values/],
    [
      "a code of another check",
      [check, new RegExp(pluginCode, "g"), "security.missing-header.content-security-policy"],
      /acme-build\.ts:\d+:\d+: .*declare/,
    ],
    ["evidence that is missing", [cases, '"passed.json"', '"absent.json"'], /acme-build\.test\.ts:8:\d+: \S+absent\.json does not exist/],
    ["a table that is none", [cases, "testCheck(check, {", "testCheck(check, null as any); ({"], /acme-build\.test\.ts: .*null/],
    [
      "a check that is none",
      [cases, "testCheck(check, {", "testCheck(undefined as any, {"],
      /acme-build\.test\.ts:\d+:\d+: must test the check of acme-build\.ts, which it does not import/,
    ],
    [
      "a test without cases",
      [cases, /testCheck\(check[\s\S]*/, "void [check, evidenceFile, testCheck];\n"],
      /must call testCheck once, but called it 0 times/,
    ],
  ])("%s", async (_words, edit, message) => {
    const plugin = scaffoldedPlugin();
    plugin.edit(...edit);
    const { code, stderr } = await runInProcess(["checks", "test", plugin.folder]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test("no check at all", async () => {
    const { code, stderr } = await runInProcess(["checks", "test", "/nothing/here"]);
    expect([code, stderr]).toEqual([2, 'assay: there is no check in /nothing/here; "assay checks new KEY" writes one\n']);
    expect(await runInProcess(["checks", "test", "/nothing/here", "--watch"])).toEqual({ code, stdout: "", stderr });
  });
});

test("folders of other programs are left alone", async () => {
  const { folder } = scaffoldedPlugin();
  const program = join(folder, "..", "program");
  mkdirSync(program);
  writeFileSync(join(program, "index.ts"), 'throw new Error("ran");');
  const { code, stdout } = await runInProcess(["checks", "test", join(folder, "..")]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("9 cases, all passed")]);
});

test("a check without a test fails", async () => {
  const { folder } = scaffoldedPlugin();
  rmSync(join(folder, cases));
  const { code, stdout } = await runInProcess(["checks", "test", folder]);
  expect([code, stdout]).toEqual([1, expect.stringContaining("acme-build.ts: has no test; write acme-build.test.ts beside it")]);
});

describe("code that never ends is named", () => {
  const deadlines = { loadMs: 60_000, judgeMs: 2_000 };
  const run = (folder: string, limits = deadlines) =>
    runAuthorTaskInThread({ kind: "test", testFile: join(folder, cases), checkFile: join(folder, check) }, workerFiles.author, limits);

  test("while it loads, also in a loop that does nothing else", async () => {
    const { folder } = scaffoldedPlugin();
    writeFileSync(join(folder, cases), "for (;;) {}");
    expect(await run(folder, { loadMs: 500, judgeMs: 2_000 })).toMatchObject({
      cases: [],
      broken: { file: join(folder, cases), reason: "did not finish loading within 0.5 seconds" },
    });
  });

  test("while it judges, with the cases before it", async () => {
    const plugin = scaffoldedPlugin();
    plugin.edit(check, "    const [value]", '    while (headers["x-acme-build"].length === 0) Bun.sleepSync(10);\n    const [value]');
    const { cases: ran, broken } = await run(plugin.folder);
    expect(ran.map(({ group, fault }) => [group, fault])).toEqual([
      ["texts", null],
      ["texts", null],
      ["passed", null],
      ["passed", null],
    ]);
    expect(broken).toMatchObject({
      line: 13,
      column: 8,
      reason: expect.stringContaining(`${pluginCode}: no header: did not end within 2 seconds`),
    });
  });

  test("while it is tried", async () => {
    const plugin = scaffoldedPlugin();
    plugin.edit(check, "    const [value]", "    for (;;) Bun.sleepSync(10);\n    const [value]");
    const task = { kind: "try", checkFile: join(plugin.folder, check), evidence: evidence() } as const;
    const { tried, broken } = await runAuthorTaskInThread(task, workerFiles.author, deadlines);
    expect([tried, broken]).toEqual([null, { file: task.checkFile, line: 16, column: 3, reason: "judge: did not end within 2 seconds" }]);
  });

  test("by ending its thread", async () => {
    const { folder } = scaffoldedPlugin();
    writeFileSync(join(folder, cases), "process.exit(0);");
    expect((await run(folder)).broken?.reason).toBe("ended its thread");
  });
});
