/** The commands that `assay restore` prints for settings and plugins outside of the data directory, run by a shell. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../../src/settings/config.ts";
import { runInProcess } from "../../support/program.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

let folder: string;
let data: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-restored-settings-"));
  data = join(folder, "data");
  await temporaryStore({}, data).store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const assay = (...args: readonly string[]) => runInProcess([...args, "--data", data]);

test("settings and plugins of other folders are put in force by the commands that a restore prints", async () => {
  const [etc, plugins] = [join(folder, "etc of a server"), join(folder, "plugins")];
  const config = join(etc, "server.toml");
  for (const path of [etc, join(plugins, "lib")]) mkdirSync(path, { recursive: true });
  writeFileSync(config, `scan.queue_max = 7\nchecks.dir = "../plugins"\n`);
  writeFileSync(join(plugins, "lib/own.ts"), "// own");
  const archive = join(folder, "outside.tar.zst");
  expect(await assay("backup", "create", "--out", archive, "--config", config)).toMatchObject({ code: 0 });
  const restoreInto = async (name: string) => {
    const { code, stderr } = await runInProcess(["restore", archive, "--data", join(folder, name)]);
    expect(code).toBe(0);
    return { stderr, commands: stderr.split("\n").filter((line) => line.startsWith("  ")) };
  };

  const beside = await restoreInto("beside");
  expect(beside.stderr).toContain(`which still equals its copy ${join(folder, "beside/outside/assay.toml")}`);
  writeFileSync(config, "scan.queue_max = 8\n");
  expect((await restoreInto("changed")).commands.filter((line) => line.includes("diff"))).toHaveLength(1);

  for (const path of [etc, plugins]) rmSync(path, { recursive: true });
  const { commands } = await restoreInto("elsewhere2");
  const start = commands.at(-1) ?? "";
  expect(start).toContain(`serve --data ${join(folder, "elsewhere2")} --config '${config}'`);
  for (const line of commands.slice(0, -1)) expect([line, Bun.spawnSync(["sh", "-ec", line]).exitCode]).toEqual([line, 0]);
  const loaded = loadConfig({ flags: {}, env: {}, configFile: config });
  expect([loaded["scan.queue_max"], loaded["checks.dir"]]).toEqual([7, plugins]);
  expect(readFileSync(join(plugins, "lib/own.ts"), "utf8")).toBe("// own");
});
