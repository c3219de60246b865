/** Kills the server or the browser during scans: no accepted scan is lost or left unfinished. */
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SecurityResult } from "../../src/text/render.ts";
import { type ApiClient, apiClient } from "../support/api-client.ts";
import { compiledBinary, type Installed, install, skippedNote } from "../support/binary.ts";
import { endServers, processesMentioning, run, type ServerUnderTest, serve } from "../support/program.ts";

const rounds = Number(process.env.CRASH_ROUNDS ?? 10);
const scansPerRound = 3;
/** The kill comes at a random instant between the first request and the end of the round's scans. */
const killWithinMs = 2_500;
const scanEndMsMax = 300_000;
/** Deadline for the browser's processes to end after their server. */
const browserEndMsMax = 5_000;

describe.skipIf(compiledBinary === null)(`kill -9${skippedNote}`, () => {
  const installed: Installed | null = compiledBinary === null ? null : install();
  const { folder, binary } = installed ?? { folder: "", binary: "" };
  const data = join(folder, "data");
  // Slow enough that scans are running when the kill comes.
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async () => {
      await Bun.sleep(Math.random() * 300);
      return new Response("<!doctype html><title>crash</title><p>still here", { headers: { "content-type": "text/html" } });
    },
  });
  const page = `http://127.0.0.1:${site.port}/`;
  const options = { command: [binary], cwd: folder, env: { ASSAY_API_RATE_PER_MINUTE: "100000" } };
  const startServer = () => serve(["--data", data, "--allow-cidr", "127.0.0.1", "--allow-port", String(site.port)], options);

  afterAll(async () => {
    await endServers();
    site.stop(true);
    installed?.remove();
  });

  async function createApiToken(): Promise<string> {
    await run(["user", "create", "first@assay.test", "--data", data], options);
    return (await run(["token", "create", "--user", "first@assay.test", "--name", "crash", "--data", data], options)).stdout.trim();
  }

  async function catalogSize(): Promise<number> {
    const { stdout } = await run(["checks", "list", "--json", "--data", data], options);
    return JSON.parse(stdout).checks.length;
  }

  function expectConsistent({ status, scanErrorMessage, security, progressStage }: SecurityResult, checks: number): void {
    expect(progressStage).toBeNull();
    if (status === "finished") {
      expect(security?.checks?.length).toBe(checks);
      expect(security?.checkSummary?.total).toBe(checks);
      expect(scanErrorMessage).toBeNull();
      return;
    }
    expect(status).toBe("failed");
    expect(scanErrorMessage).not.toBeNull();
    expect([security?.measured, security?.checks]).toEqual([false, null]);
  }

  async function remainingProcesses(): Promise<readonly number[]> {
    const deadline = Date.now() + browserEndMsMax;
    for (;;) {
      const left = await processesMentioning(data);
      if (left.length === 0 || Date.now() > deadline) return left;
      await Bun.sleep(100);
    }
  }

  /** The browser's main process; its children have a `--type` argument. */
  async function browserProcess(server: ServerUnderTest): Promise<number | null> {
    for (const pid of await processesMentioning(data)) {
      const commandLine = await Bun.file(`/proc/${pid}/cmdline`)
        .text()
        .catch(() => "");
      if (pid !== server.pid && commandLine.includes("--remote-debugging") && !commandLine.includes("--type=")) return pid;
    }
    return null;
  }

  test(
    `${rounds} kills of the server at random instants`,
    async () => {
      const apiToken = await createApiToken();
      const accepted: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const running = await startServer();
        const client = apiClient(running.url, apiToken);
        const killAfterMs = Math.random() * killWithinMs;
        // Three start at once, so that a scan is running. The others start at random, so that a kill can hit an acceptance.
        const started = [0, 0, 0, ...Array.from({ length: scansPerRound }, () => Math.random() * killAfterMs)].map(async (afterMs) => {
          await Bun.sleep(afterMs);
          return client.start(page);
        });
        await Bun.sleep(killAfterMs);
        await running.end("SIGKILL");
        accepted.push(...(await Promise.all(started)).filter((token) => token !== null));
      }
      const running = await startServer();
      const client = apiClient(running.url, apiToken);
      const checks = await catalogSize();
      const ends = await Promise.all(accepted.map((token) => client.ended(token, scanEndMsMax)));
      for (const end of ends) expectConsistent(end, checks);
      expect(accepted.length).toBeGreaterThan(0);
      expect((await listedTokens(client)).sort()).toEqual(expect.arrayContaining(accepted.sort()));
      expect(await running.end("SIGTERM")).toBe(0);
      expect(await remainingProcesses()).toEqual([]);
      const failed = ends.filter(({ status }) => status === "failed").length;
      process.stderr.write(
        `${rounds} kills, ${accepted.length} scans accepted, ${accepted.length - failed} finished, ${failed} given up\n`,
      );
    },
    scanEndMsMax + rounds * 10_000,
  );

  test(
    "the browser is killed during scans",
    async () => {
      const running = await startServer();
      const client = apiClient(running.url, await createApiToken());
      const checks = await catalogSize();
      const accepted = await Promise.all(Array.from({ length: scansPerRound }, () => client.start(page)));
      const tokens = accepted.filter((token) => token !== null);
      expect(tokens.length).toBe(scansPerRound);
      let victim: number | null = null;
      while (victim === null) {
        await Bun.sleep(50);
        victim = await browserProcess(running);
      }
      await Bun.sleep(300);
      process.kill(victim, "SIGKILL");
      for (const token of tokens) expectConsistent(await client.ended(token, scanEndMsMax), checks);
      const after = await client.start(page);
      expect((await client.ended(after ?? "", scanEndMsMax)).status).toBe("finished");
      expect(await running.end("SIGTERM")).toBe(0);
      expect(await remainingProcesses()).toEqual([]);
    },
    scanEndMsMax,
  );

  async function listedTokens(client: ApiClient): Promise<string[]> {
    const tokens: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `?cursor=${cursor}`;
      const { body } = await client.get<{ items: { token: string }[]; nextCursor: string | null }>(`/api/v1/scans${query}`);
      tokens.push(...body.items.map(({ token }) => token));
      cursor = body.nextCursor;
    }
    return tokens;
  }
});
