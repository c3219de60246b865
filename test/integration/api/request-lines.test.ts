/** Malformed request lines never bypass the auth guard. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

let api: ApiUnderTest;
let scanToken: string;

beforeAll(async () => {
  api = await startApi({ failedAuthenticationLimit: { requestsMax: 1_000, windowSeconds: 60 } });
  const { token } = await api.customer();
  scanToken = (await api.start(token)).token;
  await api.finish();
});

afterAll(() => api.stop());

/** Sends raw bytes and returns everything until the server closes. */
function sent(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(api.port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

const statusOf = (answer: string) => Number(answer.slice(9, 12));

describe("without a token", () => {
  const list = "/api/v1/scans";
  test.each([
    ["the host ends the path", list, "x?"],
    ["the host is a path that needs no token", list, "x/api/v1/openapi.json?"],
    ["the host is a fragment", list, "x#"],
    ["the host has a user", list, "somebody@x"],
    ["the host is empty", list, ""],
    ["the target has another host", `http://x${list}`, "x"],
    ["the target has dot segments", `/healthz/..${list}`, "x"],
    ["the target has escaped dot segments", `/healthz/%2e%2e${list}`, "x"],
    ["the target begins with two slashes", `/${list}`, "x"],
    ["the target is escaped", "/%61pi/v1/scans", "x"],
    ["the target has backslashes", list.replaceAll("/", "\\").replace("\\", "/"), "x"],
    ["the target ends in a path that needs no token", `${list}#/healthz`, "x"],
    ["the target is in capitals", list.toUpperCase(), "x"],
  ])("%s: nothing is shown", async (_words, target, host) => {
    for (const path of [target, `${target}/${scanToken}`, `${target}/${scanToken}/security`]) {
      const answer = await sent(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect([400, 401, 404]).toContain(statusOf(answer));
      expect(answer).not.toContain("site.example");
    }
  });

  test.each(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE"])("%s gets 401", async (method) => {
    const answer = await sent(`${method} ${list} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    expect(statusOf(answer)).toBe(401);
  });
});

test("a token sent twice is refused", async () => {
  const { token } = await api.customer();
  const authorization = `Authorization: Bearer ${token}\r\n`;
  const ask = (headers: string) => sent(`GET /api/v1/scans HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`);
  expect(statusOf(await ask(authorization))).toBe(200);
  expect(statusOf(await ask(authorization + authorization))).toBe(401);
});

test("an endless body is refused, not buffered", async () => {
  const { token } = await api.customer();
  const chunkBytes = 2 ** 20;
  const chunk = `${chunkBytes.toString(16)}\r\n${"a".repeat(chunkBytes)}\r\n`;
  const status = await new Promise<number>((resolve, reject) => {
    const socket = connect(api.port, "127.0.0.1", () => {
      const pour = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", pour);
      socket.write(
        `POST /api/v1/scans HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
          "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
      );
      pour();
    });
    socket.on("data", (bytes) => {
      resolve(statusOf(bytes.toString("latin1")));
      socket.destroy();
    });
    socket.on("error", reject);
  });
  expect(status).toBe(413);
});

describe("the runtime itself, as docs/api.md says, without a body", () => {
  const host = "Host: x\r\n";
  const post = `POST /api/v1/scans HTTP/1.1\r\n${host}`;
  const many = Array.from({ length: 200 }, (_, at) => `x-${at}: 1\r\n`).join("");
  const long = "a".repeat(16_384);
  test.each([
    ["is not HTTP", "400 Bad Request", "hello\r\n\r\n"],
    ["has no Host", "400 Bad Request", "GET /healthz HTTP/1.1\r\n\r\n"],
    ["has a blank in the name of a header", "400 Bad Request", `GET /healthz HTTP/1.1\r\n${host}a b: 1\r\n\r\n`],
    ["has an invalid length", "400 Bad Request", `${post}Content-Length: abc\r\n\r\n`],
    ["has a length and a coding", "400 Bad Request", `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ["has another coding", "400 Bad Request", `${post}Transfer-Encoding: gzip\r\n\r\n`],
    ["has a long header", "431 Request Header Fields Too Large", `GET /healthz HTTP/1.1\r\n${host}x: ${long}\r\n\r\n`],
    ["has a long target", "431 Request Header Fields Too Large", `GET /${long} HTTP/1.1\r\n${host}\r\n`],
    ["has many headers", "431 Request Header Fields Too Large", `GET /healthz HTTP/1.1\r\n${host}${many}\r\n`],
    ["has no version", "505 HTTP Version Not Supported", "GET /healthz\r\n\r\n"],
    ["has another version", "505 HTTP Version Not Supported", `GET /healthz HTTP/2.0\r\n${host}\r\n`],
  ])("answers a request that %s with %s", async (_words, status, request) => {
    expect(await sent(request)).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  });

  test("closes the connection at an unknown method", async () => {
    expect(await sent(`FOO /healthz HTTP/1.1\r\n${host}\r\n`)).toBe("");
  });
});
