/** Outputs and policy files of `assay scan` that are refused: exit 2 before anything is scanned, one sentence, and no trace. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { scanCommand } from "../../../src/cli/scan/scan.ts";
import { runInProcess } from "../../support/program.ts";

const root = mkdtempSync(join(tmpdir(), "assay-scan-policy-"));
afterAll(() => rmSync(root, { recursive: true }));
const url = "https://site.example/";
const baseline = `{ "schemaVersion": 1, "findings": { "${url}": [] }, "knownCodes": [] }`;

let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, "folder-"));
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "baseline.json"), baseline);
  writeFileSync(join(folder, "accept.toml"), "");
});

/** `@` in an argument stands for the folder of the test. */
async function scan(...args: readonly string[]) {
  const before = readdirSync(folder, { recursive: true }).sort();
  const result = await runInProcess(["scan", url, "--data", root, ...args.map((arg) => arg.replaceAll("@", folder))]);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
  return result;
}

function expectRefused({ code, stdout, stderr }: Awaited<ReturnType<typeof scan>>, sentence: string): void {
  expect(stderr).toContain(sentence.replaceAll("@", folder));
  expect([code, stdout, stderr.trimEnd().split("\n").length]).toEqual([2, "", 1]);
}

describe("outputs", () => {
  test.each([
    [["-o", "jsn=@/x"], 'unknown format "jsn"; did you mean json?'],
    [["-o", "zzzzzz=@/x"], "formats are html, json"],
    [["-o", "constructor=@/x"], 'unknown format "constructor"'],
    [["-o", "json"], "must be FORMAT=PATH"],
    [["-o", "json="], "must be FORMAT=PATH"],
    [["-o", "=@/x"], 'unknown format ""'],
    [["-o", "json=@/none/x.json"], "@/none/x.json cannot be written: its folder does not exist"],
    [["-o", "json=@/sub"], "@/sub cannot be written: it is a folder"],
    [["-o", "json=@/new.json", "-o", "json=@/sub/../new.json"], "are one file"],
    [["-o", "json=-", "-o", "json=-"], "stdout takes one output"],
    [["-o", "json=@/new.json", "--write-baseline", "@/new.json"], "are one file"],
    [["-o", "json=@/baseline.json", "--baseline", "@/baseline.json"], "@/baseline.json would be overwritten, but this call reads it"],
    [["-o", "json=@/accept.toml", "--accept", "@/accept.toml"], "@/accept.toml would be overwritten, but this call reads it"],
    [["-o", "json=@/accept.toml", "--config", "@/accept.toml"], "@/accept.toml would be overwritten, but this call reads it"],
    [["-o", "json=@/baseline.json", "--ca-file", "@/baseline.json"], "@/baseline.json would be overwritten, but this call reads it"],
    [["--write-baseline", "@/accept.toml", "--accept", "@/accept.toml"], "@/accept.toml would be overwritten"],
    [["-o", "json=@/accept.toml", "-o", "json=@/none/x"], "@/none/x cannot be written"],
    [["--write-baseline", "@/none/b.json"], "@/none/b.json cannot be written"],
    [["--csv", "check"], "did you mean checks?"],
    [["--sarif-anchor", "../nginx.conf"], "without .."],
  ])("%j", async (args, sentence) => {
    expectRefused(await scan(...args), sentence);
    expect(readFileSync(join(folder, "baseline.json"), "utf8")).toBe(baseline);
  });
});

/** `--sarif-anchor` is a path within the repository, which is not read. */
const notRead: readonly string[] = ["--write-baseline", "--sarif-anchor"];
const fileFlags = [
  "--config",
  ...scanCommand(() => {})
    .options.filter(({ flags }) => /<file\b/.test(flags))
    .map(({ long }) => String(long)),
];

describe("an output in place of a file that the call reads", () => {
  test.each(fileFlags.filter((flag) => !notRead.includes(flag)))("%s", async (flag) => {
    const text = flag === "--baseline" ? baseline : "";
    writeFileSync(join(folder, "input"), text);
    expectRefused(await scan("-o", "json=@/input", flag, "@/input"), "@/input would be overwritten, but this call reads it");
    symlinkSync(join(folder, "input"), join(folder, "link"));
    expectRefused(await scan("-o", "json=@/sub/../link", flag, "@/input"), "@/sub/../link would be overwritten");
    expect(readFileSync(join(folder, "input"), "utf8")).toBe(text);
  });

  test("a check of one's own, and the list of their hashes", async () => {
    writeFileSync(join(folder, "sub", "own.ts"), "");
    expectRefused(await scan("-o", "json=@/sub/own.ts", "--checks-dir", "@/sub"), "@/sub/own.ts would be overwritten");
    writeFileSync(join(folder, "sub", "report.json"), "");
    const beside = await scan("-o", "json=@/sub/report.json", "--checks-dir", "@/sub", "--location", "berlin");
    expectRefused(beside, "--location needs --server URL");
    writeFileSync(join(folder, "hashes"), "");
    writeFileSync(join(folder, "assay.toml"), `[checks]\nrequire_sha256 = "${join(folder, "hashes")}"\n`);
    expectRefused(await scan("-o", "json=@/hashes", "--config", "@/assay.toml"), "@/hashes would be overwritten");
  });

  test("the settings of the data folder", async () => {
    writeFileSync(join(folder, "assay.toml"), "");
    expectRefused(await scan("-o", "json=@/assay.toml", "--data", "@"), "@/assay.toml would be overwritten");
  });
});

describe("a baseline", () => {
  test.each([
    [
      "of another URL",
      baseline.replace(url, "https://other.example/"),
      "line 1, column 35: the baseline has no findings of https://site.example/, but of https://other.example/",
    ],
    [
      "without URLs",
      baseline.replace(`"${url}": []`, ""),
      "line 1, column 35: the baseline has no findings of https://site.example/; write it anew",
    ],
    ["of a newer version", baseline.replace("1", "2"), "line 1, column 20: the baseline has version 2"],
    ["cut in half", baseline.slice(0, 30), "line 1, column 23: it is not JSON, or was cut off"],
    ["with a code that is no text", baseline.replace("[]", "[true]"), "line 1, column 63: a code must be of the form"],
    ["that steers terminals", baseline.replace(url, "https://\\u001b[31m\\u202e/"), "https://?[31m?/"],
  ])("%s", async (_words, text, sentence) => {
    writeFileSync(join(folder, "baseline.json"), text);
    expectRefused(await scan("--baseline", "@/baseline.json"), `@/baseline.json, ${sentence}`.replace(/^.*, (?=https)/, ""));
  });

  test("that does not exist, is a folder, is too large or no text", async () => {
    expectRefused(await scan("--baseline", "@/none.json"), "@/none.json does not exist; --write-baseline writes it");
    expectRefused(await scan("--baseline", "@/sub"), "@/sub cannot be read (EISDIR)");
    truncateSync(join(folder, "baseline.json"), 16 * 1024 ** 2 + 1);
    expectRefused(await scan("--baseline", "@/baseline.json"), "is larger than 16 MiB");
    writeFileSync(join(folder, "baseline.json"), new Uint8Array([0x7b, 0xff, 0x7d]));
    expectRefused(await scan("--baseline", "@/baseline.json"), "is not UTF-8 text");
  });
});

describe("an accept file", () => {
  test.each([
    ["without a reason", '[[accept]]\ncode = "security.hsts.missing"', 'line 1, column 1: "reason" must say why'],
    [
      "with a misspelt key",
      '[[accept]]\ncode = "security.a.b"\nreasn = "b"',
      'line 3, column 1: unknown key "reasn"; did you mean "reason"?',
    ],
    [
      "with a wrong date",
      '[[accept]]\ncode = "security.a.b"\nreason = "b"\nuntil = 2027-02-30',
      'line 4, column 1: "until" must be a date',
    ],
    ["that is no TOML", "[[accept]", "line 1, column "],
  ])("%s", async (_words, text, sentence) => {
    writeFileSync(join(folder, "accept.toml"), text);
    expectRefused(await scan("--accept", "@/accept.toml"), `@/accept.toml, ${sentence}`);
  });

  test("that does not exist", async () => {
    expectRefused(await scan("--accept", "@/none.toml"), "@/none.toml does not exist");
  });
});

test("scan --help names the file, its keys and the exit codes", async () => {
  const { stdout } = await runInProcess(["scan", "--help"]);
  expect(stdout).toContain("[policy] of assay.toml in the current folder may set fail_on, fail_under, baseline, accept");
  expect(stdout).toContain("--write-baseline <file>");
  expect(stdout).toContain("5 some targets not scannable");
});
