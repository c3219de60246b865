/** How long what a scan tells takes to those who watch it, over real connections of another process. */
import { progressStages } from "../../src/evidence/scan.ts";
import { storeSite } from "../support/finished-scans.ts";
import { type PagesUnderTest, startPages } from "../support/pages.ts";
import { load } from "./ask.ts";
import { startChild } from "./child.ts";
import type { WatchGiven, WatchSaid } from "./progress-client.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

/** As many as one address may have. */
const watchers = 20;
const stagesTold = 60;
const betweenStagesMs = 25;
const p90MsMax = 200;
/** Readers of reports, while the second series is taken. */
const readers = 8;

/** Milliseconds since 1970, to the microsecond, and the same in all processes of this machine. */
const nowMs = () => performance.timeOrigin + performance.now();

export async function benchProgress(): Promise<readonly Row[]> {
  const pages = await startPages();
  try {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    const quiet = await delaysOf(pages);
    const request = `GET /scans/${token} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const port = Number(new URL(pages.url).port);
    const reading = load({ port, request, status: 200, connections: readers, durationMs: 2 * stagesTold * betweenStagesMs });
    const busy = await delaysOf(pages);
    await reading;
    return [
      rowOf(`a stage, told to ${watchers} watchers`, quiet),
      rowOf(`  while ${readers} connections read reports without a pause`, busy),
    ];
  } finally {
    await pages.stop();
  }
}

/** From the moment a stage was told to that of its event at each watcher, in milliseconds. */
async function delaysOf({ store, progress, url }: PagesUnderTest): Promise<readonly number[]> {
  await store.scans.queue({ accountId: null, url: "https://site.example/", now: new Date() });
  const token = (await store.scans.claimNext(new Date()))?.token ?? "";
  const client = startChild<WatchSaid>("progress-client.ts", { url: `${url}/scans/${token}/events`, watchers } satisfies WatchGiven);
  while (progress.listening() < watchers) await Bun.sleep(5);
  const toldMs = new Map<number, number>();
  for (let at = 1; at <= stagesTold; at++) {
    const stage = progressStages[at % progressStages.length] ?? "resolving";
    toldMs.set(at, nowMs());
    progress.tell(token, { type: "stage", stage, percent: at });
    await Bun.sleep(betweenStagesMs);
  }
  progress.tell(token, { type: "failed" });
  const { said, stop } = await client;
  await stop();
  await store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now: new Date() });
  const delays = said.arrivals.flatMap(({ percent, atMs }) => (toldMs.has(percent) ? [atMs - (toldMs.get(percent) ?? 0)] : []));
  if (delays.length !== watchers * stagesTold) throw new Error(`${delays.length} of ${watchers * stagesTold} events arrived`);
  return delays;
}

function rowOf(name: string, delays: readonly number[]): Row {
  const measured = spreadOf(delays);
  return { name, unit: "ms", measured, aim: { words: `p90 under ${p90MsMax} ms`, met: measured.high < p90MsMax } };
}
