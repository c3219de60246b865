/** Measures the delay of progress events to watchers, over real connections from another process. */
import { progressStages } from "../../src/evidence/scan.ts";
import { storeSite } from "../support/finished-scans.ts";
import { type PagesUnderTest, startPages } from "../support/pages.ts";
import { startChild } from "./child.ts";
import { load } from "./load.ts";
import type { WatchInput, WatchResult } from "./progress-client.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

/** The limit for one address. */
const watchers = 20;
const stageCount = 60;
const betweenStagesMs = 25;
const p90MsMax = 200;
/** Connections that read reports during the second series. */
const readers = 8;

/** Milliseconds since the epoch in microsecond resolution, equal in all processes of this machine. */
const nowMs = () => performance.timeOrigin + performance.now();

export async function* benchProgress(): AsyncGenerator<Row> {
  const pages = await startPages();
  try {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    yield rowOf(`a stage event, to ${watchers} watchers`, await delaysOf(pages));
    const request = `GET /scans/${token} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const port = Number(new URL(pages.url).port);
    const reading = load({ port, request, status: 200, connections: readers, durationMs: 2 * stageCount * betweenStagesMs });
    const busy = await delaysOf(pages);
    await reading;
    yield rowOf(`  while ${readers} connections read reports without a pause`, busy);
  } finally {
    await pages.stop();
  }
}

/** Milliseconds from sending a stage until its event reached each watcher. */
async function delaysOf({ store, progress, url }: PagesUnderTest): Promise<readonly number[]> {
  await store.scans.queue({ accountId: null, url: "https://site.example/", now: new Date() });
  const token = (await store.scans.claimNext("local", new Date()))?.token ?? "";
  const client = startChild<WatchResult>("progress-client.ts", { url: `${url}/scans/${token}/events`, watchers } satisfies WatchInput);
  while (progress.listening() < watchers) await Bun.sleep(5);
  const sentAtMs = new Map<number, number>();
  for (let at = 1; at <= stageCount; at++) {
    const stage = progressStages[at % progressStages.length] ?? "resolving";
    sentAtMs.set(at, nowMs());
    progress.publish(token, { type: "stage", stage, percent: at });
    await Bun.sleep(betweenStagesMs);
  }
  progress.publish(token, { type: "failed" });
  const { ready, stop } = await client;
  await stop();
  await store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now: new Date() });
  const delays = ready.arrivals.flatMap(({ percent, atMs }) => (sentAtMs.has(percent) ? [atMs - (sentAtMs.get(percent) ?? 0)] : []));
  if (delays.length !== watchers * stageCount) throw new Error(`${delays.length} of ${watchers * stageCount} events arrived`);
  return delays;
}

function rowOf(name: string, delays: readonly number[]): Row {
  const measured = spreadOf(delays);
  return { name, unit: "ms", measured, target: { text: `p90 under ${p90MsMax} ms`, met: measured.high < p90MsMax } };
}
