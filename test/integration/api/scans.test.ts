/** Starting, listing and reading scans on a running server with a real store. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

let api: ApiUnderTest;
let token: string;

beforeAll(async () => {
  api = await startApi({ requestLimit: { requestsMax: 10_000, windowSeconds: 60 } });
  ({ token } = await api.customer());
});
afterAll(async () => {
  expect(api.logged).toEqual([]);
  await api.stop();
});

function post(body: RequestInit["body"], headers: Record<string, string> = { "content-type": "application/json" }): Promise<Response> {
  return api.request("/api/v1/scans", { method: "POST", token, headers, body: body ?? null });
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}

describe("starting a scan", () => {
  test("returns 202 with Location, and wakes the dispatcher", async () => {
    const before = api.woken;
    const response = await post('{"url":"HTTPS://Site.Example/a#b"}');
    const body = await bodyOf(response);
    expect(response.status).toBe(202);
    expect(response.headers.get("location")).toBe(body.statusUrl as string);
    expect(api.woken).toBe(before + 1);
    expect(api.store.scans.findByToken(body.token as string)).toMatchObject({ url: "https://site.example/a", status: "queued" });
    await api.finish();
  });
  test("accepts an internationalised host and stores its ASCII form", async () => {
    const started = await api.start(token, "https://b\u00fccher.example/");
    expect(api.store.scans.findByToken(started.token)?.url).toBe("https://xn--bcher-kva.example/");
    await api.finish();
  });
  test("ignores unknown fields", async () => {
    expect((await post('{"url":"https://site.example/","hidden":true,"__proto__":{"url":1}}')).status).toBe(202);
    await api.finish();
  });
  test("accepts parameters and any case of the media type", async () => {
    expect((await post('{"url":"https://site.example/"}', { "content-type": "Application/JSON; charset=UTF-8" })).status).toBe(202);
    await api.finish();
  });

  const refused: readonly [words: string, body: RequestInit["body"] | undefined, headers?: Record<string, string>][] = [
    ["no body", undefined],
    ["an empty body", ""],
    ["white space", "  "],
    ["incomplete JSON", '{"url":'],
    ["two JSON texts", '{"url":"https://site.example/"}{}'],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["null", "null"],
    ["a list", '["https://site.example/"]'],
    ["a text", '"https://site.example/"'],
    ["a number", "7"],
    ["an object without url", "{}"],
    ["url in upper case", '{"URL":"https://site.example/"}'],
    ["url null", '{"url":null}'],
    ["url a number", '{"url":7}'],
    ["url a list", '{"url":["https://site.example/"]}'],
    ["url an object", '{"url":{"href":"https://site.example/"}}'],
    ["url empty", '{"url":""}'],
    ["url relative", '{"url":"/path"}'],
    ["url with another scheme", '{"url":"ftp://site.example/"}'],
    ["url with credentials", '{"url":"https://user:secret@site.example/"}'],
    ["url too long", JSON.stringify({ url: `https://site.example/${"a".repeat(2_048)}` })],
    ["a form", "url=https%3A%2F%2Fsite.example%2F", { "content-type": "application/x-www-form-urlencoded" }],
    ["JSON with another media type", '{"url":"https://site.example/"}', { "content-type": "text/plain" }],
  ];
  for (const [words, body, headers] of refused) {
    test(`400 for ${words}`, async () => {
      const response = await post(body, headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ errorMessage: expect.any(String), fieldErrors: { url: [expect.any(String)] } });
    });
  }
  test("never quotes the input", async () => {
    const response = await post('{"url":"https://user:secret@site.example/"}');
    expect(await response.text()).not.toContain("secret");
  });
  test("413 for a body over 16 KiB, but not for 16 KiB", async () => {
    const padded = (bytes: number) => {
      const head = '{"url":"https://site.example/","pad":"';
      return `${head}${"x".repeat(bytes - head.length - 2)}"}`;
    };
    expect((await post(padded(16_384))).status).toBe(202);
    await api.finish();
    const response = await post(padded(16_385));
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ errorMessage: expect.any(String) });
  });
  test("401 when the token is revoked before the body ends", async () => {
    const customer = await api.customer();
    const waiting = api.store.scans.queueLength();
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue('{"url":');
        await Bun.sleep(50);
        await customer.revoke();
        controller.enqueue('"https://site.example/"}');
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    expect((await api.request("/api/v1/scans", { method: "POST", token: customer.token, headers, body })).status).toBe(401);
    expect(api.store.scans.queueLength()).toBe(waiting);
  });
  test("413 for a chunked body", async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 5; i += 1) controller.enqueue(new Uint8Array(4_096).fill(0x20));
        controller.close();
      },
    });
    expect((await post(body)).status).toBe(413);
  });
  test("503 with Retry-After when the queue is full", async () => {
    const small = await startApi({ queueMax: 1 });
    const customer = await small.customer();
    await small.start(customer.token);
    const response = await small.request("/api/v1/scans", {
      method: "POST",
      token: customer.token,
      headers: { "content-type": "application/json" },
      body: '{"url":"https://site.example/"}',
    });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await response.json()).toEqual({ errorMessage: expect.any(String) });
    await small.stop();
  });
});

describe("a store that cannot take the scan", () => {
  async function startWhenStoreThrows(error: Error): Promise<{ readonly response: Response; readonly logged: number }> {
    const broken = await startApi();
    const customer = await broken.customer();
    broken.store.scans.queue = () => Promise.reject(error);
    const response = await broken.request("/api/v1/scans", {
      method: "POST",
      token: customer.token,
      headers: { "content-type": "application/json" },
      body: '{"url":"https://site.example/"}',
    });
    await broken.stop();
    return { response, logged: broken.logged.length };
  }
  test("on a full disk gives a 503 with Retry-After", async () => {
    const { response, logged } = await startWhenStoreThrows(new DataDirError("full", "no room left in /the/data/directory"));
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await response.text()).not.toContain("directory");
    expect(logged).toBe(0);
  });
  test("for any other reason gives a 500", async () => {
    const { response, logged } = await startWhenStoreThrows(new Error("a page of the map is gone"));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ errorMessage: "Something went wrong on our side." });
    expect(logged).toBe(1);
  });
});

describe("listing scans", () => {
  test("newest first, page by page, only the account's own", async () => {
    const mine = await api.customer();
    const other = await api.customer();
    const started: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      started.unshift((await api.start(mine.token, `https://site.example/${i}`)).token);
      await api.start(other.token);
    }
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const response = await api.request(`/api/v1/scans?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`, { token: mine.token });
      const page = (await response.json()) as { items: { token: string }[]; nextCursor: string | null };
      seen.push(...page.items.map((item) => item.token));
      sizes.push(page.items.length);
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(started);
    expect(sizes).toEqual([2, 2, 1]);
    for (let i = 0; i < 10; i += 1) await api.finish();
  });
  test("an item has the scan and its status URL", async () => {
    const { token: fresh } = await api.customer();
    const started = await api.start(fresh);
    await api.finish();
    const body = await bodyOf(await api.request("/api/v1/scans", { token: fresh }));
    expect(body).toEqual({
      items: [
        {
          ...started,
          url: "https://site.example/path",
          status: "finished",
          createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
          endedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ],
      nextCursor: null,
    });
  });
  test("an account without scans has an empty list", async () => {
    const { token: fresh } = await api.customer();
    expect(await bodyOf(await api.request("/api/v1/scans", { token: fresh }))).toEqual({ items: [], nextCursor: null });
  });
  test.each(["limit=100", "limit=1", "cursor=1", "cursor=999999999999999", "unknown=1", "limit=5&unknown=%ff"])(
    "takes ?%s",
    async (query) => {
      expect((await api.request(`/api/v1/scans?${query}`, { token })).status).toBe(200);
    },
  );
  test.each([
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=1e1",
    "limit=0x10",
    "limit=",
    "limit=ten",
    "cursor=",
    "cursor=0",
    "cursor=-1",
    "cursor=abc",
    `cursor=${"9".repeat(16)}`,
  ])("400 for ?%s", async (query) => {
    const response = await api.request(`/api/v1/scans?${query}`, { token });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ errorMessage: expect.stringContaining("limit must be") });
  });
});

describe("reading a scan", () => {
  test("its security block is byte-identical in report and security result", async () => {
    const { token: scan } = await api.start(token);
    await api.finish();
    for (const locale of ["en-gb", "de-de"]) {
      const short = await (await api.request(`/api/v1/scans/${scan}/security?locale=${locale}`, { token })).text();
      const long = await (await api.request(`/api/v1/scans/${scan}?locale=${locale}`, { token })).text();
      expect(long.startsWith(`${short.slice(0, -1)},`)).toBe(true);
      expect(long).toContain(short.slice(short.indexOf('"security":'), -1));
    }
  });
  test("the report adds evidence, timings and versions", async () => {
    const { token: scan } = await api.start(token);
    await api.finish();
    expect(await bodyOf(await api.request(`/api/v1/scans/${scan}`, { token }))).toMatchObject({
      algorithmVersion: 1,
      catalogVersion: "0123456789abcdef",
      notChecked: [{ key: "sample-tls", because: "tls: timeout" }],
      timings: { page: 120, whole: 480 },
      evidence: { subject: { url: "https://site.example/path" }, page: { status: "read" } },
    });
  });
  test("Retry-After before its end, an ETag afterwards", async () => {
    const { token: scan } = await api.start(token);
    for (const path of [`/api/v1/scans/${scan}`, `/api/v1/scans/${scan}/security`]) {
      const queued = await api.request(path, { token });
      expect(Number(queued.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(queued.headers.get("etag")).toBeNull();
      expect(queued.headers.get("cache-control")).toBe("no-store");
    }
    await api.fail("refused");
    for (const path of [`/api/v1/scans/${scan}`, `/api/v1/scans/${scan}/security`]) {
      const over = await api.request(path, { token });
      expect(over.headers.get("retry-after")).toBeNull();
      expect(over.headers.get("cache-control")).toBe("private, no-cache");
      const etag = over.headers.get("etag") ?? "";
      const again = await api.request(path, { token, headers: { "if-none-match": `"other", W/${etag}` } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
      expect(again.headers.get("etag")).toBe(etag);
      expect(again.headers.get("cache-control")).toBe("private, no-cache");
      expect(again.headers.get("content-type")).toBeNull();
      expect((await api.request(path, { token, headers: { "if-none-match": '"other"' } })).status).toBe(200);
      expect((await api.request(`${path}?locale=de-de`, { token, headers: { "if-none-match": etag } })).status).toBe(200);
    }
  });
  test("a read of a running scan is not cached", async () => {
    const { token: scan } = await api.start(token);
    await api.request(`/api/v1/scans/${scan}/security`, { token });
    await api.finish();
    expect(await bodyOf(await api.request(`/api/v1/scans/${scan}/security`, { token }))).toMatchObject({ status: "finished" });
  });
  test.each([
    "en_US",
    "en-GB",
    "EN-GB",
    "en",
    "de",
    "",
    "fr-fr",
    "en-gb%00",
    "en-gb,de-de",
    "..%2F",
    "en-gb&locale=de-de",
    "de-de&locale=de-de",
    "de-de&%6cocale=en-gb",
  ])("400 for ?locale=%s, naming the two", async (locale) => {
    const { token: scan } = await api.start(token);
    await api.finish();
    for (const path of [`/api/v1/scans/${scan}`, `/api/v1/scans/${scan}/security`]) {
      const response = await api.request(`${path}?locale=${locale}`, { token });
      expect(response.status).toBe(400);
      const { errorMessage } = (await response.json()) as { errorMessage: string };
      expect(errorMessage).toContain("en-gb");
      expect(errorMessage).toContain("de-de");
    }
  });
  test("HEAD equals GET without the body", async () => {
    const { token: scan } = await api.start(token);
    await api.finish();
    const [get, head] = [
      await api.request(`/api/v1/scans/${scan}/security`, { token }),
      await api.request(`/api/v1/scans/${scan}/security`, { token, method: "HEAD" }),
    ];
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength));
    expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
  });
});

describe("a foreign scan, an unknown scan and a malformed token", () => {
  test("give the same bytes; a guest's scan is foreign to every account", async () => {
    const other = await api.customer();
    const foreign = await api.start(other.token);
    await api.finish();
    const ofGuest = await api.store.scans.queue({ accountId: null, url: "https://site.example/", now: new Date() });
    if (ofGuest === "full") throw new Error("the queue is full");
    await api.finish();
    const names = [
      foreign.token,
      ofGuest.token,
      "0".repeat(22),
      "short",
      "x".repeat(5_000),
      "%00",
      "%2e%2e%2f",
      "%ff",
      "..;",
      "a%2Fb",
      "%E2%82%AC",
      "'",
    ];
    const answers = new Set<string>();
    for (const suffix of ["", "/security", "?locale=de-de", "/security?locale=de-de"]) {
      for (const name of names) {
        const response = await api.request(`/api/v1/scans/${name}${suffix}`, { token });
        const headers = [...response.headers].filter(
          ([header]) => !["date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"].includes(header),
        );
        answers.add(JSON.stringify([response.status, headers, await response.text()]));
      }
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain("404");
    expect((await api.request(`/api/v1/scans/${foreign.token}`, { token: other.token })).status).toBe(200);
    expect((await api.request(`/api/v1/scans/${ofGuest.token}`, { token: other.token })).status).toBe(404);
    for (const caller of [token, other.token]) {
      const { items } = (await bodyOf(await api.request("/api/v1/scans?limit=100", { token: caller }))) as { items: { token: string }[] };
      expect(items.map((item) => item.token)).not.toContain(ofGuest.token);
    }
  });
});
