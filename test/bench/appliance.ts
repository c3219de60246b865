/** The program as a server process that scans the site of the benchmarks; the compiled binary if it exists. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openStore } from "../../src/store/store.ts";
import { programUnderTest, type ServerUnderTest, serve } from "../support/program.ts";
import { startChild } from "./child.ts";
import { type SiteReady, siteHost } from "./site.ts";

/** Scans waiting at the same time, as on a busy appliance. */
const queuedMax = 20;
const pollMs = 25;
const scanMsMax = 60_000;

// reads: dist/
const binary = resolve(import.meta.dirname, "../../dist/assay");
export const isCompiled = existsSync(binary);
export const programCommand = isCompiled ? [binary] : programUnderTest;
export const programVariant = isCompiled ? "binary" : "from source";

export interface BenchAppliance {
  readonly pid: number;
  readonly dataDir: string;
  /** Scans the site and reads each report. Returns the milliseconds from start to end of each scan. @throws Error if one fails. */
  runScans(count: number): Promise<readonly number[]>;
  /** Ends the server and deletes its data. */
  stop(): Promise<void>;
}

/** Resolves when the browser is ready. `concurrency`: scans at a time; the default is the program's own. */
export async function startAppliance({ concurrency }: { readonly concurrency?: number } = {}): Promise<BenchAppliance> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-data-"));
  const site = await startChild<SiteReady>("site.ts");
  const apiToken = await createApiToken(dataDir);
  const rootFile = join(dataDir, "root.pem");
  await Bun.write(rootFile, site.ready.rootPem);
  const connectTo = [`${siteHost}:443=127.0.0.1:${site.ready.httpsPort}`, `${siteHost}:80=127.0.0.1:${site.ready.httpPort}`];
  const start = async () => {
    const server = await serve(
      [
        ...["--data", dataDir, "--allow-cidr", "127.0.0.0/8", "--ca-file", rootFile, "--dns", site.ready.dns],
        ...(concurrency === undefined ? [] : ["--concurrency", String(concurrency)]),
        ...connectTo.flatMap((mapping) => ["--connect-to", mapping]),
      ],
      { command: programCommand, env: { ASSAY_API_RATE_PER_MINUTE: "100000", ASSAY_LOG_LEVEL: "warn" } },
    );
    await ready(server);
    return server;
  };
  const cleanUp = async () => {
    await site.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    // The first start unpacks the browser, which later starts do not.
    await (await start()).end("SIGTERM");
    const server = await start();
    return {
      pid: server.pid,
      dataDir,
      runScans: (count) => runScans(server, apiToken, count),
      stop: () => server.end("SIGTERM").then(cleanUp),
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
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

async function runScans({ url, stderr }: ServerUnderTest, apiToken: string, count: number): Promise<readonly number[]> {
  const headers = { authorization: `Bearer ${apiToken}`, "content-type": "application/json" };
  const waiting: string[] = [];
  const took: number[] = [];
  const readOldest = async () => {
    const path = waiting.shift();
    if (path !== undefined) took.push(await until(scanMsMax, () => scanMs(`${url}${path}`)));
  };

  async function scanMs(reportUrl: string): Promise<number | null> {
    const report = (await (await fetch(reportUrl, { headers })).json()) as { status: string; timings: { total: number } };
    if (report.status === "failed") throw new Error(`a scan failed: ${stderr()}`);
    return report.status === "finished" ? report.timings.total : null;
  }

  for (let queued = 0; queued < count; queued++) {
    const response = await fetch(`${url}/api/v1/scans`, { method: "POST", headers, body: JSON.stringify({ url: `https://${siteHost}/` }) });
    if (response.status !== 202) throw new Error(`a scan was answered with ${response.status}`);
    waiting.push(((await response.json()) as { statusUrl: string }).statusUrl);
    if (waiting.length >= queuedMax) await readOldest();
  }
  while (waiting.length > 0) await readOldest();
  return took;
}

/** @throws Error with the server's output if its browser does not start. */
async function ready(server: ServerUnderTest): Promise<void> {
  await until(scanMsMax, async () => ((await fetch(`${server.url}/readyz`)).ok ? true : null)).catch(() => {
    throw new Error(`the server did not become ready: ${server.stderr()}`);
  });
}

/** The first value that is not null. @throws Error after `waitMs`. */
async function until<T>(waitMs: number, poll: () => Promise<T | null>): Promise<T> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const value = await poll();
    if (value !== null) return value;
    if (performance.now() > deadlineMs) throw new Error(`not done within ${waitMs} ms`);
    await Bun.sleep(pollMs);
  }
}
