/** HTTP client against correct and faulty servers. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type Egress, openEgress } from "../../../src/egress/dial.ts";
import type { EgressError } from "../../../src/egress/egress-error.ts";
import { type GetOptions, type HttpReply, httpGet } from "../../../src/egress/http-client.ts";
import { headerFieldsMax, headerValueCharsMax } from "../../../src/evidence/limits.ts";
import { egressSettings } from "../../support/egress-settings.ts";

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanUp.splice(0)) step();
});

/** A server that handles each connection as given after the request, and an egress that reaches it. */
async function serve(answer: (socket: Socket, request: string) => void): Promise<Egress> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (request: Buffer) => answer(socket, request.toString("latin1")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const addressPort = (server.address() as AddressInfo).port;
  const connectTo = [80, 443].map((port) => ({ host: "site.test", port, address: "127.0.0.1", addressPort }));
  const egress = openEgress(egressSettings({ profile: "internal", connectTo }));
  cleanUp.push(() => {
    egress.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return egress;
}

const options: GetOptions = { deadlineMs: 30_000, bodyBytesMax: 1_000 };

/** Result of a server that sends these bytes and closes. */
async function get(bytes: string | Buffer, given: Partial<GetOptions> = {}): Promise<HttpReply> {
  const egress = await serve((socket) => socket.end(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes));
  return httpGet(egress, "http://site.test/", { ...options, ...given });
}

async function failure(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => "no failure",
    (error: EgressError) => error.because,
  );
}

const text = (reply: HttpReply) => Buffer.from(reply.body).toString("latin1");

describe("the request", () => {
  test("is one plain GET with the given fields", async () => {
    let asked = "";
    const egress = await serve((socket, request) => {
      asked = request;
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
    const reply = await httpGet(egress, "http://site.test/a%20b?c=d#e", { ...options, headers: [["Origin", "https://x.invalid"]] });
    expect(reply.status).toBe(204);
    expect(asked.split("\r\n")).toEqual([
      "GET /a%20b?c=d HTTP/1.1",
      "Host: site.test",
      expect.stringMatching(/^User-Agent: assay/),
      "Accept: */*",
      "Accept-Encoding: identity",
      "Origin: https://x.invalid",
      "Connection: close",
      "",
      "",
    ]);
  });
});

describe("the response", () => {
  test("keeps order, spelling and duplicates of fields", async () => {
    const reply = await get("HTTP/1.1 200 OK\r\nX-B: 1\r\nx-a:2\r\nX-b:  3 \r\nContent-Length: 2\r\n\r\nhi");
    expect(reply.headers.map(({ name, value }) => `${name}=${value}`)).toEqual(["X-B=1", "x-a=2", "X-b=3", "Content-Length=2"]);
    expect(reply.field("X-A")).toBe("2");
    expect(reply.field("x-c")).toBeNull();
    expect(text(reply)).toBe("hi");
  });

  const wholes: readonly [words: string, bytes: string, body: string][] = [
    ["a body until the connection ends", "HTTP/1.0 200 OK\r\n\r\nabc", "abc"],
    ["a body with a content-length, followed by more bytes", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", "abc"],
    ["two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "abc"],
    ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n", "abc"],
    [
      "chunks count over a length",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "abc",
    ],
    ["no reason phrase", "HTTP/1.1 200\r\n\r\nabc", "abc"],
    ["bare line feeds", "HTTP/1.1 200 OK\nA: b\n\nabc", "abc"],
    ["interim answers", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nabc", "abc"],
    ["no body with 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", ""],
    ["invalid header lines", "HTTP/1.1 200 OK\r\nnonsense\r\n: x\r\nA b: c\r\n\r\nabc", "abc"],
  ];
  for (const [words, bytes, body] of wholes) test(words, async () => expect(text(await get(bytes))).toBe(body));

  test("is the same if every byte arrives separately", async () => {
    const bytes =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
    const egress = await serve(async (socket) => {
      for (const byte of Buffer.from(bytes)) {
        await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
        await Bun.sleep(1);
      }
    });
    const reply = await httpGet(egress, "http://site.test/", options);
    expect(reply.headers.map(({ name }) => name)).toEqual(["A", "Transfer-Encoding"]);
    expect(text(reply)).toBe("abc");
  });

  test("has folded lines joined, UTF-8 and Latin-1 decoded, and control characters replaced", async () => {
    const head = Buffer.concat([
      Buffer.from("HTTP/1.1 200 OK\r\nA: b\r\n  c\r\nU: \u00fc\r\n", "utf8"),
      Buffer.from("L: \u00fc\r\nN: a\u0000b\tc\r\n\r\n", "latin1"),
    ]);
    const reply = await get(head);
    expect(reply.headers.map(({ value }) => value)).toEqual(["b c", "\u00fc", "\u00fc", "a\ufffdb\tc"]);
  });

  test("may have a field of 100 KB and thousands of fields; dropped ones are counted", async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `X-${index}: ${index}\r\n`).join("");
    const reply = await get(`HTTP/1.1 200 OK\r\nX-Long: ${"a".repeat(100_000)}\r\n${many}\r\n`);
    expect(reply.headers).toHaveLength(headerFieldsMax);
    expect(reply.headersDropped).toBe(3_001 - headerFieldsMax);
    expect(reply.headers[0]).toEqual({ name: "X-Long", value: "a".repeat(headerValueCharsMax), truncated: true });
    expect(reply.field("x-long")).toHaveLength(100_000);
  });

  test("has longer field values under a higher limit", async () => {
    const head = `HTTP/1.1 200 OK\r\nX-Long: ${"a".repeat(2_000)}\r\nContent-Length: 0\r\n\r\n`;
    const [field] = (await get(head, { headerCharsMax: 2_000 })).headers;
    expect(field).toEqual({ name: "X-Long", value: "a".repeat(2_000), truncated: false });
  });

  test("has a long body truncated without waiting for the rest", async () => {
    for (const framing of ["", "Content-Length: 1000000\r\n"]) {
      const egress = await serve((socket) => socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\n${"x".repeat(5_000)}`));
      const reply = await httpGet(egress, "http://site.test/", options);
      expect(reply.body).toHaveLength(1_000);
      expect(reply.truncated).toBe(true);
    }
  });

  test("is complete without a body if none is requested", async () => {
    const egress = await serve((socket) => socket.write("HTTP/1.1 301 Moved\r\nLocation: https://site.test/\r\n\r\n"));
    const reply = await httpGet(egress, "http://site.test/", { ...options, bodyBytesMax: 0 });
    expect(reply.field("location")).toBe("https://site.test/");
  });
});

describe("failures", () => {
  const broken: readonly [words: string, bytes: string, because: string][] = [
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "invalid"],
    ["a TLS alert", "\u0015\u0003\u0001\u0000\u0002\u0002\u0046", "invalid"],
    ["HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", "invalid"],
    ["an invalid status", "HTTP/1.1 999 No\r\n\r\n", "invalid"],
    ["HTTP/0.9", "<html></html>", "invalid"],
    ["a head that ends early", "HTTP/1.1 200 OK\r\nA: b\r\n", "invalid"],
    ["endless interim answers", "HTTP/1.1 100 Continue\r\n\r\n".repeat(50), "invalid"],
    ["contradicting lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "invalid"],
    ["a length that is not a number", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab", "invalid"],
    ["a chunk without size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n", "invalid"],
    ["an endless chunk size line", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(9_000)}`, "invalid"],
    ["an oversized head", `HTTP/1.1 200 OK\r\nA: ${"x".repeat(400_000)}\r\n\r\n`, "invalid"],
    ["a body that ends early", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", "unreachable"],
    ["nothing at all", "", "unreachable"],
  ];
  for (const [words, bytes, because] of broken) test(`${words}: ${because}`, async () => expect(await failure(get(bytes))).toBe(because));

  test("a reset: unreachable", async () => {
    const egress = await serve((socket) => socket.resetAndDestroy());
    expect(await failure(httpGet(egress, "http://site.test/", options))).toBe("unreachable");
  });

  for (const [words, bytes] of [
    ["a silent server", ""],
    ["a head that stops", "HTTP/1.1 200 OK\r\nA: "],
    ["a body that stops", "HTTP/1.1 200 OK\r\n\r\nab"],
  ] as const) {
    test(`${words}: timeout`, async () => {
      const egress = await serve((socket) => socket.write(bytes));
      expect(await failure(httpGet(egress, "http://site.test/", { ...options, deadlineMs: 200 }))).toBe("timeout");
    });
  }

  test("the caller's signal: timeout", async () => {
    const egress = await serve(() => {});
    expect(await failure(httpGet(egress, "http://site.test/", { ...options, signal: AbortSignal.timeout(100) }))).toBe("timeout");
  });

  test("a server without TLS: tls", async () => {
    const egress = await serve((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await failure(httpGet(egress, "https://site.test/", options))).toBe("tls");
  });

  test("a server that stays silent in the handshake: timeout", async () => {
    const egress = await serve(() => {});
    expect(await failure(httpGet(egress, "https://site.test/", { ...options, deadlineMs: 200 }))).toBe("timeout");
  });

  test("a blocked address: blocked", async () => {
    expect(await failure(httpGet(openEgress(egressSettings()), "http://169.254.169.254/latest/meta-data/", options))).toBe("blocked");
  });
});
