/** Forward proxy between real sockets: a minimal client on one side, servers of the test on the other. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { openEgress } from "../../../src/egress/dial.ts";
import { defaultProxyLimits, type EgressProxy, type ProxyLimits, startProxy, startRefusingProxy } from "../../../src/egress/proxy.ts";
import type { EgressSettings } from "../../../src/egress/settings.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { egressSettings } from "../../support/egress-settings.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

interface Listener {
  readonly port: number;
  /** All connections so far. */
  readonly connections: number;
  /** Currently open connections. */
  readonly open: number;
}

async function listen(onConnection: (socket: Socket) => void, address = "127.0.0.1"): Promise<Listener> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
  };
}

/** Echoes the head of each request, so that a test sees the forwarded bytes. */
const echo = (socket: Socket) =>
  socket.on("data", (head: Buffer) => socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nX-CaSe: 1\r\nx-case: 2\r\n\r\n"), head])));

/** Sends nothing, and closes when the other side closes. */
const quiet = (socket: Socket) => socket.resume().once("end", () => socket.end());

/** A proxy that maps `http://site.test` and `https://site.test` to the listener. */
async function proxyTo(listener: Listener, limits: Partial<ProxyLimits> = {}, given: Partial<EgressSettings> = {}): Promise<EgressProxy> {
  const connectTo = [80, 443].map((port) => ({ host: "site.test", port, address: "127.0.0.1", addressPort: listener.port }));
  const egress = openEgress(egressSettings({ allowCidrs: ["127.0.0.1"], connectTo, ...given }));
  const proxy = await startProxy(egress, { ...defaultProxyLimits, ...limits });
  cleanUp.push(async () => {
    await proxy.stop();
    egress.close();
  });
  return proxy;
}

function dialProxy({ port }: { port: number }): Socket {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  socket.on("error", () => {});
  cleanUp.push(() => socket.destroy());
  return socket;
}

/** All bytes until the connection ends or breaks. */
function everything(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const finish = () => resolve(Buffer.concat(chunks).toString("latin1"));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.once("end", finish);
    socket.once("close", finish);
  });
}

function ask(proxy: { port: number }, request: string): Promise<string> {
  const socket = dialProxy(proxy);
  socket.write(Buffer.from(request, "latin1"));
  return everything(socket);
}

const plain = (url: string) => `GET ${url} HTTP/1.1\r\nHost: ${URL.parse(url)?.host}\r\n\r\n`;
const tunnel = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(10);
}

describe("forwarding", () => {
  test("a plain request arrives in origin form without proxy fields, and the answer returns unchanged", async () => {
    const proxy = await proxyTo(await listen(echo));
    const answer = await ask(
      proxy,
      "GET http://site.test/a//b?c=http://d#e HTTP/1.1\r\nHost: site.test\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: x\r\nX-Own: \u00fc\r\n\r\n",
    );
    expect(answer).toBe(
      "HTTP/1.1 200 OK\r\nX-CaSe: 1\r\nx-case: 2\r\n\r\nGET /a//b?c=http://d HTTP/1.1\r\nHost: site.test\r\nX-Own: \u00fc\r\nConnection: close\r\n\r\n",
    );
    expect(proxy.failureOf("site.test", 80)).toBeNull();
    expect(proxy.bytesDown).toBe(answer.length);
  });

  test("a body with a content-length is forwarded, also if it arrives later", async () => {
    const received: string[] = [];
    const proxy = await proxyTo(
      await listen((socket) =>
        socket.on("data", (chunk: Buffer) => {
          received.push(chunk.toString());
          if (received.join("").endsWith("abcdef")) socket.end("HTTP/1.1 204 No Content\r\n\r\n");
        }),
      ),
    );
    const socket = dialProxy(proxy);
    socket.write("POST http://site.test/ HTTP/1.1\r\nHost: site.test\r\nContent-Length: 6\r\n\r\nabc");
    await Bun.sleep(50);
    socket.write("def");
    expect(await everything(socket)).toContain("204");
  });

  for (const port of [443, 80]) {
    test(`a CONNECT tunnel to port ${port} forwards bytes in both directions`, async () => {
      const proxy = await proxyTo(await listen((socket) => socket.on("data", (chunk: Buffer) => socket.write(`<${chunk}>`))));
      const socket = dialProxy(proxy);
      socket.write(`${tunnel(`site.test:${port}`)}early`);
      const seen: string[] = [];
      socket.on("data", (chunk: Buffer) => {
        seen.push(chunk.toString());
        if (seen.join("").endsWith("<early>")) socket.write("late");
      });
      await until(() => seen.join("") === "HTTP/1.1 200 Connection established\r\n\r\n<early><late>");
    });
  }

  test("the end of one direction leaves the other open", async () => {
    const proxy = await proxyTo(
      await listen((socket) => {
        socket.resume();
        socket.once("end", () => setTimeout(() => socket.end("sent after the other end"), 50));
      }),
    );
    const socket = dialProxy(proxy);
    socket.write(tunnel("site.test:443"));
    await new Promise((resolve) => socket.once("data", resolve));
    const rest = everything(socket);
    socket.end("last words");
    expect(await rest).toBe("sent after the other end");
  });

  test("a slow reader does not fill the memory, and receives everything in the end", async () => {
    const chunk = Buffer.alloc(64 * 1_024, 1);
    const chunks = 320;
    let written = 0;
    const listener = await listen(async (socket) => {
      for (; written < chunks && !socket.destroyed; written++) {
        if (!socket.write(chunk)) await new Promise((resolve) => socket.once("drain", resolve));
      }
      socket.end();
    });
    const proxy = await proxyTo(listener);
    const socket = dialProxy(proxy);
    socket.write(tunnel("site.test:443"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    for (let before = -1; proxy.bytesDown !== before; await Bun.sleep(300)) before = proxy.bytesDown;
    // At most the kernel's buffers of two connections.
    expect(proxy.bytesDown).toBeLessThan(15 * 1_024 * 1_024);
    const before = proxy.bytesDown;
    await Bun.sleep(100);
    expect(proxy.bytesDown).toBe(before);
    socket.resume();
    await everything(socket);
    expect(proxy.bytesDown).toBe(chunk.length * chunks);
  });

  test("when the browser disconnects, the server's connection closes", async () => {
    const listener = await listen((socket) => {
      quiet(socket);
      socket.write("first of many");
    });
    const proxy = await proxyTo(listener);
    const socket = dialProxy(proxy);
    socket.write(tunnel("site.test:443"));
    await until(() => listener.open === 1);
    socket.destroy();
    await until(() => listener.open === 0);
  });
});

describe("refusing", () => {
  const blocked = ["169.254.169.254", "127.0.0.2", "0x7f000002", "[::1]", "10.0.0.1", "[::ffff:10.0.0.1]", "localhost"];

  for (const host of blocked) {
    test(`${host} gets no answer that looks like a page`, async () => {
      const secret = await listen(echo, "127.0.0.2");
      const proxy = await proxyTo(secret);
      expect(await ask(proxy, plain(`http://${host}/`))).toBe("");
      expect(await ask(proxy, tunnel(`${host}:443`))).toMatch(/^HTTP\/1\.1 502 [^\n]+\r\nContent-Length: 0\r\nConnection: close\r\n\r\n$/);
      expect(proxy.failureOf(host, 80)).toBe("blocked");
      expect(proxy.failureOf(host, 443)).toBe("blocked");
      expect(secret.connections).toBe(0);
    });
  }

  test("failures are recorded by endpoint, and deleted when the endpoint answers", async () => {
    const dns = await startDnsServer({ "closed.test": { A: ["127.0.0.1"] }, "private.test": { A: ["10.0.0.1"] } });
    cleanUp.push(dns.stop);
    const gone = await listen(echo);
    const proxy = await proxyTo(gone, {}, { dnsServers: [dns.address], allowPorts: [1] });
    await ask(proxy, tunnel("closed.test:1"));
    await ask(proxy, tunnel("private.test:443"));
    await ask(proxy, tunnel("absent.test:443"));
    expect(proxy.failureOf("CLOSED.test.", 1)).toBe("refused");
    expect(proxy.failureOf("private.test", 443)).toBe("blocked");
    expect(proxy.failureOf("absent.test", 443)).toBe("unresolved");
    expect(proxy.failureOf("site.test", 443)).toBeNull();
  });

  test("DNS rebinding: a name keeps its pinned address", async () => {
    const site = await listen(echo, "127.0.0.1");
    const secret = await listen(echo, "127.0.0.2");
    const dns = await startDnsServer({ "site.test": { A: { inTurn: [["127.0.0.1"], ["127.0.0.2"]] } } });
    cleanUp.push(dns.stop);
    const given = { dnsServers: [dns.address], connectTo: [], allowPorts: [site.port, secret.port] };
    const proxy = await proxyTo(site, {}, given);
    expect(await ask(proxy, plain(`http://site.test:${site.port}/`))).toContain("200 OK");
    await ask(proxy, plain(`http://site.test:${secret.port}/`));
    expect(await ask(proxy, plain(`http://site.test:${site.port}/`))).toContain("200 OK");
    expect(secret.connections).toBe(0);
  });

  test("the proxy refuses connections to itself", async () => {
    const proxy = await proxyTo(await listen(echo), {}, { profile: "internal", allowPorts: "any" });
    expect(await ask(proxy, plain(`http://127.0.0.1:${proxy.port}/`))).toBe("");
    expect(proxy.failureOf("127.0.0.1", proxy.port)).toBe("blocked");
  });

  const unreadable: readonly [words: string, request: string][] = [
    ["a request in origin form", "GET / HTTP/1.1\r\nHost: site.test\r\n\r\n"],
    ["another scheme", "GET ftp://site.test/ HTTP/1.1\r\n\r\n"],
    ["https without a tunnel", "GET https://site.test/ HTTP/1.1\r\n\r\n"],
    ["a file", "GET file:///etc/passwd HTTP/1.1\r\n\r\n"],
    ["a tunnel without port", "CONNECT site.test HTTP/1.1\r\n\r\n"],
    ["a tunnel to two ports", "CONNECT site.test:443:80 HTTP/1.1\r\n\r\n"],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n"],
    ["a body without declared length", "POST http://site.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"],
    ["two lengths", "POST http://site.test/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["a second request after the first", `${plain("http://site.test/")}${plain("http://169.254.169.254/")}`],
  ];
  for (const [words, request] of unreadable) {
    test(`${words} is disconnected`, async () => {
      const listener = await listen(echo);
      expect(await ask(await proxyTo(listener), request)).toBe("");
      expect(listener.connections).toBe(0);
    });
  }

  test("a connection serves one plain request: a later one never reaches the first server", async () => {
    const heard: string[] = [];
    const listener = await listen((socket) =>
      socket.on("data", (chunk: Buffer) => {
        heard.push(chunk.toString());
        // A server that ignores "Connection: close".
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      }),
    );
    const socket = dialProxy(await proxyTo(listener));
    socket.write(plain("http://site.test/first"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.write(plain("http://other.test/second"));
    await everything(socket);
    expect(heard.join("")).toContain("/first");
    expect(heard.join("")).not.toContain("/second");
  });
});

describe("limits", () => {
  test("bytes: all connections close, and the reason is recorded", async () => {
    const listener = await listen(async (socket) => {
      const chunk = Buffer.alloc(16_384, 1);
      while (!socket.destroyed)
        if (!socket.write(chunk)) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
    });
    const proxy = await proxyTo(listener, { bytesDownMax: 1_000_000 });
    const other = dialProxy(proxy);
    other.write(tunnel("site.test:80"));
    other.once("data", () => other.pause());
    const received = await ask(proxy, tunnel("site.test:443"));
    expect(received.length).toBeLessThan(1_100_000);
    expect(proxy.tooLarge).toBe(true);
    expect(proxy.failureOf("site.test", 443)).toBe("too-large");
    await until(() => listener.open === 0);
    expect(await ask(proxy, plain("http://site.test/"))).toBe("");
    expect(listener.connections).toBe(2);
  });

  test("a head that is too large", async () => {
    const listener = await listen(echo);
    const proxy = await proxyTo(listener, { headBytesMax: 10_000 });
    expect(await ask(proxy, `GET http://site.test/ HTTP/1.1\r\nA: ${"x".repeat(20_000)}`)).toBe("");
    expect(await ask(proxy, `GET http://site.test/ HTTP/1.1\r\nA: ${"x".repeat(20_000)}\r\n\r\n`)).toBe("");
    expect(listener.connections).toBe(0);
  });

  test("a head that arrives too slowly", async () => {
    const proxy = await proxyTo(await listen(echo), { headMs: 150 });
    expect(await ask(proxy, "GET http://site.test/ HTTP/1.1\r\n")).toBe("");
  });

  test("an incomplete head", async () => {
    const proxy = await proxyTo(await listen(echo));
    const socket = dialProxy(proxy);
    socket.end("GET http://site.test/ HTTP/1.1\r\n");
    expect(await everything(socket)).toBe("");
  });

  test("simultaneous connections", async () => {
    const listener = await listen(quiet);
    const proxy = await proxyTo(listener, { connectionsAtOnceMax: 3 });
    const first = [1, 2, 3].map(() => dialProxy(proxy));
    for (const socket of first) socket.write(tunnel("site.test:443"));
    await until(() => listener.open === 3);
    expect(await ask(proxy, tunnel("site.test:443"))).toBe("");
    for (const socket of first) socket.destroy();
    await until(() => listener.open === 0);
    dialProxy(proxy).write(tunnel("site.test:443"));
    await until(() => listener.open === 1);
  });

  test("total connections", async () => {
    const proxy = await proxyTo(await listen(echo), { connectionsMax: 2 });
    expect(await ask(proxy, plain("http://site.test/"))).toContain("200 OK");
    expect(await ask(proxy, plain("http://site.test/"))).toContain("200 OK");
    expect(await ask(proxy, plain("http://site.test/"))).toBe("");
  });

  test("stop closes all connections", async () => {
    const listener = await listen(quiet);
    const proxy = await proxyTo(listener);
    const socket = dialProxy(proxy);
    socket.write(tunnel("site.test:443"));
    await until(() => listener.open === 1);
    const rest = everything(socket);
    await proxy.stop();
    await rest;
    await until(() => listener.open === 0);
    const late = dialProxy(proxy);
    expect(await everything(late)).toBe("");
  });
});

describe("SSRF guard: the proxies of other scans", () => {
  test("are unreachable in the most permissive profile, by any address of this machine", async () => {
    const loose = { profile: "internal", allowPorts: "any", allowCidrs: ["0.0.0.0/0", "::/0"] } as const;
    const [mine, other, refusing] = [
      await proxyTo(await listen(echo), {}, loose),
      await proxyTo(await listen(echo)),
      await startRefusingProxy(),
    ];
    cleanUp.push(refusing.stop);
    for (const { port } of [mine, other, refusing]) {
      for (const host of ["127.0.0.1", "127.0.0.9", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "localhost", "2130706433"]) {
        expect(await ask(mine, tunnel(`${host}:${port}`))).toContain("502");
        expect(mine.failureOf(host, port)).toBe("blocked");
      }
    }
  });

  test("release their ports when they stop", async () => {
    const egress = openEgress(egressSettings({ profile: "internal", allowPorts: "any" }));
    const proxy = await startProxy(egress);
    await proxy.stop();
    await expect(egress.dial("127.0.0.1", proxy.port, { deadlineMs: 1_000 })).rejects.toMatchObject({ because: "refused" });
    egress.close();
  });
});

describe("the refusing proxy", () => {
  test("dials nothing and records the requested endpoints by scheme", async () => {
    const proxy = await startRefusingProxy();
    cleanUp.push(proxy.stop);
    expect(await ask(proxy, plain("http://site.test/"))).toBe("");
    expect(await ask(proxy, tunnel("site.test:443"))).toContain("502");
    expect(await ask(proxy, "nonsense\r\n\r\n")).toBe("");
    expect(proxy.requested).toEqual([
      { scheme: "http", host: "site.test", port: 80 },
      { scheme: "https", host: "site.test", port: 443 },
    ]);
  });
});
