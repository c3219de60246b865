/** Each command once as a process of its own: other tests run commands within a process, without the entry of the program. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fromSource, run, runInProcess } from "../../support/program.ts";

// reaches: src/main.ts

const folder = mkdtempSync(join(tmpdir(), "assay-commands-"));
const freshData = () => mkdtempSync(join(folder, "data-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** From the help, so that no command can be forgotten. */
async function commandNames(): Promise<readonly string[]> {
  const { stdout } = await runInProcess(["--help"]);
  const [, listed = ""] = /\nCommands:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
  return [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
}

describe("as a process", () => {
  test("each command prints its help", async () => {
    const names = await commandNames();
    expect(names).toEqual(expect.arrayContaining(["serve", "scan", "user", "restore", "worker"]));
    expect(names.length).toBeGreaterThan(12);
    for (const name of names) {
      const { code, stdout, stderr } = await run([name, "--help"]);
      expect([name, code, stdout, stderr]).toEqual([name, 0, expect.stringContaining(`Usage: assay ${name}`), ""]);
    }
  }, 300_000);

  test("a password comes from stdin, and a listing goes to stdout", async () => {
    const data = freshData();
    const stdin = "green lamps over Oslo\n";
    expect((await run(["user", "create", "me@assay.test", "--password-stdin", "--data", data], { stdin })).code).toBe(0);
    const { code, stdout, stderr } = await run(["user", "list", "--json", "--data", data]);
    expect([code, JSON.parse(stdout), stderr]).toMatchObject([0, [{ email: "me@assay.test", admin: true }], ""]);
  });

  test.each<[string, number, string, () => readonly string[]]>([
    ["an unknown command", 2, "Did you mean serve?", () => ["sevre"]],
    ["a data directory that is a file", 6, "cannot be written", () => ["user", "list", "--data", import.meta.path]],
    ["a store that is damaged", 6, "is not a store of assay", () => ["serve", "--listen", "127.0.0.1:0", "--data", dataWithBrokenStore()]],
    ["a check that is broken", 2, "own-check.ts:1:11: no luck", () => ["checks", "list", "--data", dataWithBrokenCheck()]],
    ["a server with a broken check", 2, "no luck", () => ["serve", "--listen", "127.0.0.1:0", "--data", dataWithBrokenCheck()]],
  ])("%s is exit %d and one sentence", async (_words, expected, sentence, args) => {
    const { code, stdout, stderr } = await run(args());
    expect([code, stdout, stderr]).toEqual([expected, "", expect.stringContaining(sentence)]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("a command that needs the compiled program is exit 2 and one sentence", async () => {
    const { code, stdout, stderr } = await run(["licences"], { command: fromSource });
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("npm run compile")]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("an unknown variable of the environment is exit 2", async () => {
    const { code, stderr } = await run(["user", "list"], { env: { ASSAY_DATTA: folder } });
    expect([code, stderr]).toEqual([2, expect.stringContaining("did you mean ASSAY_DATA?")]);
  });
});

function dataWithBrokenStore(): string {
  const data = freshData();
  mkdirSync(join(data, "store"));
  writeFileSync(join(data, "store", "data.mdb"), "nonsense".repeat(1_000));
  return data;
}

function dataWithBrokenCheck(): string {
  const data = freshData();
  mkdirSync(join(data, "checks"));
  writeFileSync(join(data, "checks", "own-check.ts"), 'throw new Error("no luck");', { mode: 0o600 });
  return data;
}
