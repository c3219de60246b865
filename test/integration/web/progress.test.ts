/** Progress of a scan: event streams. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import { progressStages, stagePercent } from "../../../src/evidence/scan.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages } from "../../support/pages.ts";
import { type EventStream, openEvents } from "./event-stream.ts";

let pages: PagesUnderTest;
const opened: EventStream[] = [];

beforeEach(async () => {
  pages = await startPages();
});
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.leave();
  await pages.stop();
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(5);
}

async function queue(url = "https://site.test/", by = pages): Promise<string> {
  const scan = await by.store.scans.queue({ accountId: null, url, now: new Date() });
  return scan === "full" ? "" : scan.token;
}

async function watch(token: string, headers: Record<string, string> = {}, by = pages): Promise<EventStream> {
  const stream = await openEvents(`${by.url}/scans/${token}/events`, headers);
  opened.push(stream);
  return stream;
}

async function finish(token: string, by = pages): Promise<void> {
  await by.store.scans.finish(token, { ...knownScans.sound, timings: {}, now: new Date() });
  by.progress.publish(token, { type: "finished" });
}

async function claim(by = pages): Promise<void> {
  const scan = await by.store.scans.claimNext("local", new Date());
  by.progress.publish(scan?.token ?? "", { type: "claimed" });
}

const eventsOf = ({ events }: EventStream) =>
  events.map(({ name, data }) => `${name} ${data[name === "done" ? "status" : name] ?? "none"}`);

describe("the events of a scan", () => {
  test("arrive complete, in order, and end with the scan", async () => {
    const [first, second] = [await queue(), await queue()];
    const stream = await watch(second);
    const { headers } = stream.response;
    expect([headers.get("content-type"), headers.get("cache-control"), headers.get("x-accel-buffering")]).toEqual([
      "text/event-stream; charset=utf-8",
      "no-store",
      "no",
    ]);
    await until(() => stream.events.length === 1);
    await claim();
    await until(() => stream.events.length === 2);
    await finish(first);
    await claim();
    for (const stage of progressStages) pages.progress.publish(second, { type: "stage", stage, percent: stagePercent[stage] });
    await finish(second);
    await stream.ended;
    expect(eventsOf(stream)).toEqual([
      "position 2",
      "position 1",
      "position none",
      ...progressStages.flatMap((stage) => [`stage ${stage}`, `percent ${stagePercent[stage]}`]),
      "percent 100",
      "done finished",
    ]);
    expect(stream.torn).toEqual([]);
    expect(pages.progress.listening()).toBe(0);
    expect(pages.logged).toEqual([]);
  });

  test("start with the current state in the visitor's language", async () => {
    const token = await queue();
    const waiting = await watch(token, { "accept-language": "de" });
    await until(() => waiting.events.length === 1);
    expect(waiting.events[0]?.data.text).toBe(deDe.pages.progress.position.replace("{{position}}", "1"));
    await claim();
    await pages.store.scans.setProgress(token, "dns", 70);
    const running = await watch(token);
    await until(() => running.events.length === 3);
    expect(eventsOf(running)).toEqual(["position none", "stage dns", "percent 70"]);
  });

  test("end at once for a finished scan", async () => {
    const token = await queue();
    await claim();
    await finish(token);
    const finished = await watch(token);
    await finished.ended;
    expect(eventsOf(finished)).toEqual(["percent 100", "done finished"]);
    const failing = await queue();
    await claim();
    await pages.store.scans.fail(failing, { code: "timeout", evidence: null, timings: {}, now: new Date() });
    const failed = await watch(failing);
    await failed.ended;
    expect(eventsOf(failed)).toEqual(["done failed"]);
    expect(pages.progress.listening()).toBe(0);
  });

  test("send heartbeats and detect an end without event", async () => {
    const beats = new Set<() => void>();
    const startHeartbeats = (beat: () => void) => {
      beats.add(beat);
      return () => void beats.delete(beat);
    };
    const served = await startPages({ scanning: { startHeartbeats } });
    const token = await queue(undefined, served);
    await claim(served);
    const stream = await watch(token, {}, served);
    const beat = () => {
      for (const one of beats) one();
    };
    for (const count of [1, 2, 3]) {
      beat();
      await until(() => stream.heartbeats() === count);
    }
    await served.store.scans.fail(token, { code: "crashed", evidence: null, timings: {}, now: new Date() });
    beat();
    await stream.ended;
    expect(eventsOf(stream).at(-1)).toBe("done failed");
    expect([stream.heartbeats(), served.progress.listening(), beats.size]).toEqual([4, 0, 0]);
    await served.stop();
  });

  test("are unsubscribed when the client disconnects", async () => {
    const token = await queue();
    const streams = await Promise.all([watch(token), watch(token)]);
    await until(() => streams.every(({ events }) => events.length === 1));
    expect(pages.progress.listening()).toBe(2);
    streams[0]?.leave();
    await until(() => pages.progress.listening() === 1);
    await claim();
    pages.progress.publish(token, { type: "stage", stage: "tls", percent: 10 });
    await until(() => streams[1]?.events.at(-1)?.name === "percent");
    streams[1]?.leave();
    await until(() => pages.progress.listening() === 0);
    expect(pages.logged).toEqual([]);
  });

  test("are limited per address", async () => {
    const token = await queue();
    const streams = [];
    for (let at = 0; at < 20; at++) streams.push(await watch(token));
    const refused = await watch(token);
    expect([refused.response.status, refused.response.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(pages.progress.listening()).toBe(20);
    streams[0]?.leave();
    await until(() => pages.progress.listening() === 19);
    expect((await watch(token)).response.status).toBe(200);
    expect((await fetch(`${pages.url}/scans/${token}/state`)).status).toBe(200);
  });

  test("are refused beyond the limit of listeners, without leaks", async () => {
    const busy = await startPages({ scanning: { progress: { subscribe: () => null, pace: () => null, waitMs: () => null } } });
    const token = await queue(undefined, busy);
    for (let at = 0; at < 25; at++) expect((await fetch(`${busy.url}/scans/${token}/events`)).status).toBe(503);
    await busy.stop();
  });

  test("are not opened by a HEAD request", async () => {
    const answer = await fetch(`${pages.url}/scans/${await queue()}/events`, { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(pages.progress.listening()).toBe(0);
  });
});
