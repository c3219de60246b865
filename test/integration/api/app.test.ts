/** Every response has the specification's error shape and headers, and nothing of the framework. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

let api: ApiUnderTest;
let token: string;

beforeAll(async () => {
  api = await startApi({
    requestLimit: { requestsMax: 100_000, windowSeconds: 60 },
    failedAuthenticationLimit: { requestsMax: 100_000, windowSeconds: 60 },
  });
  ({ token } = await api.customer());
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends raw bytes that no client library would send, with `Connection: close`, and waits for the close. */
function raw(...lines: readonly string[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(api.port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`, "latin1"));
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
      resolve({ status: Number(head.split(" ")[1]), head: head.toLowerCase(), body });
    });
  });
}

describe("every response", () => {
  test.each([
    ["/healthz", 200],
    ["/api/v1/openapi.json", 200],
    ["/api/v1/scans", 200],
    ["/api/v1/scans/unknown", 404],
    ["/nowhere", 404],
    ["/", 404],
  ])("%s has the usual headers", async (path, status) => {
    const response = await api.request(path, { token });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get("cache-control")).not.toBeNull();
    expect(response.headers.get("server")).toBeNull();
    expect(response.headers.get("x-powered-by")).toBeNull();
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    await response.arrayBuffer();
  });
  test("has a unique request id", async () => {
    const ids = [await api.request("/healthz"), await api.request("/healthz")].map(({ headers }) => headers.get("x-request-id"));
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe("methods", () => {
  const rows: readonly [path: string, allow: string][] = [
    ["/api/v1/scans", "GET, HEAD, OPTIONS, POST"],
    ["/api/v1/scans/bulk", "OPTIONS, POST"],
    [`/api/v1/scans/${"0".repeat(22)}`, "DELETE, GET, HEAD, OPTIONS"],
    [`/api/v1/scans/${"0".repeat(22)}/security`, "GET, HEAD, OPTIONS"],
    ["/api/v1/openapi.json", "GET, HEAD, OPTIONS"],
    ["/healthz", "GET, HEAD, OPTIONS"],
  ];
  for (const [path, allow] of rows) {
    for (const method of ["PUT", "PATCH", "DELETE", "POST", "GET"].filter((each) => !allow.split(", ").includes(each))) {
      test(`${method} ${path} is 405`, async () => {
        const response = await api.request(path, { method, token });
        expect(response.status).toBe(405);
        expect(response.headers.get("allow")).toBe(allow);
        expect(await response.json()).toEqual({ errorMessage: expect.any(String) });
      });
    }
    test(`OPTIONS ${path} lists the methods without a token`, async () => {
      const response = await api.request(path, { method: "OPTIONS" });
      expect(response.status).toBe(204);
      expect(response.headers.get("allow")).toBe(allow);
      expect(await response.text()).toBe("");
    });
  }
  test("POST to a scan is 405, with or without a body", async () => {
    expect((await api.request("/api/v1/scans/x", { method: "POST", token, body: "{" })).status).toBe(405);
    expect((await api.request("/api/v1/scans/x/security", { method: "POST", token })).status).toBe(405);
  });
  test("OPTIONS of an unknown path is 404", async () => {
    expect((await api.request("/api/v1/nothing", { method: "OPTIONS" })).status).toBe(404);
  });
  test.each(["TRACE", "CONNECT", "PROPFIND"])("%s is 405", async (method) => {
    const { status, body } = await raw(`${method} /healthz HTTP/1.1`, "Host: assay.test");
    expect(status).toBe(405);
    expect(Object.keys(JSON.parse(body) as object)).toEqual(["errorMessage"]);
  });
  test("the description answers other methods without a token with 405", async () => {
    const { status, head } = await raw("DELETE /api/v1/openapi.json HTTP/1.1", "Host: assay.test");
    expect(status).toBe(405);
    expect(head).toContain("allow: get, head, options");
  });
  test("HEAD of an unknown path is a 404 without a body", async () => {
    const { status, body } = await raw("HEAD /nowhere HTTP/1.1", "Host: assay.test");
    expect(status).toBe(404);
    expect(body).toBe("");
  });
});

describe("unusual requests", () => {
  const withToken = () => `Authorization: Bearer ${token}`;
  const targets = [
    "//api/v1/scans",
    "/api//v1/scans",
    "/api/v1//scans",
    "/api/v1/scans/",
    "/api/v1/scans//security",
    "/api/v1/scans/x/security/",
    "/API/V1/SCANS",
    "/api/v1/scans;x=1",
    "/api/v1/%73cans",
    "/api/v1/scans%2fx",
    "/api/v1/scans/%00",
    "/api/v1/scans/%ff",
    "/api/v1/scans/%",
    "/api/v1/scans/%zz/security",
    "/api/v1/scans/..%2f..%2fhealthz",
    "/api/v1/scans/../../nothing",
    "/api/v1/scans/constructor",
    "/api/v1/scans/__proto__/security",
    "/api/v1/scans/:token",
    "/api/v1/scans/*",
    "/api/v1/../../../etc/passwd",
    `/api/v1/scans/${"a".repeat(8_000)}`,
    "/api",
    "/api/",
    "/api/v1",
    "/?/api/v1/scans",
    "/#/api/v1/scans",
    "/api/v1/openapi.json/",
    "/healthz/",
  ];
  for (const target of targets) {
    test(`GET ${target.slice(0, 60)} is our 404`, async () => {
      const { status, head, body } = await raw(`GET ${target} HTTP/1.1`, "Host: assay.test", withToken());
      expect(status).toBe(404);
      expect(head).toContain("x-content-type-options: nosniff");
      expect(Object.keys(JSON.parse(body) as object)).toEqual(["errorMessage"]);
    });
  }
  test.each(["a", "nas", "assay.test", "[::1]:8787", "xn--bcher-kva.example", "localhost", "1.2.3.4"])(
    "Host: %s is served",
    async (host) => {
      expect((await raw("GET /api/v1/scans HTTP/1.1", `Host: ${host}`, withToken())).status).toBe(200);
      expect((await raw("GET /api/v1/scans HTTP/1.1", `Host: ${host}`)).status).toBe(401);
      expect((await raw("GET /xxx/api/v1/scans HTTP/1.1", `Host: ${host}`)).status).toBe(404);
    },
  );
  test("an absolute target is served", async () => {
    expect((await raw("GET http://elsewhere.test/api/v1/scans HTTP/1.1", "Host: assay.test")).status).toBe(401);
  });
  test("two Authorization headers are refused", async () => {
    expect((await raw("GET /api/v1/scans HTTP/1.1", "Host: assay.test", withToken(), withToken())).status).not.toBe(200);
  });
  test.each(["bearer", "BEARER", "bEaReR"])("the scheme may be written %s", async (scheme) => {
    expect((await raw("GET /api/v1/scans HTTP/1.1", "Host: assay.test", `authorization: ${scheme} ${token}`)).status).toBe(200);
  });
  test.each(["Bearer \u00e4\u00f6\u00fc", "Bearer \u00ff", "\u00ff", "Bearer", "Basic YTpi", "Bearer a b", "Digest x"])(
    "Authorization: %s is 401",
    async (value) => {
      const { status, head } = await raw("GET /api/v1/scans HTTP/1.1", "Host: assay.test", `Authorization: ${value}`);
      expect(status).toBe(401);
      expect(head).toContain("www-authenticate: bearer");
    },
  );
  test.each([
    ["several blanks before the token", (): string => `Bearer   ${token}`, 200],
    ["the scheme alone", () => "Bearer ", 401],
    ["another scheme", () => `Basic ${token}`, 401],
    ["a longer scheme", () => `Bearerx ${token}`, 401],
    ["a scheme with one character for the blank", () => `Bearerx${token}`, 401],
    ["the scheme and the token without a blank", () => `Bearer${token}`, 401],
    ["a tab for the blank", () => `Bearer\t${token}`, 401],
    ["the token alone", () => token, 401],
    ["two tokens", () => `Bearer ${token} ${token}`, 401],
    ["two credentials", () => `Bearer ${token}, Bearer ${token}`, 401],
    ["a quoted token", () => `Bearer "${token}"`, 401],
  ] satisfies [string, () => string, number][])("%s", async (_words, field, expected) => {
    const { status } = await raw("GET /api/v1/scans HTTP/1.1", "Host: assay.test", `Authorization: ${field()}`);
    expect(status).toBe(expected);
  });
  test.each(["access_token", "bearer", "undefined", "", "%ED%A0%80", "\u00ed\u00a0\u0080", "%EF%BF%BD", "%uD800", "\\ud800"])(
    "a token in the query as %s is no token",
    async (name) => {
      const { status } = await raw(`GET /api/v1/scans?${name}=${token} HTTP/1.1`, "Host: assay.test");
      expect(status).toBe(401);
    },
  );
  test("a token in the body is no token", async () => {
    const body = JSON.stringify({ access_token: token, "\ud800": token, url: "https://site.example/" });
    const answer = await api.request("/api/v1/scans", { method: "POST", headers: { "content-type": "application/json" }, body });
    expect(answer.status).toBe(401);
  });
  test("a long Authorization header is 401", async () => {
    expect((await raw("GET /api/v1/scans HTTP/1.1", "Host: assay.test", `Authorization: Bearer ${"a".repeat(8_000)}`)).status).toBe(401);
  });
  test("many headers are accepted", async () => {
    const many = Array.from({ length: 80 }, (_, i) => `X-Header-${i}: ${"y".repeat(50)}`);
    expect((await raw("GET /healthz HTTP/1.1", "Host: assay.test", ...many)).status).toBe(200);
  });
  test.each([
    "Cookie: %",
    "Cookie: a=%ff; b",
    "If-None-Match: \u00ff",
    "X-Forwarded-For: ,,,",
    "Accept: nothing/at-all",
    "Accept-Encoding: x",
    "Range: bytes=0-0",
  ])("%s has no effect", async (header) =>
    expect((await raw("GET /api/v1/scans HTTP/1.1", "Host: assay.test", withToken(), header)).status).toBe(200),
  );
  test("too large headers are refused, and the server continues", async () => {
    const { status } = await raw("GET /healthz HTTP/1.1", "Host: assay.test", `X-Long: ${"y".repeat(100_000)}`);
    expect(status).toBe(431);
    expect((await api.request("/healthz")).status).toBe(200);
  });
  test("a body with a huge Content-Length is refused before it arrives", async () => {
    const { status, body } = await raw(
      "POST /api/v1/scans HTTP/1.1",
      "Host: assay.test",
      withToken(),
      "Content-Type: application/json",
      "Content-Length: 9000000000",
    );
    expect(status).toBe(413);
    expect(Object.keys(JSON.parse(body) as object)).toEqual(["errorMessage"]);
  });
  test("a huge body without a token is a 401", async () => {
    expect((await raw("POST /api/v1/scans HTTP/1.1", "Host: assay.test", "Content-Length: 9000000000")).status).toBe(401);
  });
  test("a GET with Content-Length is served", async () => {
    expect((await raw("GET /api/v1/scans HTTP/1.1", "Host: assay.test", withToken(), "Content-Length: 0")).status).toBe(200);
  });
});

describe("internal errors", () => {
  test("are a 500 with a fixed text, logged with the request id", async () => {
    const broken = await startApi({
      ready: () => {
        throw new Error("internal detail");
      },
    });
    const response = await broken.request("/readyz");
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ errorMessage: "Something went wrong on our side." });
    expect(broken.logged).toHaveLength(1);
    expect(broken.logged[0]).toContain(response.headers.get("x-request-id") ?? "no id");
    expect(broken.logged[0]).toContain("internal detail");
    await broken.stop();
  });
  test("have the same shape in the auth guard", async () => {
    let stopped = false;
    const broken = await startApi({
      now: () => {
        if (stopped) throw new Error("the clock is broken");
        return new Date();
      },
    });
    stopped = true;
    const response = await broken.request("/api/v1/scans");
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ errorMessage: "Something went wrong on our side." });
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(broken.logged).toHaveLength(1);
    await broken.stop();
  });
  test("not being ready is a 503 with the reason", async () => {
    const unready = await startApi({
      ready: () => ({ ready: false, reasons: [{ source: "browser", because: "the browser does not start" }] }),
    });
    const response = await unready.request("/readyz");
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      errorMessage: "Not ready: the browser does not start.",
      reasons: [{ source: "browser", because: "the browser does not start" }],
    });
    expect((await unready.request("/healthz")).status).toBe(200);
    await unready.stop();
  });
});
