/** The last lines of `npm test`: whatever fails is counted and named. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { failuresIn, summaryOf, type TestRun } from "../../../build/test-summary.ts";
import { isMissing, rootIsMissing, skipReasonsIn, skipReasonsVariable } from "../../support/missing.ts";

const counted = (pass: number, fail: number, skip: number) =>
  ` ${pass} pass\n ${skip} skip\n ${fail} fail\nRan ${pass + fail + skip} tests`;
const green: TestRun = {
  code: 0,
  output: counted(5, 0, 0),
  failedSteps: [],
  skipReasons: { missing: [], needsRoot: false },
  isCi: false,
};
const nats = "nats-server (Debian: nats-server)";

describe("a run ends with", () => {
  test.each<readonly [string, Partial<TestRun>, readonly string[]]>([
    ["its counts", {}, ["5 passed, 0 failed, 0 skipped"]],
    ["the number of failed cases", { code: 1, output: counted(4, 2, 0) }, ["4 passed, 2 failed, 0 skipped"]],
    [
      "the exit code of a bun test that breaks",
      { code: 134, output: "" },
      ["bun test ended with exit code 134", "0 passed, 1 failed, 0 skipped"],
    ],
    ["the exit code of a bun test that breaks later", { code: 1 }, ["bun test ended with exit code 1", "5 passed, 1 failed, 0 skipped"]],
    ["each failed step", { failedSteps: ["type check", "lint"] }, ["failed: type check", "failed: lint", "5 passed, 2 failed, 0 skipped"]],
  ])("%s", (_what, changes, lines) => {
    expect(summaryOf({ ...green, ...changes })).toEqual({ lines, isGreen: lines.at(-1)?.includes(" 0 failed") });
  });

  test.each<readonly [boolean, TestRun["skipReasons"], readonly string[]]>([
    [false, { missing: [nats], needsRoot: true }, [`Cases were skipped: this machine lacks ${nats}; some need root`]],
    [false, { missing: [], needsRoot: true }, ["Cases were skipped: some need root"]],
    [true, { missing: [], needsRoot: true }, ["Cases were skipped: some need root"]],
    [false, { missing: [], needsRoot: false }, []],
  ])("the reasons of skipped cases, which are no failures (in CI: %j, %j)", (isCi, skipReasons, lines) => {
    const skipping = { ...green, output: counted(5, 0, 3), skipReasons, isCi };
    expect(summaryOf(skipping)).toEqual({ lines: [...lines, "5 passed, 0 failed, 3 skipped"], isGreen: true });
  });

  test("a failure if programs are missing in CI", () => {
    const skipping = { ...green, output: counted(5, 0, 3), skipReasons: { missing: [nats], needsRoot: false }, isCi: true };
    const lines = [
      `CI is set, and missing programs are failures: ${nats}`,
      `Cases were skipped: this machine lacks ${nats}`,
      "5 passed, 1 failed, 3 skipped",
    ];
    expect(summaryOf(skipping)).toEqual({ lines, isGreen: false });
  });
});

describe("reasons to skip", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-reasons-"));
  const file = join(folder, "reasons");
  const before = process.env[skipReasonsVariable];
  afterEach(() => {
    if (before === undefined) delete process.env[skipReasonsVariable];
    else process.env[skipReasonsVariable] = before;
    rmSync(folder, { recursive: true, force: true });
  });

  test("are collected once each", () => {
    expect(skipReasonsIn(file)).toEqual({ missing: [], needsRoot: false });
    process.env[skipReasonsVariable] = file;
    writeFileSync(file, "");
    expect([isMissing(true, "strace"), isMissing(false, nats), isMissing(false, nats)]).toEqual([false, true, true]);
    const needsRoot = rootIsMissing();
    expect(needsRoot).toBe(process.getuid?.() !== 0);
    expect(skipReasonsIn(file)).toEqual({ missing: [nats], needsRoot });
  });
});

describe("failures that are repeated", () => {
  const failed = (name: string, before: string) => `${before}(fail) ${name} [2.00ms]\n  ^ this test timed out\n`;

  test("stand below their file, each with its own lines", () => {
    const output = `test/unit/a.test.ts:\n${failed("first", "error: one\n")}\ntest/unit/b.test.ts:\n${failed("second", "error: two\n")} 3 pass\n`;
    const [first = "", second = "", ...others] = failuresIn(output);
    expect(others).toEqual([]);
    expect(first.split("\n").filter((line) => line !== "test/unit/a.test.ts:")).toEqual([
      "error: one",
      "(fail) first [2.00ms]",
      "  ^ this test timed out",
    ]);
    expect(second).toMatch(/^test\/unit\/b\.test\.ts:/);
    expect(second).toContain("error: two\n(fail) second [2.00ms]");
    expect(second).not.toContain("first");
  });

  test("are the first ten, of each the last forty lines", () => {
    const output = Array.from({ length: 11 }, (_, nth) => failed(`case ${nth}`, "line\n".repeat(100))).join("");
    const repeated = failuresIn(output);
    expect(repeated).toHaveLength(10);
    for (const text of repeated) expect(text.split("\n").length).toBeLessThanOrEqual(43);
  });

  test("do not exist in the output of a green run", () => {
    expect(failuresIn(green.output)).toEqual([]);
  });
});
