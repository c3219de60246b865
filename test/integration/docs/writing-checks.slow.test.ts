/** Follows docs/writing-checks.md literally, for a built-in check in a copy of this repository. Counts the files touched. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { scripts } from "../../../package.json" with { type: "json" };
import { blocksOf } from "../../support/document-blocks.ts";

// reaches: build/new-check.ts, build/test.ts, test/unit/catalog.test.ts, test/unit/checks/severities.test.ts, test/unit/docs/, test/unit/judge/, test/unit/text/
// reads: checks/, locales/, biome.json
const root = resolve(import.meta.dirname, "../../..");
const copied = [
  ".gitignore",
  "build",
  "checks",
  "docs",
  "locales",
  "src",
  "test",
  "README.md",
  "biome.json",
  "bunfig.toml",
  "package.json",
  "tsconfig.json",
];
const key = "x-permitted-cross-domain-policies";
const localeFiles = ["locales/de-de.json", "locales/en-gb.json"];
const testFile = `test/unit/checks/${key}.test.ts`;
/** The type checker reads all of src. */
const slowMsMax = 300_000;

const blocks = blocksOf("docs/writing-checks.md", "A built-in check in four files");
const [newCheck, tests] = blocks.filter(({ language }) => language === "sh").map(({ text }) => text);

const work = mkdtempSync(join(tmpdir(), "assay-writing-checks-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Content by path of every copied file below that root. */
function contentsOf(tree: string): ReadonlyMap<string, string> {
  const paths = copied.flatMap((top) =>
    statSync(join(tree, top)).isFile()
      ? [top]
      : readdirSync(join(tree, top), { recursive: true, encoding: "utf8" }).map((path) => join(top, path)),
  );
  return new Map(paths.filter((path) => statSync(join(tree, path)).isFile()).map((path) => [path, readFileSync(join(tree, path), "utf8")]));
}

function editTexts(file: string, edit: (checks: Record<string, unknown>) => void): void {
  const locale = JSON.parse(readFileSync(file, "utf8"));
  edit(locale.checks);
  writeFileSync(file, `${JSON.stringify(locale, null, 2)}\n`);
}

function bun(args: readonly string[], cwd: string): { readonly exitCode: number; readonly output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, ...args], { cwd, stdout: "pipe", stderr: "pipe" });
  return { exitCode, output: `${stdout}${stderr}` };
}

describe("a built-in check", () => {
  const tree = join(work, "tree");
  let before: ReturnType<typeof contentsOf>;

  beforeAll(() => {
    mkdirSync(tree);
    for (const name of copied) cpSync(join(root, name), join(tree, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
    writeFileSync(join(tree, "one-check.json"), JSON.stringify({ extends: "./tsconfig.json", include: [`checks/${key}.ts`, testFile] }));
  }, slowMsMax);

  beforeEach(() => {
    // An author who follows the document has the check already.
    for (const path of [`checks/${key}.ts`, testFile]) rmSync(join(tree, path), { force: true });
    for (const locale of localeFiles) editTexts(join(tree, locale), (checks) => delete checks[key]);
    before = contentsOf(tree);
  });

  test(
    "new-check makes a check that compiles, and whose test names the texts to write",
    () => {
      expect(newCheck).toBe(`npm run new-check ${key}\n`);
      expect(scripts["new-check"]).toMatch(/bun build\/new-check\.ts$/);
      expect(bun(["build/new-check.ts", key], tree)).toMatchObject({ exitCode: 0 });
      expect(bun(["node_modules/.bin/tsc", "-p", "one-check.json"], tree)).toEqual({ exitCode: 0, output: "" });
      expect(tests).toBe(`npm test -- ${testFile}\nnpm test\n`);
      expect(scripts.test).toMatch(/bun build\/test\.ts all$/);
      const { exitCode, output } = bun(["build/test.ts", "all", testFile], tree);
      expect(exitCode).toBe(1);
      expect(output).toContain(`write the texts of "${key}" in locales/en-gb.json: reason, method, title`);
      expect(output).toContain(`write the texts of "${key}" in locales/de-de.json: reason, method, title`);
      expect(output).toContain(" 2 fail\n");
    },
    slowMsMax,
  );

  test(
    "with the document's blocks it is a part of the catalog, and 4 files were touched",
    () => {
      const files = blocks.filter(({ path }) => path !== null);
      for (const { path, language, text } of files) {
        const file = join(tree, path ?? "");
        if (language === "ts") writeFileSync(file, text);
        else editTexts(file, (checks) => Object.assign(checks, { [key]: JSON.parse(text) }));
      }
      const touched = [...contentsOf(tree)].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
      expect(touched.sort()).toEqual([`checks/${key}.ts`, ...localeFiles, testFile]);
      expect(bun(["node_modules/.bin/tsc", "-p", "one-check.json"], tree)).toEqual({ exitCode: 0, output: "" });
      expect(bun(["node_modules/.bin/biome", "format", ...touched], tree)).toMatchObject({ exitCode: 0 });
      const suites = ["catalog.test.ts", "checks/severities.test.ts", "docs", "judge/site-laws", "text"].map((name) => `test/unit/${name}`);
      const { exitCode, output } = bun(["build/test.ts", "all", testFile, ...suites], tree);
      expect(output).toContain(" 0 fail\n");
      expect(exitCode).toBe(0);
    },
    slowMsMax,
  );
});
