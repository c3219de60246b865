/** Which tests a change reaches: by imports, by written paths, and by declarations that must stand where neither shows it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reachAmong, reachDeclarations, reachingTests, testsReaching, treeReach } from "../../../build/test-reach.ts";
import { parseSource, root, sourcesBelow } from "../../support/source-tree.ts";

// reads: build/, checks/, src/, test/
const tree: Readonly<Record<string, string>> = {
  "src/base/clock.ts": "export const now = 1;",
  "src/store/rows.ts": 'import { now } from "../base/clock.ts";',
  "src/store/shape.ts": 'import type { now } from "../base/clock.ts";',
  "src/main.ts": 'import { now } from "./store/rows.ts";',
  "checks/one.ts": 'import { passed } from "assay/check";',
  "src/check/index.ts": "export const passed = 1;",
  "test/support/start.ts": "// reaches: src/main.ts, checks/",
  "test/support/page.ts": "// reads: src/store/",
  "test/unit/clock.test.ts": 'import { now } from "../../src/base/clock.ts";',
  "test/unit/rows.test.ts": 'const rows = await import("../../src/store/rows.ts");',
  "test/unit/shape.test.ts": 'import type { now } from "../../src/store/shape.ts";\nimport { one } from "../../src/store/shape.ts";',
  "test/unit/start.test.ts": 'import { start } from "../support/start.ts";',
  "test/unit/page.test.ts": 'import { page } from "../support/page.ts";',
};
const reach = reachAmong(Object.entries(tree).map(([path, text]) => parseSource(path, text)));
const reached = (...changed: readonly string[]) =>
  testsReaching(changed, { reach }).reaching.map((path) => path.slice("test/unit/".length));

describe("a change reaches", () => {
  test.each([
    ["a test that changed itself", "test/unit/page.test.ts", ["page.test.ts"]],
    [
      "tests that import the file, and those that import what imports it",
      "src/base/clock.ts",
      ["clock.test.ts", "rows.test.ts", "start.test.ts"],
    ],
    ["tests whose support declares that it runs or reads the file", "src/store/rows.ts", ["rows.test.ts", "start.test.ts", "page.test.ts"]],
    ["tests whose support declares the folder of a file that is gone", "src/store/removed.ts", ["page.test.ts"]],
    ["tests of what is imported by the name of the plugin API", "src/check/index.ts", ["start.test.ts"]],
    ["all tests with the versions of the packages", "package-lock.json", reach.tests.map((path) => path.slice("test/unit/".length))],
    ["no test with a file that none mentions", "docs/api.md", []],
  ])("%s", (_rule, changed, expected) => expect(reached(changed)).toEqual(expected));

  test("what several files reach", () => {
    expect(reached("src/store/shape.ts", "checks/one.ts")).toEqual(["shape.test.ts", "start.test.ts", "page.test.ts"]);
  });

  test("some of the given tests; the others are left out", () => {
    const tests = ["test/unit/clock.test.ts", "test/unit/page.test.ts", "test/unit/rows.test.ts"];
    expect(testsReaching(["src/base/clock.ts"], { reach, tests })).toEqual({
      reaching: ["test/unit/clock.test.ts", "test/unit/rows.test.ts"],
      leftOut: ["test/unit/page.test.ts"],
    });
  });
});

test("the nearest tests come first, with a note on those that start the file elsewhere", () => {
  expect(reachingTests(reach, ["src/store/rows.ts"], { runs: true })).toEqual([
    { test: "test/unit/rows.test.ts", distance: 1, imports: true, starts: false },
    { test: "test/unit/start.test.ts", distance: 3, imports: false, starts: true },
  ]);
});

describe("paths from the own folder", () => {
  const parsed = (code: string) => parseSource("test/unit/docs/x.test.ts", code);

  test("are followed if they are written in full", () => {
    const code = 'read(resolve(import.meta.dirname, "../../../README.md"));\nrun(new URL("../../../src/main.ts", import.meta.url));';
    expect(parsed(code)).toMatchObject({ located: ["README.md", "src/main.ts"], locatesOthers: false });
  });

  test.each([
    ["a folder", 'resolve(import.meta.dirname, "../../../docs")'],
    ["a computed name", "join(import.meta.dirname, name)"],
    ["a file that does not exist", 'join(import.meta.dirname, "absent.ts")'],
  ])("are noted with %s", (_kind, code) => expect(parsed(code)).toMatchObject({ located: [], locatesOthers: true }));
});

describe("in this tree", () => {
  const files = ["src", "checks", "test", "build"].flatMap((folder) => sourcesBelow(folder));
  const places = files.flatMap(({ path, text }) =>
    reachDeclarations(text).flatMap(({ targets }) => targets.map((target) => ({ path, target }))),
  );

  test("a file declares what it reaches by paths that are not written in full", () => {
    const readers = /\bimport \{[^}]*\b(filesBelow|root|sourcesBelow)\b[^}]*\} from "[./]*\/source-tree\.ts"/;
    const silent = files.filter(
      ({ path, text, locatesOthers }) =>
        path !== "test/support/source-tree.ts" && (locatesOthers || readers.test(text)) && reachDeclarations(text).length === 0,
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test("declarations name what exists, folders with a slash", () => {
    const generated = ["node_modules/", "dist/"];
    const wrong = places.filter(({ target }) => !generated.includes(target) && !existsSync(join(root, target)));
    expect(wrong).toEqual([]);
  });

  test.each([
    ["src/main.ts", "test/integration/crash.binary.test.ts"],
    ["src/app/judge-worker.ts", "test/integration/scan/judging.test.ts"],
    ["checks/dnssec.ts", "test/unit/catalog.test.ts"],
    ["locales/de-de.json", "test/unit/tidy.test.ts"],
    ["docs/operate.md", "test/unit/settings/config.test.ts"],
    ["src/store/store.ts", "test/integration/store/store.test.ts"],
    ["build/new-check.ts", "test/integration/docs/writing-checks.slow.test.ts"],
  ])("%s is reached by %s", (changed, path) => {
    expect(testsReaching([changed], { reach: treeReach() }).reaching).toContain(path);
  });

  test("a page does not reach the tests of a parser", () => {
    expect(testsReaching(["src/web/style.ts"], { reach: treeReach() }).leftOut).toContain("test/unit/parse/header-values.test.ts");
  });
});
