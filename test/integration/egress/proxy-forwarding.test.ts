/** Forward proxy: plain requests and tunnels between real sockets, within the limits. */
import { afterEach, describe, expect, test } from "vitest";
import { cleanUp } from "../../support/clean-up.ts";
import {
  dialProxy,
  echo,
  listen,
  plainRequest,
  proxyTo,
  quiet,
  readAll,
  sendRequest,
  tunnelRequest,
  until,
} from "../../support/proxy-client.ts";

afterEach(cleanUp);

describe("forwarding", () => {
  test("a plain request arrives in origin form without proxy fields, and the answer returns unchanged", async () => {
    const proxy = await proxyTo(await listen(echo));
    const answer = await sendRequest(
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
    expect(await readAll(socket)).toContain("204");
  });

  for (const port of [443, 80]) {
    test(`a CONNECT tunnel to port ${port} forwards bytes in both directions`, async () => {
      const proxy = await proxyTo(await listen((socket) => socket.on("data", (chunk: Buffer) => socket.write(`<${chunk}>`))));
      const socket = dialProxy(proxy);
      socket.write(`${tunnelRequest(`site.test:${port}`)}early`);
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
    socket.write(tunnelRequest("site.test:443"));
    await new Promise((resolve) => socket.once("data", resolve));
    const rest = readAll(socket);
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
    socket.write(tunnelRequest("site.test:443"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    for (let before = -1; proxy.bytesDown !== before; await Bun.sleep(1_000)) before = proxy.bytesDown;
    // At most the kernel's buffers of two connections.
    expect(proxy.bytesDown).toBeLessThan(15 * 1_024 * 1_024);
    const before = proxy.bytesDown;
    await Bun.sleep(100);
    expect(proxy.bytesDown).toBe(before);
    socket.resume();
    await readAll(socket);
    expect(proxy.bytesDown).toBe(chunk.length * chunks);
  });

  test("when the browser disconnects, the server's connection closes", async () => {
    const listener = await listen((socket) => {
      quiet(socket);
      socket.write("first of many");
    });
    const proxy = await proxyTo(listener);
    const socket = dialProxy(proxy);
    socket.write(tunnelRequest("site.test:443"));
    await until(() => listener.open === 1);
    socket.destroy();
    await until(() => listener.open === 0);
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
    other.write(tunnelRequest("site.test:80"));
    other.once("data", () => other.pause());
    const received = await sendRequest(proxy, tunnelRequest("site.test:443"));
    expect(received.length).toBeLessThan(1_100_000);
    expect(proxy.tooLarge).toBe(true);
    expect(proxy.failureOf("site.test", 443)).toBe("too-large");
    await until(() => listener.open === 0);
    expect(await sendRequest(proxy, plainRequest("http://site.test/"))).toBe("");
    expect(listener.connections).toBe(2);
  });

  test("a head that is too large", async () => {
    const listener = await listen(echo);
    const proxy = await proxyTo(listener, { headBytesMax: 10_000 });
    expect(await sendRequest(proxy, `GET http://site.test/ HTTP/1.1\r\nA: ${"x".repeat(20_000)}`)).toBe("");
    expect(await sendRequest(proxy, `GET http://site.test/ HTTP/1.1\r\nA: ${"x".repeat(20_000)}\r\n\r\n`)).toBe("");
    expect(listener.connections).toBe(0);
  });

  test("a head that arrives too slowly", async () => {
    const proxy = await proxyTo(await listen(echo), { headMs: 150 });
    expect(await sendRequest(proxy, "GET http://site.test/ HTTP/1.1\r\n")).toBe("");
  });

  test("an incomplete head", async () => {
    const proxy = await proxyTo(await listen(echo));
    const socket = dialProxy(proxy);
    socket.end("GET http://site.test/ HTTP/1.1\r\n");
    expect(await readAll(socket)).toBe("");
  });

  test("simultaneous connections", async () => {
    const listener = await listen(quiet);
    const proxy = await proxyTo(listener, { connectionsAtOnceMax: 3 });
    const first = [1, 2, 3].map(() => dialProxy(proxy));
    for (const socket of first) socket.write(tunnelRequest("site.test:443"));
    await until(() => listener.open === 3);
    expect(await sendRequest(proxy, tunnelRequest("site.test:443"))).toBe("");
    for (const socket of first) socket.destroy();
    await until(() => listener.open === 0);
    dialProxy(proxy).write(tunnelRequest("site.test:443"));
    await until(() => listener.open === 1);
  });

  test("total connections", async () => {
    const proxy = await proxyTo(await listen(echo), { connectionsMax: 2 });
    expect(await sendRequest(proxy, plainRequest("http://site.test/"))).toContain("200 OK");
    expect(await sendRequest(proxy, plainRequest("http://site.test/"))).toContain("200 OK");
    expect(await sendRequest(proxy, plainRequest("http://site.test/"))).toBe("");
  });

  test("stop closes all connections", async () => {
    const listener = await listen(quiet);
    const proxy = await proxyTo(listener);
    const socket = dialProxy(proxy);
    socket.write(tunnelRequest("site.test:443"));
    await until(() => listener.open === 1);
    const rest = readAll(socket);
    await proxy.stop();
    await rest;
    await until(() => listener.open === 0);
    const late = dialProxy(proxy);
    expect(await readAll(late)).toBe("");
  });
});
