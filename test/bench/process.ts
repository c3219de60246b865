/** Measures start time and memory of the server process; uses the compiled binary if it exists. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openStore } from "../../src/store/store.ts";
import { fromSource, type ServerUnderTest, serve } from "../support/program.ts";
import { startChild } from "./child.ts";
import type { Row } from "./report.ts";
import { type SiteReady, siteHost } from "./site.ts";
import { spreadOf } from "./spread.ts";

const startMsMax = 300;
const residentMBMax = 200;
/** Several readings, because garbage collection changes the memory. */
const readings = 10;
const readingEveryMs = 200;
/** Scans waiting at the same time, as on a busy appliance. */
const queuedMax = 20;

const binary = resolve(import.meta.dirname, "../../dist/assay");
const compiled = existsSync(binary);
const command = compiled ? [binary] : fromSource;
const variant = compiled ? "binary" : "from source";

export async function benchStart({ starts }: { readonly starts: number }): Promise<readonly Row[]> {
  const took: number[] = [];
  for (let start = -1; start < starts; start++) {
    const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-start-"));
    const beganMs = performance.now();
    const server = await serve(["--data", dataDir], { command });
    const answered = await fetch(`${server.url}/healthz`);
    const tookMs = performance.now() - beganMs;
    if (!answered.ok) throw new Error(`/healthz answered ${answered.status}`);
    // The first start only fills the page cache.
    if (start >= 0) took.push(tookMs);
    await server.end("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
  const measured = spreadOf(took);
  const target = { text: `at most ${startMsMax} ms`, met: measured.median <= startMsMax };
  return [{ name: `start to first response, ${variant}`, unit: "ms", measured, ...(compiled ? { target } : {}) }];
}

export async function benchMemory({ scans }: { readonly scans: number }): Promise<readonly Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-memory-"));
  const site = await startChild<SiteReady>("site.ts");
  const apiToken = await createApiToken(dataDir);
  const rootFile = join(dataDir, "root.pem");
  await Bun.write(rootFile, site.ready.rootPem);
  const connectTo = [`${siteHost}:443=127.0.0.1:${site.ready.httpsPort}`, `${siteHost}:80=127.0.0.1:${site.ready.httpPort}`];
  const start = () =>
    serve(
      [
        ...["--data", dataDir, "--allow-cidr", "127.0.0.0/8", "--ca-file", rootFile, "--dns", site.ready.dns],
        ...connectTo.flatMap((mapping) => ["--connect-to", mapping]),
      ],
      { command, env: { ASSAY_API_RATE_PER_MINUTE: "100000", ASSAY_LOG_LEVEL: "warn" } },
    );
  // The first start unpacks the browser, which later starts do not.
  const first = await start();
  await ready(first);
  await first.end("SIGTERM");
  const server = await start();
  try {
    await ready(server);
    const idle = await memoryOf(server);
    await runScans(server, apiToken, scans);
    const after = await memoryOf(server);
    return [rowOf(`resident, idle, ${variant}`, idle), rowOf(`resident, after ${scans} scans, ${variant}`, after)];
  } finally {
    await server.end("SIGTERM");
    await site.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function rowOf(name: string, series: readonly Memory[]): Row {
  const measured = spreadOf(series.map(({ residentMB }) => residentMB));
  const fileBacked = spreadOf(series.map(({ fileBackedMB }) => fileBackedMB)).median.toFixed(0);
  return {
    name,
    unit: "MB",
    measured,
    target: { text: `under ${residentMBMax} MB`, met: measured.median < residentMBMax },
    note: `${fileBacked} MB of it are file-backed, mostly the program itself; the system can reclaim them`,
  };
}

async function createApiToken(dataDir: string): Promise<string> {
  const store = openStore(dataDir);
  const now = new Date();
  const account = await store.accounts.create({ email: "bench@assay.test", now });
  if (typeof account === "string") throw new Error(account);
  const { value } = await store.apiTokens.create({ accountId: account.id, name: "bench", now });
  await store.close();
  return value;
}

/** Queues scans and waits until all have ended. @throws Error if one fails. */
async function runScans({ url }: ServerUnderTest, apiToken: string, scans: number): Promise<void> {
  const authorization = `Bearer ${apiToken}`;
  const waiting: string[] = [];
  const hasEnded = async (statusUrl: string) => {
    const { status } = (await (await fetch(`${url}${statusUrl}/security`, { headers: { authorization } })).json()) as { status: string };
    if (status === "failed") throw new Error("a scan failed");
    return status === "finished";
  };
  const oldestEnded = () => until(async () => waiting[0] === undefined || (await hasEnded(waiting[0])));
  for (let queued = 0; queued < scans; queued++) {
    const response = await fetch(`${url}/api/v1/scans`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ url: `https://${siteHost}/` }),
    });
    if (response.status !== 202) throw new Error(`a scan was answered with ${response.status}`);
    waiting.push(((await response.json()) as { statusUrl: string }).statusUrl);
    if (waiting.length < queuedMax) continue;
    await oldestEnded();
    waiting.shift();
  }
  for (; waiting.length > 0; waiting.shift()) await oldestEnded();
}

interface Memory {
  readonly residentMB: number;
  readonly fileBackedMB: number;
}

async function memoryOf({ pid }: ServerUnderTest): Promise<readonly Memory[]> {
  const series: Memory[] = [];
  for (let reading = 0; reading < readings; reading++) {
    await Bun.sleep(readingEveryMs);
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const megabytes = (name: string) => (Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status)?.[1]) * 1_024) / 1e6;
    series.push({ residentMB: megabytes("VmRSS"), fileBackedMB: megabytes("RssFile") });
  }
  return series;
}

/** @throws Error with the server's output if its browser does not start. */
async function ready(server: ServerUnderTest): Promise<void> {
  await until(async () => (await fetch(`${server.url}/readyz`)).ok).catch(() => {
    throw new Error(`the server did not become ready: ${server.stderr()}`);
  });
}

async function until(condition: () => Promise<boolean>, waitMs = 60_000): Promise<void> {
  for (const deadlineMs = Date.now() + waitMs; !(await condition()); await Bun.sleep(25)) {
    if (Date.now() > deadlineMs) throw new Error(`not done within ${waitMs} ms`);
  }
}
