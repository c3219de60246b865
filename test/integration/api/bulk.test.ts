/** POST /api/v1/scans/bulk on a running server with a real store. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bulkBodyBytesMax } from "../../../src/api/body.ts";
import { bulkUrlsMax } from "../../../src/api/scans/starts.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

const path = "/api/v1/scans/bulk";
const queueMax = 1_500;

interface Item {
  readonly index: number;
  readonly url: string | null;
  readonly status?: string;
  readonly token?: string;
  readonly id?: number;
  readonly statusUrl?: string;
  readonly error?: { readonly status: number; readonly errorMessage: string };
}

let api: ApiUnderTest;
let accountId: number;
let token: string;

beforeAll(async () => {
  api = await startApi({ requestLimit: { requestsMax: 100_000, windowSeconds: 60 }, queueMax });
});
beforeEach(async () => {
  ({ accountId, token } = await api.customer());
});
afterEach(async () => {
  for (const scan of api.store.scans.listQueued(queueMax)) await api.store.scans.cancel(accountId, scan.token);
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

function send(body: RequestInit["body"], headers: Record<string, string> = {}): Promise<Response> {
  return api.request(path, { method: "POST", token, headers: { "content-type": "application/json", ...headers }, body: body ?? null });
}

const post = (urls: unknown, headers: Record<string, string> = {}) => send(JSON.stringify({ urls }), headers);

async function itemsOf(response: Response): Promise<readonly Item[]> {
  expect(response.status).toBe(200);
  const body = (await response.json()) as { items: readonly Item[] };
  expect(Object.keys(body)).toEqual(["items"]);
  return body.items;
}

const urlsOf = (count: number) => Array.from({ length: count }, (_, at) => `https://site-${at}.example/`);
const tokensOf = (items: readonly Item[]) => items.map((item) => item.token);

describe("starting many scans", () => {
  test(`queues ${bulkUrlsMax} in their order, wakes the dispatcher once, and counts as one request`, async () => {
    const woken = api.woken;
    const response = await post(urlsOf(bulkUrlsMax));
    expect(response.headers.get("ratelimit-remaining")).toBe(String(Number(response.headers.get("ratelimit-limit")) - 1));
    const items = await itemsOf(response);
    expect(items.map(({ index, url }) => [index, url])).toEqual(urlsOf(bulkUrlsMax).map((url, index) => [index, url]));
    for (const { status, token: scan, statusUrl, error } of items)
      expect([status, statusUrl, error]).toEqual(["queued", `/api/v1/scans/${scan}`, undefined]);
    expect(api.woken).toBe(woken + 1);
    expect(api.store.scans.listQueued(queueMax).map((scan) => scan.token)).toEqual(tokensOf(items) as string[]);
    const [first] = items;
    expect(await (await api.request(first?.statusUrl ?? "", { token })).json()).toMatchObject({ token: first?.token, status: "queued" });
  });
  test("a bad line stops no other, and is never quoted", async () => {
    const lines = [
      "https://one.example/#x",
      "https://user:secret@two.example/",
      7,
      null,
      ["https://x.example/"],
      "",
      "HTTPS://Five.example",
      "a".repeat(100_000),
    ];
    const response = await post(lines);
    const text = await response.clone().text();
    expect(text).not.toMatch(/secret|aaaa/);
    const items = await itemsOf(response);
    expect(items.map(({ index }) => index)).toEqual(lines.map((_, at) => at));
    expect(items.map(({ url }) => url)).toEqual(["https://one.example/", null, null, null, null, null, "https://five.example/", null]);
    expect(items.map(({ error }) => error?.status)).toEqual([undefined, 400, 400, 400, 400, 400, undefined, 400]);
    expect(items[2]?.error?.errorMessage).toBe("url must be a string.");
    expect(api.store.scans.queueLength()).toBe(2);
  });
  test("with bad lines alone is an answer too, and starts nothing", async () => {
    const woken = api.woken;
    const items = await itemsOf(await post(["x", {}], { "idempotency-key": "bad lines".replace(" ", "-") }));
    expect(items.map(({ error }) => error?.status)).toEqual([400, 400]);
    expect([api.woken, api.store.scans.queueLength()]).toEqual([woken, 0]);
  });
  test("equal URLs share one scan", async () => {
    const items = await itemsOf(await post(["https://a.example/", "https://b.example/", "https://A.example", "https://a.example/#top"]));
    expect(new Set([items[0], items[2], items[3]].map((item) => item?.token)).size).toBe(1);
    expect(items.map(({ url }) => url)).toEqual(["https://a.example/", "https://b.example/", "https://a.example/", "https://a.example/"]);
    expect(api.store.scans.queueLength()).toBe(2);
  });
  test("says of each line whether the queue had room for it", async () => {
    await post(urlsOf(1_000));
    const response = await post(urlsOf(1_000).map((url) => `${url}more`));
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    const items = await itemsOf(response);
    const refused = items.slice(queueMax - 1_000);
    expect(tokensOf(items).filter((scan) => scan !== undefined)).toHaveLength(queueMax - 1_000);
    expect(refused.every(({ error, url }) => error?.status === 503 && url !== null)).toBe(true);
    expect(api.store.scans.queueLength()).toBe(queueMax);
    expect(api.store.scans.listOfAccount(accountId, { limit: 1, cursor: null }).items[0]?.url).toBe(items[queueMax - 1_001]?.url);
  });
  test("with a key, a repetition gives the same scans and starts those that had no room", async () => {
    await post(urlsOf(1_000));
    const headers = { "idempotency-key": "bulk-1" };
    const urls = [...urlsOf(600).map((url) => `${url}keyed`), "bad"];
    const first = await itemsOf(await post(urls, headers));
    const started = tokensOf(first).filter((scan) => scan !== undefined);
    expect(started).toHaveLength(500);
    for (let at = 0; at < 60; at++) await api.claim();
    const again = await post(urls, headers);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const second = await itemsOf(again);
    expect(tokensOf(second).slice(0, 500)).toEqual(started);
    expect(tokensOf(second).filter((scan) => scan !== undefined)).toHaveLength(560);
    expect(await itemsOf(await post(urls, headers))).toEqual([...second]);
    expect((await post(urls.slice(1), headers)).status).toBe(422);
    const single = {
      method: "POST",
      token,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ url: urls[0] }),
    };
    expect((await api.request("/api/v1/scans", single)).status).toBe(422);
  });
  test("the same request at once with one key starts each scan once", async () => {
    const headers = { "idempotency-key": "bulk-2" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(urlsOf(200), headers)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(api.store.scans.queueLength()).toBe(200);
  });
});

describe("refused as a whole", () => {
  const urls = JSON.stringify(["https://site.example/"]);
  const bodies: readonly [words: string, body: RequestInit["body"] | undefined, headers?: Record<string, string>][] = [
    ["no body", undefined],
    ["incomplete JSON", '{"urls":["https://site.example/"'],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["a list", urls],
    ["null", "null"],
    ["no urls", "{}"],
    ["url for urls", '{"url":["https://site.example/"]}'],
    ["urls a text", '{"urls":"https://site.example/"}'],
    ["urls an object", '{"urls":{"length":1,"0":"https://site.example/"}}'],
    ["urls null", '{"urls":null}'],
    ["urls only in the prototype", `{"__proto__":{"urls":${urls}}}`],
    ["an empty list", '{"urls":[]}'],
    ["an empty list after a full one", `{"urls":${urls},"urls":[]}`],
    ["1,001 URLs", JSON.stringify({ urls: urlsOf(bulkUrlsMax + 1) })],
    ["a million numbers", `{"urls":[${"0,".repeat(900_000)}0]}`],
    ["lists in lists without end", `{"urls":${"[".repeat(500_000)}${"]".repeat(500_000)}}`],
    ["objects in objects behind a text with an escaped quote", `{"a":"\\"","urls":${'{"b":'.repeat(101)}1${"}".repeat(101)}}`],
    ["another media type", `{"urls":${urls}}`, { "content-type": "text/plain" }],
  ];
  for (const [words, body, headers] of bodies)
    test(`400 for ${words}`, async () => {
      const response = await send(body, headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ errorMessage: expect.any(String), fieldErrors: { urls: [expect.any(String)] } });
      expect(api.store.scans.queueLength()).toBe(0);
    });
  test("a list in a list is a bad line, and brackets in a text are none", async () => {
    const text = `https://site.example/?${"[".repeat(500)}\\"{`;
    const items = await itemsOf(await send(`{"urls":[[[]],"https://[::1]/",${JSON.stringify(text)}]}`));
    expect(items.map(({ error }) => error?.status)).toEqual([400, undefined, 400]);
    expect(items[2]?.error?.errorMessage).toContain("backslashes");
  });
  test("413 above the limit of its own, and not at it", async () => {
    const padded = (bytes: number) => {
      const head = '{"urls":["https://site.example/"],"pad":"';
      return `${head}${"x".repeat(bytes - head.length - 2)}"}`;
    };
    expect((await send(padded(bulkBodyBytesMax))).status).toBe(200);
    const response = await send(padded(bulkBodyBytesMax + 1));
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([413, ["errorMessage"]]);
  });
  test("the longest 1,000 URLs fit", async () => {
    const longest = urlsOf(bulkUrlsMax).map((url) => url.padEnd(2_048, "x"));
    expect((await itemsOf(await post(longest))).every(({ status }) => status === "queued")).toBe(true);
  });
  test("401 without a token and with one that is revoked before the body ends, and 403 on another plan", async () => {
    expect((await api.request(path, { method: "POST", body: "{}" })).status).toBe(401);
    const free = await api.customer("free");
    expect((await api.request(path, { method: "POST", token: free.token, body: "{}" })).status).toBe(403);
    const customer = await api.customer();
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue('{"urls":');
        await Bun.sleep(50);
        await customer.revoke();
        controller.enqueue('["https://site.example/"]}');
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    expect((await api.request(path, { method: "POST", token: customer.token, headers, body })).status).toBe(401);
    expect(api.store.scans.queueLength()).toBe(0);
  });
  test("405 for other methods", async () => {
    for (const method of ["GET", "HEAD", "DELETE", "PUT"]) {
      const response = await api.request(path, { method, token });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
    }
  });
  test("503 with Retry-After, and nothing queued, when the disk is full", async () => {
    const broken = await startApi();
    const customer = await broken.customer();
    broken.store.scans.queueAll = () => Promise.reject(new DataDirError("full", "no room left in /the/data/directory"));
    const headers = { "content-type": "application/json" };
    const response = await broken.request(path, { method: "POST", token: customer.token, headers, body: `{"urls":${urls}}` });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(await response.text()).not.toContain("directory");
    await broken.stop();
  });
});
