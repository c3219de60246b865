/** Kills server, browsers and workers during scans: no scan is lost or done twice, even if its start is repeated, and nothing is left behind. */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { pidsBelow, readChildPids } from "../../src/browser/processes.ts";
import type { SecurityResult } from "../../src/text/render.ts";
import { type ApiClient, apiClient } from "../support/api-client.ts";
import { compiledBinary, type Installed, install, skippedNote } from "../support/binary.ts";
import { endServers, processesMentioning, run, type ServerUnderTest, serve } from "../support/program.ts";
import { randomFrom } from "./store/damaged-store.ts";

const threadKilledLine = "test: worker thread ended";
const rounds = Number(process.env.CRASH_ROUNDS ?? 10);
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const scansPerRound = 3;
/** The kill comes at a random instant between the first request and the end of the round's scans. */
const killWithinMs = 2_500;
const scanEndMsMax = 300_000;
/** Deadline for the browser's processes to end after their server. */
const browserEndMsMax = 30_000;
const readyMsMax = 60_000;
/** Each kind of kill once, before chance decides. */
const victims = ["server", "browser", "browser process", "worker"] as const;
type Victim = (typeof victims)[number];
/** Only root may make one without a user namespace. */
const hasPidNamespaces = Bun.spawnSync(["unshare", "--pid", "--fork", "--mount-proc", "true"]).success;

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
  const preload = `--preload ${resolve(import.meta.dirname, "../support/thread-killer.ts")}`;
  const options = { command: [binary], cwd: folder, env: { ASSAY_API_RATE_PER_MINUTE: "100000" } };
  const serveArgs = ["--data", data, "--allow-cidr", "127.0.0.1", "--allow-port", String(site.port)];
  const startServer = (wrapper: readonly string[] = []) =>
    serve(serveArgs, {
      ...options,
      command: [...wrapper, binary],
      env: { ...options.env, BUN_OPTIONS: preload, THREAD_KILLED_LINE: threadKilledLine },
    });

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

  /** Profiles by the folder of the process that made them. */
  function profiles(): readonly (readonly string[])[] {
    const root = join(data, "browser/profiles");
    return readdirSync(root).map((owner) => readdirSync(join(root, owner)).filter((name) => name.startsWith("profile-")));
  }

  async function ready({ url, stderr }: ServerUnderTest): Promise<void> {
    const deadline = Date.now() + readyMsMax;
    while (!(await fetch(`${url}/readyz`)).ok) {
      if (Date.now() > deadline) throw new Error(`the server did not become ready: ${stderr()}`);
      await Bun.sleep(50);
    }
  }

  /** Processes below the server; `browsers` alone are its children, all others belong to them. */
  function processesOf({ pid }: ServerUnderTest): Readonly<Record<"browsers" | "all", readonly number[]>> {
    const children = readChildPids();
    return { browsers: children.get(pid) ?? [], all: pidsBelow(pid, children).slice(1) };
  }

  /** Waits for a browser to kill: shortly after its start, the server has no browser. */
  async function kill(victim: Victim, server: ServerUnderTest, random: () => number): Promise<void> {
    if (victim === "server") return void (await server.end("SIGKILL"));
    const deadline = Date.now() + readyMsMax;
    for (;;) {
      const { browsers, all } = processesOf(server);
      const among = victim === "browser" ? browsers : all;
      const pid = among[Math.floor(random() * among.length)];
      if (pid !== undefined) return victim === "worker" ? void process.kill(server.pid, "SIGUSR2") : killProcess(pid);
      if (Date.now() > deadline) throw new Error(`the server started no browser: ${server.stderr()}`);
      await Bun.sleep(20);
    }
  }

  /** What a client knows about the scans that it started. */
  interface Started {
    /** Token by URL. */
    readonly accepted: Map<string, string>;
    /** URLs of requests without an answer. */
    readonly unanswered: string[];
    requests: number;
  }

  /** Some start at once, so that a scan is running. The others start at random, so that a kill can hit an acceptance. */
  function startScans(client: ApiClient, started: Started, killAfterMs: number, random: () => number): Promise<unknown> {
    const delays = Array.from({ length: scansPerRound }, () => random() * killAfterMs);
    const later = delays.map((afterMs) => Bun.sleep(afterMs).then(() => startScan(client, started)));
    return Promise.all([startAtOnce(client, started), ...later]);
  }

  function startAtOnce(client: ApiClient, started: Started): Promise<unknown> {
    return Promise.all(Array.from({ length: scansPerRound }, () => startScan(client, started)));
  }

  /** Another page for each request, so that a scan that exists twice is noticed. The page is the idempotency key too. */
  async function startScan(client: ApiClient, started: Started): Promise<void> {
    const url = `${page}${started.requests++}`;
    const token = await client.start(url, url);
    if (token === null) started.unanswered.push(url);
    else started.accepted.set(url, token);
  }

  /** Repeats the starts of a killed server with their keys: those with an answer give it again, the others exactly one scan. */
  async function repeatStarts(client: ApiClient, { accepted, unanswered }: Started): Promise<void> {
    for (const [url, token] of accepted) expect(await client.start(url, url)).toBe(token);
    for (const url of unanswered.splice(0)) {
      const token = await client.start(url, url);
      expect(token).not.toBeNull();
      accepted.set(url, token ?? "");
    }
  }

  test(
    `${rounds} kills at random instants (seed ${seed})`,
    async () => {
      const random = randomFrom(seed);
      const apiToken = await createApiToken();
      const started: Started = { accepted: new Map(), unanswered: [], requests: 0 };
      const kills: Record<Victim, number> = { server: 0, browser: 0, "browser process": 0, worker: 0 };
      let [threadsKilled, repeated] = [0, 0];
      let running = await startServer();
      for (let round = 0; round < rounds; round++) {
        const killAfterMs = random() * killWithinMs;
        const starts = startScans(apiClient(running.url, apiToken), started, killAfterMs, random);
        await Bun.sleep(killAfterMs);
        const victim = victims[round < victims.length ? round : Math.floor(random() * victims.length)] as Victim;
        const late = victim === "server" ? startAtOnce(apiClient(running.url, apiToken), started) : null;
        await kill(victim, running, random);
        await Promise.all([starts, late]);
        kills[victim]++;
        if (victim !== "server") continue;
        threadsKilled += countOf(threadKilledLine, running.stderr());
        expect(await remainingProcesses()).toEqual([]);
        running = await startServer();
        repeated += started.unanswered.length;
        await repeatStarts(apiClient(running.url, apiToken), started);
      }
      const client = apiClient(running.url, apiToken);
      const checks = await catalogSize();
      const ends: SecurityResult[] = [];
      for (const token of started.accepted.values()) ends.push(await client.ended(token, scanEndMsMax));
      for (const end of ends) expectConsistent(end, checks);
      threadsKilled += countOf(threadKilledLine, running.stderr());
      const listed = await listedScans(client);
      await expectNothingLeft(running);
      expect(started.unanswered).toEqual([]);
      expect(new Map(listed.map(({ url, token }) => [url, token]))).toEqual(started.accepted);
      expect(listed).toHaveLength(started.requests);
      expect(repeated).toBeGreaterThan(0);
      expect(threadsKilled).toBeGreaterThan(0);
      const failures = countedBy(ends, ({ status, scanErrorMessage }) => (status === "failed" ? scanErrorMessage : null));
      process.stderr.write(
        `seed ${seed}: ${JSON.stringify({ kills, threadsKilled, repeated, requests: started.requests, scans: listed.length, failures }, null, 2)}\n`,
      );
    },
    scanEndMsMax + rounds * 15_000,
  );

  /** Looks for remains after a last kill of the server, after its next start, and after the orderly end of this start. */
  async function expectNothingLeft(running: ServerUnderTest): Promise<void> {
    await running.end("SIGKILL");
    expect(await remainingProcesses()).toEqual([]);
    const next = await startServer();
    await ready(next);
    expect(profiles().map((names) => names.length)).toEqual([processesOf(next).browsers.length]);
    expect(await next.end("SIGTERM")).toBe(0);
    expect(await remainingProcesses()).toEqual([]);
    expect(profiles()).toEqual([]);
  }

  test.skipIf(!hasPidNamespaces)("in a PID namespace, where process ids repeat, no profile is left", async () => {
    const startInNamespace = () => startServer(["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]);
    for (let start = 0; start < 3; start++) {
      const running = await startInNamespace();
      await ready(running);
      expect(profiles().map((names) => names.length)).toEqual([1]);
      await running.end("SIGKILL");
      expect(await remainingProcesses()).toEqual([]);
    }
  });

  async function listedScans(client: ApiClient): Promise<readonly { readonly token: string; readonly url: string }[]> {
    const scans: { token: string; url: string }[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `?cursor=${cursor}`;
      const { body } = await client.get<{ items: { token: string; url: string }[]; nextCursor: string | null }>(`/api/v1/scans${query}`);
      scans.push(...body.items);
      cursor = body.nextCursor;
    }
    return scans;
  }
});

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in between.
  }
}

/** How often each name occurs; null is not counted. */
function countedBy<T>(items: readonly T[], nameOf: (item: T) => string | null): Readonly<Record<string, number>> {
  const names = items.map(nameOf).filter((name) => name !== null);
  return Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((each) => each === name).length]));
}

function countOf(part: string, text: string): number {
  return text.split(part).length - 1;
}
