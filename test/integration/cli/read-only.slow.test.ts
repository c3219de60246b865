/** Commands that list only read: on a read-only mount, beside a server, and without a store. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCommandProcess } from "../../support/command-process.ts";
import { rootIsMissing } from "../../support/missing.ts";
import { endServers, runInProcess, serve } from "../../support/program.ts";

const isRoot = process.getuid?.() === 0;
/** User id of `nobody` on Debian. */
const unprivilegedUid = 65_534;
/** The capability lets this user read the sources wherever they are. It gives no right to write. */
const asReader = [
  "setpriv",
  `--reuid=${unprivilegedUid}`,
  `--regid=${unprivilegedUid}`,
  "--clear-groups",
  "--inh-caps=-all,+dac_read_search",
  "--ambient-caps=-all,+dac_read_search",
  "--bounding-set=-all,+dac_read_search",
];
const dataDir = mkdtempSync(join(tmpdir(), "assay-read-only-"));

beforeAll(async () => {
  await runInProcess(["user", "create", "first@site.example", "--data", dataDir]);
  await runInProcess(["token", "create", "--user", "first@site.example", "--name", "ci", "--data", dataDir]);
});

afterAll(async () => {
  await endServers();
  rmSync(dataDir, { recursive: true });
});

const listings = [
  { args: ["user", "list", "--json"], shown: "first@site.example" },
  { args: ["token", "list", "--json"], shown: '"name":"ci"' },
  { args: ["token", "list", "--user", "first@site.example"], shown: "valid" },
];

const storedBytes = () => readFileSync(join(dataDir, "store", "data.mdb"));

async function expectListed(run: typeof runInProcess): Promise<void> {
  for (const { args, shown } of listings) {
    const { code, stdout, stderr } = await run([...args, "--data", dataDir]);
    expect([args, code, stdout, stderr]).toEqual([args, 0, expect.stringContaining(shown), ""]);
  }
}

/** The commands run in another process, which this command starts. */
async function expectListedBy(wrapper: readonly string[]): Promise<void> {
  const commands = startCommandProcess(wrapper);
  await expectListed(commands.run);
  await commands.end();
}

describe("listing", () => {
  test.skipIf(rootIsMissing())("works on a read-only mount", async () => {
    const before = storedBytes();
    const inMount = `mount -o bind,ro "${dataDir}" "${dataDir}" && ! touch "${dataDir}/x" 2>/dev/null && exec "$@"`;
    await expectListedBy(["unshare", "--mount", "--propagation", "private", "sh", "-c", inMount, "sh"]);
    expect(storedBytes().equals(before)).toBe(true);
  });

  test("works where this user may only read", async () => {
    const paths = ["", "store", "store/data.mdb", "store/lock.mdb"].map((name) => join(dataDir, name));
    for (const path of paths) chmodSync(path, path.endsWith(".mdb") ? 0o444 : 0o555);
    const as = isRoot ? asReader : [];
    const write = Bun.spawnSync([...as, "touch", join(dataDir, "x")], { stderr: "ignore" });
    expect(write.exitCode).toBe(1);
    await expectListedBy(as);
    for (const path of paths) chmodSync(path, path.endsWith(".mdb") ? 0o600 : 0o700);
  });

  test("works beside a server", async () => {
    const server = await serve(["--data", dataDir, "--browser-path", "/nonexistent"]);
    await expectListed(runInProcess);
    expect(await server.end("SIGTERM")).toBe(0);
  });

  test("without a store lists nothing and creates nothing", async () => {
    const empty = mkdtempSync(join(tmpdir(), "assay-empty-"));
    expect(await runInProcess(["user", "list", "--json", "--data", empty])).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(await runInProcess(["token", "list", "--data", empty])).toMatchObject({ code: 0, stdout: "" });
    const unknown = await runInProcess(["token", "list", "--user", "me@site.example", "--data", empty]);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no account for me@site.example") });
    expect(readdirSync(empty)).toEqual([]);
    expect(existsSync(join(empty, "store"))).toBe(false);
    rmSync(empty, { recursive: true });
  });
});
