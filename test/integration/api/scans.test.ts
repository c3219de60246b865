/** Listing and reading scans on a running server with a real store. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../support/api.ts";
import { storedResult } from "../../support/stored.ts";

let api: ApiUnderTest;
let token: string;

beforeAll(async () => {
  api = await startApi({ requestLimit: { requestsMax: 10_000, windowSeconds: 60 } });
  ({ token } = await api.customer());
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}

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
          location: "local",
          status: "finished",
          createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
          endedAt: expect.stringMatching(/^\d{4}-.*Z$/),
          progressStage: null,
          progressPercent: 100,
          score: 67,
          band: "warn",
          rank: "fair",
        },
      ],
      nextCursor: null,
    });
  });
  test("an item has the score of its result, and none before and without it", async () => {
    const { token: fresh } = await api.customer();
    await api.start(fresh, "https://site.example/finished");
    await api.finish();
    await api.start(fresh, "https://site.example/unmeasured");
    await api.finish({ ...storedResult(), measured: false, score: null, band: "unknown", rank: "unknown" });
    await api.start(fresh, "https://site.example/failed");
    await api.fail("timeout");
    await api.start(fresh, "https://site.example/running");
    await api.claim();
    await api.start(fresh, "https://site.example/queued");
    const { items } = await bodyOf(await api.request("/api/v1/scans", { token: fresh }));
    const unknown = { score: null, band: "unknown", rank: "unknown" };
    expect(items).toMatchObject([
      { status: "queued", ...unknown },
      { status: "running", ...unknown },
      { status: "failed", ...unknown },
      { status: "finished", ...unknown },
      { status: "finished", score: 67, band: "warn", rank: "fair" },
    ]);
    for (const { statusUrl, score, band, rank, status } of items as Record<string, string>[]) {
      const { security } = await bodyOf(await api.request(`${statusUrl}/security`, { token: fresh }));
      if (status === "finished" || status === "failed") expect(security).toMatchObject({ score, band, rank });
    }
    await api.finish();
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

describe("another account's scan, an unknown scan and a malformed token", () => {
  test("give the same bytes; a guest's scan belongs to no account", async () => {
    const other = await api.customer();
    const ofOther = await api.start(other.token);
    await api.finish();
    const ofGuest = await api.store.scans.queue({ accountId: null, url: "https://site.example/", now: new Date() });
    if (ofGuest === "full") throw new Error("the queue is full");
    await api.finish();
    const names = [
      ofOther.token,
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
    expect((await api.request(`/api/v1/scans/${ofOther.token}`, { token: other.token })).status).toBe(200);
    expect((await api.request(`/api/v1/scans/${ofGuest.token}`, { token: other.token })).status).toBe(404);
    for (const caller of [token, other.token]) {
      const { items } = (await bodyOf(await api.request("/api/v1/scans?limit=100", { token: caller }))) as { items: { token: string }[] };
      expect(items.map((item) => item.token)).not.toContain(ofGuest.token);
    }
  });
});
