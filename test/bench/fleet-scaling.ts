/** Scans a minute with 1, 2, 4 and 8 workers of two slots each. The site answers late, so that gathering is mostly waiting. */
import { setTimeout as wait } from "node:timers/promises";
import { startFleet, type TestFleet } from "../lab/fleet/fleet.ts";
import { startHttp } from "../support/servers.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

const firstByteMs = 12_000;
const slots = 2;
const location = "scaling";
/** Scans that each slot runs while it is measured. */
const scansPerSlot = 4;
const pollMs = 100;
const msPerMinute = 60_000;
/** Part of linear growth that must be reached. */
const linearMin = 0.9;

export async function* benchFleetScaling({ workers }: { readonly workers: readonly number[] }): AsyncGenerator<Row> {
  const slow = async (_request: unknown, response: { end(body: string): void }) => {
    await wait(firstByteMs);
    response.end("<!doctype html><title>slow</title><p>slow");
  };
  const site = await startHttp({ "/": slow, "*": { status: 404, body: "not found" } });
  const fleet = await startFleet({ headEnv: { ASSAY_SCAN_QUEUE_MAX: "10000" }, workerArgs: ["--concurrency", String(slots)] });
  let one = 0;
  let running = 0;
  try {
    for (const count of workers) {
      for (; running < count; running++) {
        await fleet.enrol(`worker-${running}`, location);
        await fleet.startWorker(`worker-${running}`);
      }
      const perMinute = await scansPerMinute(fleet, `http://127.0.0.1:${site.port}/`, count * slots);
      if (one === 0) one = perMinute / count;
      const share = perMinute / (one * count);
      yield {
        name: `fleet scaling: ${count} workers`,
        unit: "/min",
        measured: spreadOf([perMinute]),
        target: { text: `${linearMin} of linear`, met: share >= linearMin },
        note: `${share.toFixed(3)} of linear`,
      };
    }
  } finally {
    await fleet.stop();
    await site.stop();
  }
}

/** Each slot runs one scan before, which starts its browser. */
async function scansPerMinute(fleet: TestFleet, url: string, slotsInAll: number): Promise<number> {
  await untilEnded(fleet, await startScans(fleet, url, slotsInAll));
  const beganMs = performance.now();
  const scans = slotsInAll * scansPerSlot;
  await untilEnded(fleet, await startScans(fleet, url, scans));
  return (scans / (performance.now() - beganMs)) * msPerMinute;
}

async function startScans(fleet: TestFleet, url: string, count: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(await fleet.scan(url, location));
  return tokens;
}

/** @throws Error if a scan fails: then the figures would mean nothing. */
async function untilEnded(fleet: TestFleet, tokens: readonly string[]): Promise<void> {
  const out = new Set(tokens);
  while (out.size > 0) {
    await wait(pollMs);
    await fleet.withStore(({ scans }) => {
      for (const token of [...out]) {
        const scan = scans.findByToken(token);
        if (scan?.status === "failed") throw new Error(`scan ${token} failed: ${scan.errorCode}`);
        if (scan?.status === "finished") out.delete(token);
      }
    });
  }
}
