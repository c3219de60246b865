/** The server as a process: how soon it answers, and how much memory it holds. The compiled binary where there is one. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openStore } from "../../src/store/store.ts";
import { fromSource, type ServerUnderTest, serve } from "../support/program.ts";
import { startChild } from "./child.ts";
import type { Row } from "./report.ts";
import { type SiteSaid, siteHost } from "./site.ts";
import { spreadOf } from "./spread.ts";

const startMsMax = 300;
const residentMBMax = 200;
/** A garbage collection comes and goes: memory is read several times. */
const readings = 10;
const readingEveryMs = 200;
/** Scans that wait at the same time: a queue as a busy appliance has it. */
const queuedMax = 20;

const binary = resolve(import.meta.dirname, "../../dist/assay");
const compiled = existsSync(binary);
const command = compiled ? [binary] : fromSource;
const whose = compiled ? "binary" : "from source";

export async function benchStart({ starts }: { readonly starts: number }): Promise<readonly Row[]> {
  const took: number[] = [];
  for (let start = -1; start < starts; start++) {
    const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-start-"));
    const beganMs = performance.now();
    const server = await serve(["--data", dataDir], { command });
    const answered = await fetch(`${server.url}/healthz`);
    const tookMs = performance.now() - beganMs;
    if (!answered.ok) throw new Error(`/healthz answered ${answered.status}`);
    // The first start brings the binary into the page cache.
    if (start >= 0) took.push(tookMs);
    await server.end("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
  const measured = spreadOf(took);
  const aim = { words: `at most ${startMsMax} ms`, met: measured.median <= startMsMax };
  return [{ name: `start to first answer, ${whose}`, unit: "ms", measured, ...(compiled ? { aim } : {}) }];
}

export async function benchMemory({ scans }: { readonly scans: number }): Promise<readonly Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-memory-"));
  const site = await startChild<SiteSaid>("site.ts");
  const apiToken = await newApiToken(dataDir);
  const rootFile = join(dataDir, "root.pem");
  await Bun.write(rootFile, site.said.rootPem);
  const places = [`${siteHost}:443=127.0.0.1:${site.said.httpsPort}`, `${siteHost}:80=127.0.0.1:${site.said.httpPort}`];
  const start = () =>
    serve(
      [
        ...["--data", dataDir, "--allow-cidr", "127.0.0.0/8", "--ca-file", rootFile, "--dns", site.said.dns],
        ...places.flatMap((place) => ["--connect-to", place]),
      ],
      { command, env: { ASSAY_API_RATE_PER_MINUTE: "100000", ASSAY_LOG_LEVEL: "warn" } },
    );
  // The very first start unpacks the browser, which is not what a server does all day.
  const first = await start();
  await ready(first);
  await first.end("SIGTERM");
  const server = await start();
  try {
    await ready(server);
    const idle = await memoryOf(server);
    await runScans(server, apiToken, scans);
    const after = await memoryOf(server);
    return [rowOf(`resident, idle, ${whose}`, idle), rowOf(`resident, after ${scans} scans, ${whose}`, after)];
  } finally {
    await server.end("SIGTERM");
    await site.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function rowOf(name: string, series: readonly Memory[]): Row {
  const measured = spreadOf(series.map(({ residentMB }) => residentMB));
  const ofFiles = spreadOf(series.map(({ ofFilesMB }) => ofFilesMB)).median.toFixed(0);
  return {
    name,
    unit: "MB",
    measured,
    aim: { words: `under ${residentMBMax} MB`, met: measured.median < residentMBMax },
    note: `${ofFiles} MB of it are pages of files, the program itself above all, which the system takes back when it needs them`,
  };
}

async function newApiToken(dataDir: string): Promise<string> {
  const store = openStore(dataDir);
  const now = new Date();
  const account = await store.accounts.create({ email: "bench@assay.test", now });
  if (typeof account === "string") throw new Error(account);
  const { value } = await store.apiTokens.create({ accountId: account.id, name: "bench", now });
  await store.close();
  return value;
}

/** Queues scans and waits until all of them are over. @throws Error when one fails. */
async function runScans({ url }: ServerUnderTest, apiToken: string, scans: number): Promise<void> {
  const authorization = `Bearer ${apiToken}`;
  const waiting: string[] = [];
  const over = async (statusUrl: string) => {
    const { status } = (await (await fetch(`${url}${statusUrl}/security`, { headers: { authorization } })).json()) as { status: string };
    if (status === "failed") throw new Error("a scan failed");
    return status === "finished";
  };
  const oldestOver = () => until(async () => waiting[0] === undefined || (await over(waiting[0])));
  for (let queued = 0; queued < scans; queued++) {
    const answer = await fetch(`${url}/api/v1/scans`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ url: `https://${siteHost}/` }),
    });
    if (answer.status !== 202) throw new Error(`a scan was answered with ${answer.status}`);
    waiting.push(((await answer.json()) as { statusUrl: string }).statusUrl);
    if (waiting.length < queuedMax) continue;
    await oldestOver();
    waiting.shift();
  }
  for (; waiting.length > 0; waiting.shift()) await oldestOver();
}

interface Memory {
  readonly residentMB: number;
  readonly ofFilesMB: number;
}

async function memoryOf({ pid }: ServerUnderTest): Promise<readonly Memory[]> {
  const series: Memory[] = [];
  for (let reading = 0; reading < readings; reading++) {
    await Bun.sleep(readingEveryMs);
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const megabytes = (name: string) => (Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status)?.[1]) * 1_024) / 1e6;
    series.push({ residentMB: megabytes("VmRSS"), ofFilesMB: megabytes("RssFile") });
  }
  return series;
}

/** @throws Error with what the server said, when its browser does not start. */
async function ready(server: ServerUnderTest): Promise<void> {
  await until(async () => (await fetch(`${server.url}/readyz`)).ok).catch(() => {
    throw new Error(`the server did not become ready: ${server.stderr()}`);
  });
}

async function until(condition: () => Promise<boolean>, waitMs = 60_000): Promise<void> {
  for (const deadlineMs = Date.now() + waitMs; !(await condition()); await Bun.sleep(25)) {
    if (Date.now() > deadlineMs) throw new Error("waited in vain");
  }
}
