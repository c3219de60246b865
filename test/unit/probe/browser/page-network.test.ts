/**
 * Memory of the network recorder. Its facts are tested with a real browser in `page.test.ts`. Network idle of a page: no open request
 * for a while, or the maximum wait is over. Order of the events of two processes of the browser: fields of an answer can come before and
 * after their request. Copies of network events, of which a hostile page sends thousands.
 */
import { heapStats } from "bun:jsc";
import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import type { CDPSession } from "../../../../src/browser/browser-page.ts";
import { headerValueCharsMax, setCookieLinesMax } from "../../../../src/evidence/limits.ts";
import { boundedExtraInfo } from "../../../../src/probe/browser/bounded-response.ts";
import { PageNetwork } from "../../../../src/probe/browser/page-network.ts";
import { Traffic } from "../../../../src/probe/browser/page-settling.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const fieldBytes = 256 * 1_024;
const requests = 400;

/** A new string that shares no memory with others. */
function text(seed: number): string {
  return Buffer.alloc(fieldBytes, 97 + (seed % 26)).toString("latin1");
}

/** Records the answers, and returns by how much that made the memory grow. */
function grownBytes(): number {
  const events = new EventEmitter();
  const network = new PageNetwork(events as unknown as CDPSession, "frame");
  Bun.gc(true);
  const before = heapStats().heapSize + heapStats().extraMemorySize;
  for (let at = 0; at < requests; at++) {
    const requestId = `request-${at}`;
    const url = `https://site.test/${at}`;
    const headers = { "x-large": text(at), "set-cookie": `c=${text(at)}` };
    events.emit("Network.requestWillBeSent", { requestId, loaderId: "loader", frameId: "frame", type: "Image", request: { url } });
    events.emit("Network.responseReceivedExtraInfo", { requestId, statusCode: 200, headers });
    events.emit("Network.responseReceived", { requestId, response: { url, status: 200, headers, mimeType: "" }, hasExtraInfo: true });
    events.emit("Network.loadingFinished", { requestId });
  }
  Bun.gc(true);
  const grown = heapStats().heapSize + heapStats().extraMemorySize - before;
  expect(network.requests().total).toBe(requests);
  return grown;
}

test("large header fields of hundreds of subresources are not kept in memory", () => {
  // Other memory of the process is counted too, and grows in the first run at most.
  const allowedBytes = (requests * fieldBytes) / 10;
  const isBounded = Array.from({ length: 3 }).some(() => grownBytes() < allowedBytes);
  expect(isBounded).toBe(true);
});

test("a media type of 256 KB is truncated", () => {
  const events = new EventEmitter();
  const network = new PageNetwork(events as unknown as CDPSession, "frame");
  const url = "https://site.test/";
  const request = { requestId: "loader", loaderId: "loader", frameId: "frame", type: "Document", request: { url } };
  events.emit("Network.requestWillBeSent", request);
  const response = { url, status: 200, headers: {}, mimeType: text(0) };
  events.emit("Network.responseReceived", { requestId: "loader", response, hasExtraInfo: false });
  expect(network.page()?.mediaType).toHaveLength(headerValueCharsMax);
});

const never = new AbortController().signal;
/** Longer than a test may take. */
const longMs = 3_600_000;

async function msOf(waiting: Promise<void>): Promise<number> {
  const fromMs = performance.now();
  await waiting;
  return performance.now() - fromMs;
}

test("idle time begins when the last request ends, and ignores the end of an unknown request", async () => {
  const traffic = new Traffic();
  traffic.begin("a");
  let endedAtMs = Number.POSITIVE_INFINITY;
  setTimeout(() => {
    // Read before: a busy machine may stop the thread between the two.
    endedAtMs = performance.now();
    traffic.end("a");
  }, 100);
  setTimeout(() => traffic.end("never begun"), 140);
  await traffic.settled(80, longMs, never);
  // Measured from the actual end, because a busy machine runs timers late.
  const restMs = performance.now() - endedAtMs;
  expect(restMs).toBeGreaterThanOrEqual(75);
});

test("requests of a worker that is gone are not waited for", async () => {
  const traffic = new Traffic();
  const worker = new EventEmitter() as unknown as CDPSession;
  traffic.begin("a", worker);
  traffic.begin("b", worker);
  traffic.begin("c");
  setTimeout(() => traffic.endAll(worker), 20);
  setTimeout(() => traffic.end("c"), 40);
  expect(await msOf(traffic.settled(10, longMs, never))).toBeGreaterThanOrEqual(45);
});

test("the wait for an endless request stops after the maximum time", async () => {
  const traffic = new Traffic();
  traffic.begin("a");
  const ms = await msOf(traffic.settled(10, performance.now() + 100, never));
  expect(ms).toBeGreaterThanOrEqual(95);
});

test("an abort ends the wait, and so does an earlier abort", async () => {
  const traffic = new Traffic();
  traffic.begin("a");
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 20);
  await traffic.settled(10, longMs, ending.signal);
  await traffic.settled(10, longMs, ending.signal);
});

const earlyRequestsMax = 64;
const pageUrl = "https://site.test/";

/** A recorder that has seen a page without cookies, and what the browser would report to it next. */
function watched() {
  const session = new EventEmitter();
  const network = new PageNetwork(session as unknown as CDPSession, "frame");
  const answerOf = (url: string, more: object = {}) => ({ url, status: 200, headers: {}, mimeType: "", ...more });
  const events = {
    request: (requestId: string, url: string, more: object = {}) =>
      session.emit("Network.requestWillBeSent", {
        requestId,
        loaderId: "page",
        frameId: "frame",
        type: requestId === "page" ? "Document" : "Script",
        request: { url },
        ...more,
      }),
    fields: (requestId: string, cookie: string, statusCode = 200) =>
      session.emit("Network.responseReceivedExtraInfo", { requestId, statusCode, headers: { "set-cookie": cookie, "x-mark": "sent" } }),
    answer: (requestId: string, url: string, { hasExtraInfo = true, ...more }: { hasExtraInfo?: boolean; [name: string]: unknown } = {}) =>
      session.emit("Network.responseReceived", { requestId, response: answerOf(url, more), hasExtraInfo }),
    fromMemory: (requestId: string) => session.emit("Network.requestServedFromCache", { requestId }),
    redirect: (requestId: string, from: string, to: string) =>
      session.emit("Network.requestWillBeSent", {
        requestId,
        request: { url: to },
        redirectResponse: answerOf(from, { status: 302, headers: { location: to } }),
        redirectHasExtraInfo: true,
      }),
  };
  const page = () => {
    events.request("page", pageUrl);
    events.answer("page", pageUrl, { hasExtraInfo: false });
  };
  const cookies = () => {
    const facts = network.page();
    return { lines: facts?.setCookies.map(({ line }) => line), dropped: facts?.setCookiesDropped };
  };
  return { network, events, page, cookies };
}

type Events = ReturnType<typeof watched>["events"];

describe("fields of an answer", () => {
  const script = `${pageUrl}script.js`;
  const orders: Record<string, (events: Events) => void> = {
    "between request and answer": (events) => {
      events.request("1", script);
      events.fields("1", "sub=secret");
      events.answer("1", script);
    },
    "before the request": (events) => {
      events.fields("1", "sub=secret");
      events.request("1", script);
      events.answer("1", script);
    },
    "after the answer": (events) => {
      events.request("1", script);
      events.answer("1", script);
      events.fields("1", "sub=secret");
    },
  };
  for (const [order, send] of Object.entries(orders)) {
    test(`are found if they come ${order}`, () => {
      const { events, page, cookies } = watched();
      page();
      send(events);
      expect(cookies()).toEqual({ lines: ["sub=<redacted>"], dropped: 0 });
    });
  }

  test("belong to their redirects in each order", () => {
    const { events, page, cookies } = watched();
    page();
    events.fields("1", "first=secret", 302);
    events.fields("1", "second=secret");
    events.request("1", script);
    events.redirect("1", script, "https://other.test/end");
    events.answer("1", "https://other.test/end");
    expect(cookies()).toEqual({ lines: ["first=<redacted>"], dropped: 0 });
  });

  test("of the page itself are complete if they come before it", () => {
    const { network, events, cookies } = watched();
    events.fields("page", "sid=secret");
    events.request("page", pageUrl);
    events.answer("page", pageUrl);
    expect(network.page()?.headers).toContainEqual({ name: "x-mark", value: "sent", truncated: false });
    expect(cookies()).toEqual({ lines: ["sid=<redacted>"], dropped: 0 });
  });

  test("are counted as a lost cookie if they never come, for each answer of the site", () => {
    const { events, page, cookies } = watched();
    page();
    for (const [requestId, url] of [
      ["1", script],
      ["2", "https://sub.site.test/script.js"],
      ["3", "https://other.test/script.js"],
    ] as const) {
      events.request(requestId, url);
      events.answer(requestId, url);
    }
    expect(cookies()).toEqual({ lines: [], dropped: 2 });
  });

  test("are counted as lost once for an image of several parts", () => {
    const { events, page, cookies } = watched();
    page();
    events.request("1", `${pageUrl}camera`);
    for (let part = 0; part < 5; part++) events.answer("1", `${pageUrl}camera`);
    expect(cookies().dropped).toBe(1);
    events.fields("1", "seen=secret");
    expect(cookies()).toEqual({ lines: ["seen=<redacted>"], dropped: 0 });
  });

  test(`are kept for ${earlyRequestsMax} requests that have not come yet`, () => {
    const { events, page, cookies } = watched();
    page();
    const urlOf = (at: number) => `${pageUrl}${at}.js`;
    for (let at = 0; at <= earlyRequestsMax; at++) events.fields(`${at}`, `c${at}=secret`);
    for (let at = 0; at <= earlyRequestsMax; at++) {
      events.request(`${at}`, urlOf(at));
      events.answer(`${at}`, urlOf(at));
    }
    const { lines, dropped } = cookies();
    expect(lines).toHaveLength(earlyRequestsMax);
    expect(lines).not.toContain("c0=<redacted>");
    // The oldest is lost, and does not pass for an answer without cookies.
    expect(dropped).toBe(1);
  });
});

describe("an answer without a server", () => {
  const script = `${pageUrl}script.js`;
  test("from the memory of the page has no fields to lose", () => {
    const { events, page, cookies } = watched();
    page();
    events.request("1", script);
    events.fromMemory("1");
    events.answer("1", script);
    expect(cookies()).toEqual({ lines: [], dropped: 0 });
  });

  for (const source of ["fromDiskCache", "fromPrefetchCache", "fromServiceWorker"]) {
    test(`has no fields to lose: ${source}`, () => {
      const { events, page, cookies } = watched();
      page();
      events.request("1", script);
      events.answer("1", script, { [source]: true });
      expect(cookies()).toEqual({ lines: [], dropped: 0 });
    });
  }
});

type ExtraInfo = Parameters<typeof boundedExtraInfo>[0];

test("answers with many cookies take little time", () => {
  const value = "theInternetStation".repeat(26);
  const lines = Array.from({ length: setCookieLinesMax }, (_, at) => `c${at}=${value}; Path=/`);
  const event = { statusCode: 200, headers: { "set-cookie": lines.join("\n") } } as unknown as ExtraInfo;
  const fromMs = cpuMs();
  for (let at = 0; at < 400; at++) expect(boundedExtraInfo(event, false, 512).setCookies).toHaveLength(setCookieLinesMax);
  expect(cpuMs() - fromMs).toBeLessThan(4_000);
});

test("the lines of one answer are limited together", () => {
  const lines = Array.from({ length: 5 }, (_, at) => `c${at}=${"x".repeat(16_000)}`);
  const event = { statusCode: 200, headers: { "set-cookie": lines.join("\n") } } as unknown as ExtraInfo;
  const { setCookies, setCookiesDropped } = boundedExtraInfo(event, false, 16_384);
  expect([setCookies.length, setCookiesDropped]).toEqual([3, 2]);
});
