/** Files that only look like checks, and code that acts after its import: refused by name when the catalog is loaded. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { workerFiles } from "../../../src/app/placement.ts";
import { describeFault } from "../../../src/catalog/fault.ts";
import { loadCatalogSafely } from "../../../src/catalog/load.ts";
import { type CommandProcess, startCommandProcess } from "../../support/command-process.ts";
import { pluginSource } from "../../support/plugin-source.ts";
import { endServers, serve } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-hostile-"));
const checksDir = join(folder, "checks");

afterEach(endServers);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(checksDir, { recursive: true });
});

/** Writes a file; its name is relative to the parent of the folder of checks. */
function write(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

async function faults(pinsFile: string | null = null): Promise<readonly string[]> {
  const outcome = await loadCatalogSafely({ checksDir, pinsFile, unknownKeys: "warn", workerFile: workerFiles.catalog });
  return (outcome.faults ?? []).map((fault) => describeFault(fault).replaceAll(`${folder}/`, ""));
}

describe("a name of a check that is no file of its own", () => {
  const path = join(checksDir, "own-check.ts");

  test.each([
    ["a dead link", () => symlinkSync(join(folder, "gone.ts"), path), /^check checks\/own-check\.ts: cannot be read \(ENOENT\)$/],
    ["a folder", () => mkdirSync(path), /^check checks\/own-check\.ts: is no regular file$/],
    ["a pipe", () => Bun.spawnSync(["mkfifo", path]), /^check checks\/own-check\.ts: is no regular file$/],
    ["a device", () => symlinkSync("/dev/zero", path), /^check checks\/own-check\.ts: is no regular file$/],
    [
      "a link to a file without an ending",
      () => symlinkSync(write("outside", pluginSource("own-check")), path),
      /^check checks\/own-check\.ts: is no \.ts or \.js file outside node_modules/,
    ],
  ] as [string, () => unknown, RegExp][])("%s", async (_words, make, message) => {
    make();
    expect(await faults()).toEqual([expect.stringMatching(message)]);
  });
});

test("a link into a package cannot bypass the list of hashes", async () => {
  const ran = join(folder, "ran");
  const hostile = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(ran)}, "");\n${pluginSource("own-check")}`;
  symlinkSync(write("node_modules/acme/own-check.ts", hostile), join(checksDir, "own-check.ts"));
  expect(await faults(write("checks.sha256", ""))).toEqual([
    expect.stringMatching(/^check checks\/own-check\.ts: is no \.ts or \.js file/),
  ]);
  expect(await Bun.file(ran).exists()).toBe(false);
});

test("shared code in a folder that any user may write to is refused before it runs", async () => {
  write("checks/lib/shared.ts", "for (;;);");
  chmodSync(join(checksDir, "lib"), 0o777);
  write("checks/own-check.ts", `import "./lib/shared.ts";\n${pluginSource("own-check")}`);
  expect(await faults()).toEqual([
    expect.stringMatching(/^check checks\/lib\/shared\.ts: any user may write to .*lib, and so replace this file/),
  ]);
});

test.each([
  ["_data.toml", 'a = "b"'],
  ["_code.cjs", "module.exports = 1;"],
  ["_text.txt", "text"],
])("a file that the snapshot cannot hold is not imported: %s", async (name, text) => {
  write(`checks/${name}`, text);
  write("checks/own-check.ts", `import data from "./${name}";\n${pluginSource("own-check", { weight: "data ? 1 : 2" })}`);
  expect(await faults()).toEqual([
    expect.stringMatching(
      /^check checks\/own-check\.ts: imports checks\/_\w+\.\w+, but checks may import \.ts, \.js and \.json files only$/,
    ),
  ]);
});

/** In another process: within the test runner, no thread can catch its errors. */
describe("errors after the import", () => {
  let commands: CommandProcess;
  beforeAll(() => {
    commands = startCommandProcess();
  });
  afterAll(() => commands.end());

  test.each([
    ["of a timer", 'setTimeout(() => { throw new Error("no luck"); });', /own-check\.ts:1:\d+: no luck$/],
    ["of a promise", 'Promise.reject(new Error("no luck"));', /own-check\.ts:1:\d+: no luck$/],
    ["of a message", "postMessage({});", /own-check\.ts:1:\d+: a check must not post messages$/],
  ])("%s are faults of the file", async (_words, statement, message) => {
    write("checks/own-check.ts", `${statement}\n${pluginSource("own-check")}`);
    const { code, stderr } = await commands.run(["checks", "list", "--data", folder]);
    expect(stderr.trim()).toMatch(message);
    expect(code).toBe(2);
  });

  test("that come later end no thread of the server", async () => {
    const thrown = join(folder, "thrown");
    const late = `setTimeout(() => { writeFileSync(${JSON.stringify(thrown)}, ""); throw new Error("late"); }, 100);`;
    write("checks/own-check.ts", `import { writeFileSync } from "node:fs";\n${late}\n${pluginSource("own-check")}`);
    const server = await serve(["--data", folder, "--browser-path", process.execPath]);
    while (!existsSync(thrown)) await Bun.sleep(5);
    expect(await server.end("SIGTERM")).toBe(0);
    expect(server.stderr()).toContain("assay listens on");
    expect(server.stderr()).not.toContain("late");
  });
});

test("an async judge is refused with its line", async () => {
  write("checks/own-check.ts", pluginSource("own-check").replace("judge()", "async judge()"));
  expect(await faults()).toEqual([
    expect.stringMatching(/^check checks\/own-check\.ts:7:9: judge is async, but must return its verdict at once$/),
  ]);
});
