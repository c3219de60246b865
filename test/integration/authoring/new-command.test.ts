/** `assay checks new`: what it writes, and what it refuses. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readEvidenceFile } from "../../../src/authoring/evidence-file.ts";
import { valuesNamed } from "../../../src/parse/header-fields.ts";
import { runInProcess } from "../../support/program.ts";

const before = process.cwd();
let work: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), "assay-new-check-"));
  process.chdir(work);
});
afterEach(() => {
  process.chdir(before);
  rmSync(work, { recursive: true, force: true });
});

function headerIn(file: string, name: string): readonly string[] {
  const { page } = readEvidenceFile(file);
  return page.status === "read" ? valuesNamed(page.facts.headers, name) : ["not read"];
}

test("writes a folder that its own test accepts, but for the texts", async () => {
  const { code, stdout, stderr } = await runInProcess(["checks", "new", "acme-build", "--header", "X-Acme-Build"]);
  const names = ["README.md", "acme-build.test.ts", "acme-build.ts", "assay-check.d.ts", "passed.json", "tsconfig.json", "violated.json"];
  expect([code, stdout.trim().split("\n").sort()]).toEqual([0, names.map((name) => `acme-build/${name}`).sort()]);
  expect(stderr).toBe("\nNext: cd acme-build && assay checks test --watch, then edit acme-build.ts; README.md has the other steps.\n");
  expect(readdirSync("acme-build").sort()).toEqual(names.sort());
  expect([headerIn("acme-build/passed.json", "x-acme-build"), headerIn("acme-build/violated.json", "x-acme-build")]).toEqual([
    ["value"],
    [],
  ]);
  const readme = readFileSync("acme-build/README.md", "utf8");
  expect(readme.match(/^## .*$/gm)).toEqual(["## Tools for plugins", "## The contract", "## Fixes"]);
  expect(readme).not.toMatch(/\]\((?!https:)/);
  const tested = await runInProcess(["checks", "test", "acme-build"]);
  expect([tested.code, tested.stdout]).toEqual([1, expect.stringContaining("9 cases, 2 failed")]);
});

test("takes the value of the sample for a header that it has, and the key for the header", async () => {
  await runInProcess(["checks", "new", "own-csp", "--header", "Content-Security-Policy"]);
  expect(headerIn("own-csp/passed.json", "content-security-policy")).toEqual([expect.stringContaining("default-src")]);
  expect(headerIn("own-csp/violated.json", "content-security-policy")).toEqual([]);
  await runInProcess(["checks", "new", "x-own"]);
  expect(readFileSync("x-own/x-own.ts", "utf8")).toContain('headers["x-own"]');
});

describe("refuses", () => {
  beforeEach(() => mkdirSync("acme-build"));

  test.each([
    [["Acme_Build"], /"Acme_Build" is no key: use lower-case words joined by hyphens; did you mean acme-build\?/],
    [["AcmeBuild2"], /did you mean acme-build2\?/],
    [["../escape"], /"..\/escape" is no key: .*did you mean escape\?/],
    [["\u001b[2J"], /"\?\[2J" is no key: .*did you mean 2-j\?/],
    [["---", "--"], /unknown option|too many arguments|is no key/],
    [["a".repeat(65)], /is no key: use lower-case words joined by hyphens, such as acme-build/],
    [["dnssec"], /"dnssec" is the key of a built-in check; choose another one, such as own-dnssec/],
    [["acme-build"], /acme-build exists already; choose another key or remove it/],
    [["other", "--header", "X Acme"], /--header "X Acme" is no name of a header/],
    [["other", "--header", 'x"];process.exit(1);//'], /is no name of a header/],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await runInProcess(["checks", "new", ...args]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(message)]);
    expect(readdirSync(".").sort()).toEqual(["acme-build"]);
    expect(readdirSync("acme-build")).toEqual([]);
  });
});
