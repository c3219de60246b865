/** What one head of a fleet can do: simulated workers (no browser) keep it busy. Then a real worker against the local gatherer. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { bulkUrlsMax } from "../../src/api/scans/starts.ts";
import { readChildPids } from "../../src/browser/processes.ts";
import { localLocation } from "../../src/parse/location.ts";
import { startFleet, type TestFleet } from "../lab/fleet/fleet.ts";
import { startHttp } from "../support/servers.ts";
import { type Child, startChild } from "./child.ts";
import { load } from "./load.ts";
import type { Row } from "./report.ts";
import type { SimulatedWorkersInput, SimulatedWorkersReady } from "./simulated-workers.ts";
import { spreadOf } from "./spread.ts";
import { cpuByThread, type ThreadCpu, totalMs } from "./thread-cpu.ts";

export interface FleetBenchOptions {
  readonly scans: number;
  readonly workers: number;
  readonly slots: number;
  /** Duration of a simulated scan. */
  readonly gatherMs: number;
  /** Scans of the real worker, and as many of the local gatherer. */
  readonly pairs: number;
}

const simulated = "simulated";
const real = "real";
/** Has no worker, so that its scans stay queued. */
const nobody = "nobody";
const acceptMs = 2_000;
/** Fills the screenshots that a store keeps, and compiles the code of both sides. */
const warmUpScans = 2_000;
const connections = 16;
const pollMs = 200;
/** Longer than two deliveries of a job. */
const stuckMs = 120_000;
/** Half of the time after which JetStream delivers a job again. */
const lateMs = 15_000;
const scansPerSecond = [1, 10, 100];
const secondsPerYear = 365 * 86_400;
/** Duration of a real scan, for the number of slots that a rate needs. */
const secondsPerScan = 8;

export async function* benchFleet(options: FleetBenchOptions): AsyncGenerator<Row> {
  const fleet = await startFleet({
    headArgs: ["--profile", "internal", "--concurrency", "1"],
    headEnv: { ASSAY_SCAN_QUEUE_MAX: "1000000" },
    workerArgs: ["--concurrency", "1"],
  });
  try {
    await fleet.enrol("absent", nobody);
    yield await acceptRow(fleet);
    const saturated = await saturate(fleet, options);
    yield* saturated.rows;
    yield* yearRows(saturated);
    yield* await compareGatherers(fleet, options.pairs);
  } finally {
    await fleet.stop();
  }
}

async function acceptRow(fleet: TestFleet): Promise<Row> {
  const url = new URL(fleet.head().url);
  const body = JSON.stringify({ url: "https://site.example/", location: nobody });
  const lines = [
    "POST /api/v1/scans HTTP/1.1",
    `Host: ${url.host}`,
    `Authorization: Bearer ${fleet.token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  const request = `${lines.join("\r\n")}\r\n\r\n${body}`;
  const { perSecond, medianMs } = await load({ port: Number(url.port), request, status: 202, connections, durationMs: acceptMs });
  const note = `POST /api/v1/scans, on disk; ${connections} connections, ${medianMs.toFixed(1)} ms each`;
  return { name: "fleet: accepted by one head", unit: "/s", measured: spreadOf([perSecond]), note };
}

interface Saturation {
  readonly rows: readonly Row[];
  readonly headMsPerScan: number;
  readonly storeBytesPerScan: number;
  readonly natsBytesPerScan: number;
}

async function saturate(fleet: TestFleet, { scans, workers, slots, gatherMs }: FleetBenchOptions): Promise<Saturation> {
  const child = await startSimulated(fleet, { workers, slots, gatherMs });
  try {
    await drain(fleet, warmUpScans, "warm-up");
    const natsPid = natsPidOf();
    const before = { head: cpuByThread(fleet.head().pid), nats: cpuByThread(natsPid), bytes: bytesBelow(fleet.dataDir) };
    const { perSecond, late, failed, readMs } = await drain(fleet, scans, "measured");
    const head = busySince(before.head, cpuByThread(fleet.head().pid));
    const natsMs = totalMs(busySince(before.nats, cpuByThread(natsPid)));
    const headMsPerScan = totalMs(head) / scans;
    const storeBytesPerScan = (bytesBelow(fleet.dataDir) - before.bytes) / scans;
    const natsBytesPerScan = child.ready.resultBytes;
    const [busiest] = head.toSorted((one, other) => other.ms - one.ms);
    const share = (ms: number) => `${((ms / scans / 10) * perSecond).toFixed(0)} % of a core`;
    const first = `busiest thread of the head ${share(busiest?.ms ?? 0)}, head ${share(totalMs(head))}, nats-server ${share(natsMs)}`;
    const one = (value: number) => spreadOf([value]);
    return {
      rows: [
        {
          name: "fleet: received, judged and stored",
          unit: "/s",
          measured: one(perSecond),
          note: `${scans} scans, ${workers} workers of ${slots} slots; ${first}; ${late} ended late, ${failed} failed`,
        },
        { name: "fleet: CPU of the head for one scan", unit: "ms", measured: one(headMsPerScan), note: "API, judging, store and NATS" },
        { name: "fleet: CPU of nats-server for one scan", unit: "ms", measured: one(natsMs / scans) },
        { name: "fleet: read of a result meanwhile", unit: "ms", measured: spreadOf(readMs) },
        {
          name: "fleet: payload in NATS for one scan",
          unit: "KB",
          measured: one(natsBytesPerScan / 1_000),
          note: `evidence of ${(child.ready.evidenceJsonBytes / 1_000).toFixed(0)} KB JSON, and a screenshot`,
        },
        { name: "fleet: store for one scan", unit: "KB", measured: one(storeBytesPerScan / 1_000), note: "without screenshots" },
      ],
      headMsPerScan,
      storeBytesPerScan,
      natsBytesPerScan,
    };
  } finally {
    await child.stop();
  }
}

async function startSimulated(
  fleet: TestFleet,
  { workers, slots, gatherMs }: Pick<FleetBenchOptions, "workers" | "slots" | "gatherMs">,
): Promise<Child<SimulatedWorkersReady>> {
  const seedFiles: string[] = [];
  for (let number = 1; number <= workers; number++) {
    await fleet.enrol(`simulated-${number}`, simulated);
    seedFiles.push(fleet.seedOf(`simulated-${number}`));
  }
  const input: SimulatedWorkersInput = { natsUrl: fleet.nats.url, location: simulated, seedFiles, slots, gatherMs };
  return startChild<SimulatedWorkersReady>("simulated-workers.ts", input);
}

interface Drained {
  /** Scans a second between the first and the last tenth. */
  readonly perSecond: number;
  /** Scans that ended long after the others: their job was delivered twice. */
  readonly late: number;
  readonly failed: number;
  /** Milliseconds of reads meanwhile. */
  readonly readMs: readonly number[];
}

/** Runs scans of distinct hosts to their end. @throws Error if nothing ends for `stuckMs`. */
async function drain(fleet: TestFleet, scans: number, name: string): Promise<Drained> {
  let token = "";
  for (let from = 0; from < scans; from += bulkUrlsMax) {
    const urls = Array.from({ length: Math.min(bulkUrlsMax, scans - from) }, (_, at) => `https://${name}-${from + at}.example/`);
    const { items } = (await post(fleet, "/api/v1/scans/bulk", { urls, location: simulated })) as { items: { token: string }[] };
    token = items.at(-1)?.token ?? "";
  }
  const readMs: number[] = [];
  let left = scans;
  let gainedMs = performance.now();
  while (left > 0) {
    await wait(pollMs);
    const beganMs = performance.now();
    await statusOf(fleet, token);
    readMs.push(performance.now() - beganMs);
    const open = await fleet.withStore((store) => store.scans.queueLength(simulated) + store.scans.listRunning().length);
    if (open < left) gainedMs = performance.now();
    left = open;
    if (performance.now() - gainedMs > stuckMs) throw new Error(`${left} scans do not end:\n${fleet.head().stderr()}`);
  }
  return { ...(await endsOf(fleet, scans)), readMs };
}

/** Rates and faults of the newest scans. */
async function endsOf(fleet: TestFleet, scans: number): Promise<Pick<Drained, "perSecond" | "late" | "failed">> {
  const ends: number[] = [];
  let failed = 0;
  for (let cursor = ""; ends.length < scans; ) {
    const page = (await get(fleet, `/api/v1/scans?limit=100${cursor}`)) as ListPage;
    for (const { status, endedAt } of page.items.slice(0, scans - ends.length)) {
      ends.push(Date.parse(endedAt));
      if (status === "failed") failed += 1;
    }
    cursor = `&cursor=${page.nextCursor}`;
  }
  ends.sort((one, other) => one - other);
  const [tenth = 0, last = 0] = [ends[Math.floor(scans / 10)], ends[Math.floor((scans * 9) / 10)]];
  return { perSecond: (0.8 * scans * 1_000) / (last - tenth), late: ends.filter((end) => end > last + lateMs).length, failed };
}

interface ListPage {
  readonly items: readonly { readonly status: string; readonly endedAt: string }[];
  readonly nextCursor: string | null;
}

async function post(fleet: TestFleet, path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${fleet.token}`, "content-type": "application/json" };
  const response = await fetch(`${fleet.head().url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function get(fleet: TestFleet, path: string): Promise<unknown> {
  const response = await fetch(`${fleet.head().url}${path}`, { headers: { authorization: `Bearer ${fleet.token}` } });
  return response.json();
}

async function statusOf(fleet: TestFleet, token: string): Promise<string> {
  return ((await get(fleet, `/api/v1/scans/${token}/security`)) as { status: string }).status;
}

/** The only nats-server that this process has started. */
function natsPidOf(): number {
  const pid = (readChildPids().get(process.pid) ?? []).find((child) => readFileSync(`/proc/${child}/comm`, "utf8").startsWith("nats"));
  if (pid === undefined) throw new Error("nats-server does not run");
  return pid;
}

function busySince(before: readonly ThreadCpu[], after: readonly ThreadCpu[]): readonly ThreadCpu[] {
  const earlier = new Map(before.map(({ id, ms }) => [id, ms]));
  return after.map(({ id, ms }) => ({ id, ms: ms - (earlier.get(id) ?? 0) }));
}

function bytesBelow(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function yearRows({ headMsPerScan, storeBytesPerScan, natsBytesPerScan }: Saturation): readonly Row[] {
  return scansPerSecond.map((rate) => {
    const terabytes = (rate * secondsPerYear * storeBytesPerScan) / 1e12;
    const cores = (rate * headMsPerScan) / 1_000;
    const megabits = (8 * rate * natsBytesPerScan) / 1e6;
    const note = [
      `${((rate * secondsPerYear) / 1e6).toFixed(0)} million scans`,
      `${cores.toFixed(2)} cores of the head`,
      `${megabits.toFixed(1)} Mbit/s to nats-server`,
      `${rate * secondsPerScan} slots of workers at ${secondsPerScan} s a scan`,
    ].join(", ");
    return { name: `fleet: a year at ${rate} scans a second`, unit: "TB", measured: spreadOf([terabytes]), note } as const;
  });
}

/** The same site by turns, one scan at a time, from the start until the result can be read. */
async function compareGatherers(fleet: TestFleet, pairs: number): Promise<readonly Row[]> {
  const site = await startHttp({ "*": { body: "<!doctype html><title>A page</title><p>text" } });
  const worker = await fleet.enrol("real", real).then(() => fleet.startWorker("real"));
  const took: Record<string, number[]> = { [localLocation]: [], [real]: [] };
  try {
    for (let pair = -1; pair < pairs; pair++) {
      for (const location of [localLocation, real]) {
        const ms = await oneScan(fleet, `http://127.0.0.1:${site.port}/`, location);
        // The first ones start the browsers.
        if (pair >= 0) took[location]?.push(ms);
      }
    }
  } finally {
    await worker.end();
    await site.stop();
  }
  const [local, remote] = [spreadOf(took[localLocation] ?? []), spreadOf(took[real] ?? [])];
  const note = `${(remote.median - local.median).toFixed(0)} ms more for each scan than the local gatherer, which is the baseline`;
  return [{ name: "fleet: one scan by a worker", unit: "ms", measured: remote, baseline: local, note }];
}

async function oneScan(fleet: TestFleet, url: string, location: string): Promise<number> {
  const beganMs = performance.now();
  const { token } = (await post(fleet, "/api/v1/scans", { url, location })) as { token: string };
  for (;;) {
    const status = await statusOf(fleet, token);
    if (status === "failed") throw new Error(`the scan at ${location} failed`);
    if (status === "finished") return performance.now() - beganMs;
    await wait(5);
  }
}
