/** POST /api/v1/scans with an Idempotency-Key on a running server with a real store. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { idempotencyKeyHours } from "../../../src/store/start-scans.ts";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

const url = "https://site.example/";

let api: ApiUnderTest;
let token: string;
let keys = 0;

beforeAll(async () => {
  api = await startApi({ requestLimit: { requestsMax: 100_000, windowSeconds: 60 }, queueMax: 100 });
  ({ token } = await api.customer());
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

interface Given {
  readonly key?: string;
  readonly body?: unknown;
  readonly by?: string;
}

function post({ key, body = { url }, by = token }: Given = {}): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (key !== undefined) headers["idempotency-key"] = key;
  return api.request("/api/v1/scans", { method: "POST", token: by, headers, body: JSON.stringify(body) });
}

const newKey = () => `key-${++keys}`;
const replayedOf = ({ headers }: Response) => headers.get("idempotency-replayed");

describe("the same key", () => {
  test("with the same request gives the same answer, whatever became of the scan", async () => {
    const key = newKey();
    const first = await post({ key });
    const text = await first.text();
    expect([first.status, replayedOf(first)]).toEqual([202, null]);
    await api.finish();
    for (const body of [{ url }, { url: `${url}#fragment`, other: true }, { url: "https://SITE.example" }]) {
      const again = await post({ key, body });
      expect([again.status, replayedOf(again), await again.text()]).toEqual([202, "true", text]);
      expect(again.headers.get("location")).toBe(first.headers.get("location"));
    }
    expect(api.store.scans.queueLength()).toBe(0);
  });
  test("with quotes is the same as without", async () => {
    const key = `a"b\\c-${newKey()}`;
    const first = await (await post({ key })).text();
    expect(await (await post({ key: `"${key.replace(/["\\]/g, "\\$&")}"` })).text()).toBe(first);
    await api.finish();
  });
  test("with another URL is 422, and starts nothing", async () => {
    const key = newKey();
    await post({ key });
    const response = await post({ key, body: { url: `${url}other` } });
    expect([response.status, response.headers.get("link")]).toEqual([422, '</api>; rel="describedby"; type="text/html"']);
    expect(await response.json()).toEqual({ errorMessage: expect.stringContaining("belongs to another request") });
    expect(api.store.scans.queueLength()).toBe(1);
    await api.finish();
  });
  test("sent many times at once gives one scan", async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 40 }, () => post({ key })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(answers.filter((answer) => replayedOf(answer) === null)).toHaveLength(1);
    expect(api.store.scans.queueLength()).toBe(1);
    await api.finish();
  });
  test("of another account is another key", async () => {
    const key = newKey();
    const other = await api.customer();
    const [mine, theirs] = [await post({ key }), await post({ key, by: other.token })];
    expect(replayedOf(theirs)).toBeNull();
    expect(await theirs.text()).not.toBe(await mine.text());
    await api.finish();
    await api.finish();
  });
  test("after a refusal is still free", async () => {
    const key = newKey();
    expect((await post({ key, body: { url: "ftp://site.example/" } })).status).toBe(400);
    const full = await startApi({ queueMax: 1 });
    const customer = await full.customer();
    const started = await full.start(customer.token);
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const again = () => full.request("/api/v1/scans", { method: "POST", token: customer.token, headers, body: JSON.stringify({ url }) });
    expect((await again()).status).toBe(503);
    await full.claim();
    const accepted = await again();
    expect([accepted.status, replayedOf(accepted)]).toEqual([202, null]);
    expect(((await accepted.json()) as { token: string }).token).not.toBe(started.token);
    await full.stop();
    expect((await post({ key })).status).toBe(202);
    await api.finish();
  });
  test("without the header, equal requests are two", async () => {
    expect(await (await post()).text()).not.toBe(await (await post()).text());
    await api.finish();
    await api.finish();
  });
  test(`after ${idempotencyKeyHours} hours starts a scan again`, async () => {
    const late = await startApi();
    const customer = await late.customer();
    const headers = { "content-type": "application/json", "idempotency-key": "k" };
    const send = () => late.request("/api/v1/scans", { method: "POST", token: customer.token, headers, body: JSON.stringify({ url }) });
    const first = await (await send()).text();
    late.advanceMs(idempotencyKeyHours * 3_600_000 - 60_000);
    expect(await (await send()).text()).toBe(first);
    late.advanceMs(61_000);
    expect(await (await send()).text()).not.toBe(first);
    await late.stop();
  });
});

describe("a malformed key is 400, and starts nothing", () => {
  const malformed = [
    "",
    '""',
    '"',
    '"abc',
    '"a"b"',
    '"a\\b"',
    '"a b"',
    "a b",
    '"abc";q=1',
    "a".repeat(256),
    `"${"a".repeat(256)}"`,
    "caf\u00e9",
    "a\tb",
  ];
  test.each(malformed)("%j", async (key) => {
    const response = await post({ key });
    expect([response.status, response.headers.get("link")]).toEqual([400, '</api>; rel="describedby"; type="text/html"']);
    expect(await response.json()).toEqual({ errorMessage: expect.stringContaining("1 to 255 visible ASCII characters") });
    expect(api.store.scans.queueLength()).toBe(0);
  });
  test("a header that is sent twice", async () => {
    const headers = new Headers({ "content-type": "application/json" });
    headers.append("idempotency-key", "a");
    headers.append("idempotency-key", "a");
    const response = await api.request("/api/v1/scans", { method: "POST", token, headers, body: JSON.stringify({ url }) });
    expect(response.status).toBe(400);
    expect(api.store.scans.queueLength()).toBe(0);
  });
  test.each(["a", "a".repeat(255), `"${"a".repeat(254)}b"`, "8e03978e-40d5-43e8-bc93-6894a57f9324", "a,b;c=\u0022~!"])(
    "but not %j",
    async (key) => {
      expect((await post({ key })).status).toBe(202);
      await api.finish();
    },
  );
});
