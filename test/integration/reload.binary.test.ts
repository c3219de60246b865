/** Plugins of the compiled program: dropped in and reloaded while a scan runs, refused when broken, named when they loop. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FullReport } from "../../src/text/render.ts";
import { type ApiClient, apiClient } from "../support/api-client.ts";
import { compiledBinary, type Installed, install, skippedNote } from "../support/binary.ts";
import { pluginSource } from "../support/plugin-source.ts";
import { endServers, run, type ServerUnderTest, serve } from "../support/program.ts";

/** The first start unpacks the browser. */
const testMs = 120_000;
const pollMs = 50;

describe.skipIf(compiledBinary === null)(`plugins of the compiled program${skippedNote}`, () => {
  const installed: Installed | null = compiledBinary === null ? null : install();
  const { folder, binary } = installed ?? { folder: "", binary: "" };
  const options = { command: [binary], cwd: folder, env: { HOME: folder, ASSAY_API_RATE_PER_MINUTE: "100000" } };
  const data = join(folder, "data");
  const checksDir = join(data, "checks");
  /** Answers of the slow page wait for this. */
  let released = Promise.withResolvers<void>();
  let slowRequests = 0;
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async ({ url }) => {
      if (url.endsWith("/slow")) {
        slowRequests += 1;
        await released.promise;
      }
      return new Response("<!doctype html><title>site</title>", { headers: { "content-type": "text/html" } });
    },
  });
  const page = `http://127.0.0.1:${site.port}/`;
  let server: ServerUnderTest;
  let client: ApiClient;

  beforeAll(async () => {
    if (installed === null) return;
    mkdirSync(checksDir, { recursive: true });
    server = await serve(["--data", data, "--allow-cidr", "127.0.0.1", "--allow-port", String(site.port)], options);
    await run(["user", "create", "first@assay.test", "--data", data], options);
    const created = await run(["token", "create", "--user", "first@assay.test", "--name", "test", "--data", data], options);
    client = apiClient(server.url, created.stdout.trim());
  }, testMs);

  afterAll(async () => {
    await endServers();
    site.stop(true);
    installed?.remove();
  });

  function drop(name: string, text: string): void {
    writeFileSync(join(checksDir, name), text, { mode: 0o644 });
  }

  /** What the log says about the reload. */
  async function reload(): Promise<string> {
    const before = server.stderr().length;
    process.kill(server.pid, "SIGHUP");
    for (;;) {
      const told = server.stderr().slice(before);
      if (/checks (not )?reloaded.*\n/.test(told)) return told.replaceAll(`${checksDir}/`, "");
      await Bun.sleep(pollMs);
    }
  }

  async function scanned(token: string | null) {
    await client.ended(token ?? "", testMs);
    const { body } = await client.get<FullReport<unknown, unknown>>(`/api/v1/scans/${token}`);
    const keys = body.security?.checks?.map(({ key }) => key) ?? [];
    return { status: body.status, catalogVersion: body.catalogVersion, own: keys.filter((key) => key.startsWith("own-")) };
  }

  test(
    "a new file is in the ledger of the next scan, and a running scan ends with the catalog it began with",
    async () => {
      const before = await scanned(await client.start(page));
      expect(before).toMatchObject({ status: "finished", own: [] });
      const across = await client.start(`${page}slow`);
      while (slowRequests === 0) await Bun.sleep(pollMs);
      drop("_shared.ts", "export const weight: number = 2;");
      drop("own-check.ts", `import { weight } from "./_shared";\n${pluginSource("own-check", { weight: "weight" })}`);
      expect(await reload()).toContain('"added":"own-check"');
      released.resolve();
      expect(await scanned(across)).toEqual(before);
      const after = await scanned(await client.start(page));
      expect(after.own).toEqual(["own-check"]);
      expect(after.catalogVersion).not.toBe(before.catalogVersion);
      for (const locale of ["en-gb", "de-de"]) {
        const listed = await fetch(`${server.url}/checks?locale=${locale}`);
        expect(await listed.text()).toContain("own-check.ts");
      }
      released = Promise.withResolvers();
    },
    testMs,
  );

  test(
    "a broken file changes nothing, and the log names it with line and reason",
    async () => {
      const former = await scanned(await client.start(page));
      expect(former.own).toEqual(["own-check"]);
      drop("own-two.ts", "\nthrow new Error('no luck');");
      const told = await reload();
      expect(told).toMatch(/check own-two\.ts:2:\d+: no luck/);
      expect(told).toContain("checks not reloaded");
      expect(await scanned(await client.start(page))).toEqual(former);
      const listed = await run(["checks", "list", "--data", data], options);
      expect([listed.code, listed.stderr.replaceAll(`${checksDir}/`, "")]).toEqual([
        2,
        expect.stringMatching(/own-two\.ts:2:\d+: no luck/),
      ]);
    },
    testMs,
  );

  test(
    "a file that loops at import: the start ends with exit code 2 and its name",
    async () => {
      const looping = join(folder, "looping");
      mkdirSync(looping);
      writeFileSync(join(looping, "own-loop.ts"), "for (;;);", { mode: 0o644 });
      const args = ["serve", "--listen", "127.0.0.1:0", "--checks-dir", looping, "--data", join(folder, "looping-data")];
      const { code, stderr } = await run(args, options);
      expect([code, stderr]).toEqual([2, `assay: check ${join(looping, "own-loop.ts")}: did not finish loading within 10 seconds\n`]);
    },
    testMs,
  );
});
