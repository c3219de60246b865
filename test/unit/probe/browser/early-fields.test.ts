/** Order of the events of two processes of the browser: fields of an answer can come before and after their request. */
import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import type { CDPSession } from "../../../../src/browser/browser-page.ts";
import { watchNetwork } from "../../../../src/probe/browser/page-network.ts";

const earlyRequestsMax = 64;
const pageUrl = "https://site.test/";

/** A recorder that has seen a page without cookies, and what the browser would report to it next. */
function watched() {
  const session = new EventEmitter();
  const network = watchNetwork(session as unknown as CDPSession, "frame");
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
