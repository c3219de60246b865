/** Starting scans on a running server with a real store. */
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
  expect(api.troubles()).toEqual([]);
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
    ["url with an empty host", '{"url":"http:///x"}'],
    ["url with a hyphen for a host", '{"url":"https://-/"}'],
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
    broken.store.scans.queueAll = () => Promise.reject(error);
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
