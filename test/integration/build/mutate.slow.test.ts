/** Faults in a small tree of its own: what is noticed, what hangs, what survives, and that a stopped run continues. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FaultResult } from "../../../build/mutate/results.ts";
import { summary } from "../../../build/mutate/results.ts";
import { runTests } from "../../../build/mutate/run-tests.ts";
import { copyTree } from "../../../build/mutate/tree-copy.ts";

const tree = mkdtempSync(join(tmpdir(), "assay-mutate-"));
afterAll(() => rmSync(tree, { recursive: true, force: true }));

const source = [
  "/** Numbers of a fixture. */",
  "export function isLarge(value: number) {",
  "  return value > 10;",
  "}",
  "",
  "export function firstEven(values: readonly number[]) {",
  "  let at = 0;",
  "  while ((values[at] ?? 0) % 2 === 1) at += 1;",
  "  return at;",
  "}",
  "",
  "export function unused(value: number) {",
  "  return value - 1;",
  "}",
  "",
].join("\n");
const files = {
  ".gitignore": "node_modules/\ndist/\n",
  "src/base/numbers.ts": source,
  "test/unit/numbers.test.ts": `import { expect, test } from "bun:test";
import { firstEven, isLarge } from "../../src/base/numbers.ts";

test("large", () => expect([isLarge(5), isLarge(20)]).toEqual([false, true]));
test("even", () => expect(firstEven([3, 5, 4])).toBe(2));
`,
  "test/unit/other.test.ts": 'import { test } from "bun:test";\ntest("fails without a fault", () => { throw new Error("always"); });\n',
};

// reaches: build/mutate.ts
const program = join(import.meta.dirname, "../../../build/mutate.ts");

function mutate(...args: readonly string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, program, "--tree", tree, ...args]);
  return { exitCode, output: `${stdout}${stderr}` };
}

function results(): readonly FaultResult[] {
  const lines = readFileSync(join(tree, "dist/mutate/results.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

beforeAll(() => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  Bun.spawnSync(["git", "init", "--quiet"], { cwd: tree });
});

describe("faults of a tree", () => {
  test("are noticed, or survive, or are reached by no test", () => {
    expect(mutate("src/base", "--count", "100", "--seed", "1")).toMatchObject({ exitCode: 0 });
    const outcomes = Object.fromEntries(results().map(({ fault, outcome }) => [`${fault.line} ${fault.kind}`, outcome]));
    expect(outcomes).toMatchObject({ "3 boundary": "survived" });
    expect(outcomes["13 calculation"] ?? outcomes["13 number"]).toBe("unreached");
    expect(results().find(({ fault }) => fault.line === 8)).toMatchObject({ outcome: "noticed", tests: ["test/unit/numbers.test.ts"] });
    expect(readFileSync(join(tree, "src/base/numbers.ts"), "utf8")).toBe(source);
  });

  test("are not planted twice by the same choice", () => {
    const before = results();
    expect(mutate("src/base", "--count", "100", "--seed", "1").output).toContain(summary(before));
    expect(results()).toEqual(before);
  });

  test("are not noticed by a test that fails without them too", () => {
    const marker = join(tree, "dist/has-run");
    writeFileSync(join(tree, "src/parse.ts"), "/** A fixture. */\nexport const isOdd = (value: number) => value % 2 === 1;\n");
    const code = `import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "bun:test";
import { isOdd } from "../../src/parse.ts";

test("passes once", () => {
  expect([existsSync(${JSON.stringify(marker)}), typeof isOdd(3)]).toEqual([false, "boolean"]);
  writeFileSync(${JSON.stringify(marker)}, "");
});
`;
    writeFileSync(join(tree, "test/unit/parse.test.ts"), code);
    mutate("src/parse.ts", "--count", "1", "--seed", "1");
    expect(existsSync(marker)).toBe(true);
    expect(results().at(-1)).toMatchObject({ outcome: "survived", tests: ["test/unit/parse.test.ts"] });
  });

  test("are planted again after the tests have changed", () => {
    const file = join(tree, "test/unit/numbers.test.ts");
    writeFileSync(file, `${readFileSync(file, "utf8")}test("ten", () => expect(isLarge(10)).toBe(false));\n`);
    expect(mutate("--again", "src/base/numbers.ts:3:16:boundary").output).toContain("noticed src/base/numbers.ts:3:16:boundary");
  });

  test("are noticed by the type check if no test reaches them", () => {
    writeFileSync(join(tree, "src/typed.ts"), "/** A fixture. */\nexport const lengthOf = (text: string | null) => text?.length;\n");
    writeFileSync(join(tree, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true }, include: ["src"] }));
    mkdirSync(join(tree, "node_modules/.bin"), { recursive: true });
    symlinkSync(join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc"), join(tree, "node_modules/.bin/tsc"));
    mutate("src/typed.ts", "--count", "9", "--seed", "1");
    expect(results().at(-1)).toMatchObject({ outcome: "noticed", failure: expect.stringMatching(/^type check > src\/typed\.ts\(2,/) });
  });
});

test("tests that do not end are ended with everything that they started", async () => {
  const code = `import { test } from "bun:test";
test("loops", () => {
  const child = Bun.spawn(["sleep", "1000"], { detached: true });
  require("node:fs").writeFileSync("pid", String(child.pid));
  for (;;);
});
`;
  writeFileSync(join(tree, "test/unit/looping.test.ts"), code);
  const copy = copyTree(tree);
  try {
    // The pid is written before the loop begins; a slow machine gets more than one try for that.
    let seconds = 1;
    do seconds *= 2;
    while (
      (await runTests(copy, ["test/unit/looping.test.ts"], { seconds })).outcome === "timedOut" &&
      !existsSync(join(copy.folder, "pid"))
    );
    expect(await runTests(copy, ["test/unit/looping.test.ts"], { seconds })).toMatchObject({ outcome: "timedOut" });
    const place = `/proc/${readFileSync(join(copy.folder, "pid"), "utf8")}/stat`;
    const isAlive = () => {
      try {
        return readFileSync(place, "utf8").split(" ")[2] !== "Z";
      } catch {
        return false;
      }
    };
    while (isAlive()) await Bun.sleep(10);
  } finally {
    copy.remove();
  }
});

test("a copy has packages of its own: what its tests remove stays in the tree", () => {
  const file = "node_modules/.bin/tool";
  mkdirSync(join(tree, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(tree, file), "#!/bin/sh\n", { mode: 0o755 });
  const copy = copyTree(tree);
  try {
    expect(statSync(join(copy.folder, file)).mode & 0o777).toBe(0o755);
    expect(statSync(join(copy.folder, "src/base/numbers.ts")).mtimeMs).toBeCloseTo(statSync(join(tree, "src/base/numbers.ts")).mtimeMs, -1);
    rmSync(join(copy.folder, "node_modules"), { recursive: true });
    expect(existsSync(join(tree, file))).toBe(true);
  } finally {
    copy.remove();
  }
});

describe("refused", () => {
  test.each([
    ["a folder outside src", ["docs"], "mutate: docs is not below src"],
    ["a folder that does not exist", ["src/absent"], "mutate: there is no src/absent"],
    ["no folder", [], "mutate: name a folder"],
    ["a count of nothing", ["src/base", "--count", "0"], "mutate: --count is a whole number from 1"],
    ["an unknown fault", ["--again", "src/base/numbers.ts:1:1:number"], "mutate: the tree has no place for this fault"],
    ["an unknown option", ["--fast"], "mutate: Unknown option '--fast'"],
  ])("%s", (_case, args, message) => {
    const { exitCode, output } = mutate(...args);
    expect({ exitCode, output }).toMatchObject({ exitCode: 2, output: expect.stringContaining(message) });
  });
});
