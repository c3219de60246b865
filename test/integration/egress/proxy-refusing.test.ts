/** Forward proxy: blocked addresses, unreadable requests and the ports of other proxies. */
import { afterEach, describe, expect, test } from "vitest";
import { openEgress } from "../../../src/egress/dial.ts";
import { startProxy, startRefusingProxy } from "../../../src/egress/proxy.ts";
import { cleanUp, onCleanUp } from "../../support/clean-up.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { egressSettings } from "../../support/egress-settings.ts";
import { dialProxy, echo, listen, plainRequest, proxyTo, readAll, sendRequest, tunnelRequest } from "../../support/proxy-client.ts";

afterEach(cleanUp);

describe("refusing", () => {
  const blocked = ["169.254.169.254", "127.0.0.2", "0x7f000002", "[::1]", "10.0.0.1", "[::ffff:10.0.0.1]", "localhost"];

  for (const host of blocked) {
    test(`${host} gets no answer that looks like a page`, async () => {
      const secret = await listen(echo, "127.0.0.2");
      const proxy = await proxyTo(secret);
      expect(await sendRequest(proxy, plainRequest(`http://${host}/`))).toBe("");
      expect(await sendRequest(proxy, tunnelRequest(`${host}:443`))).toMatch(
        /^HTTP\/1\.1 502 [^\n]+\r\nContent-Length: 0\r\nConnection: close\r\n\r\n$/,
      );
      expect(proxy.failureOf(host, 80)).toBe("blocked");
      expect(proxy.failureOf(host, 443)).toBe("blocked");
      expect(secret.connections).toBe(0);
    });
  }

  test("failures are recorded by endpoint, and deleted when the endpoint answers", async () => {
    const dns = await startDnsServer({ "closed.test": { A: ["127.0.0.1"] }, "private.test": { A: ["10.0.0.1"] } });
    onCleanUp(dns.stop);
    const gone = await listen(echo);
    const proxy = await proxyTo(gone, {}, { dnsServers: [dns.address], allowPorts: [1] });
    await sendRequest(proxy, tunnelRequest("closed.test:1"));
    await sendRequest(proxy, tunnelRequest("private.test:443"));
    await sendRequest(proxy, tunnelRequest("absent.test:443"));
    expect(proxy.failureOf("CLOSED.test.", 1)).toBe("refused");
    expect(proxy.failureOf("private.test", 443)).toBe("blocked");
    expect(proxy.failureOf("absent.test", 443)).toBe("unresolved");
    expect(proxy.failureOf("site.test", 443)).toBeNull();
  });

  test("DNS rebinding: a name keeps its pinned address", async () => {
    const site = await listen(echo, "127.0.0.1");
    const secret = await listen(echo, "127.0.0.2");
    const dns = await startDnsServer({ "site.test": { A: { inTurn: [["127.0.0.1"], ["127.0.0.2"]] } } });
    onCleanUp(dns.stop);
    const given = { dnsServers: [dns.address], connectTo: [], allowPorts: [site.port, secret.port] };
    const proxy = await proxyTo(site, {}, given);
    expect(await sendRequest(proxy, plainRequest(`http://site.test:${site.port}/`))).toContain("200 OK");
    await sendRequest(proxy, plainRequest(`http://site.test:${secret.port}/`));
    expect(await sendRequest(proxy, plainRequest(`http://site.test:${site.port}/`))).toContain("200 OK");
    expect(secret.connections).toBe(0);
  });

  test("the proxy refuses connections to itself", async () => {
    const proxy = await proxyTo(await listen(echo), {}, { profile: "internal", allowPorts: "any" });
    expect(await sendRequest(proxy, plainRequest(`http://127.0.0.1:${proxy.port}/`))).toBe("");
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
    ["a second request after the first", `${plainRequest("http://site.test/")}${plainRequest("http://169.254.169.254/")}`],
  ];
  for (const [words, request] of unreadable) {
    test(`${words} is disconnected`, async () => {
      const listener = await listen(echo);
      expect(await sendRequest(await proxyTo(listener), request)).toBe("");
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
    socket.write(plainRequest("http://site.test/first"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.write(plainRequest("http://other.test/second"));
    await readAll(socket);
    expect(heard.join("")).toContain("/first");
    expect(heard.join("")).not.toContain("/second");
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
    onCleanUp(refusing.stop);
    for (const { port } of [mine, other, refusing]) {
      for (const host of ["127.0.0.1", "127.0.0.9", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "localhost", "2130706433"]) {
        expect(await sendRequest(mine, tunnelRequest(`${host}:${port}`))).toContain("502");
        expect(mine.failureOf(host, port)).toBe("blocked");
      }
    }
  });

  test("release their ports when they stop", async () => {
    const egress = openEgress(egressSettings({ profile: "internal", allowPorts: "any" }));
    const proxy = await startProxy(egress);
    await proxy.stop();
    await expect(egress.dial("127.0.0.1", proxy.port, { deadlineMs: 30_000 })).rejects.toMatchObject({ because: "refused" });
    egress.close();
  });
});

describe("the refusing proxy", () => {
  test("dials nothing and records the requested endpoints by scheme", async () => {
    const proxy = await startRefusingProxy();
    onCleanUp(proxy.stop);
    expect(await sendRequest(proxy, plainRequest("http://site.test/"))).toBe("");
    expect(await sendRequest(proxy, tunnelRequest("site.test:443"))).toContain("502");
    expect(await sendRequest(proxy, "nonsense\r\n\r\n")).toBe("");
    expect(proxy.requested).toEqual([
      { scheme: "http", host: "site.test", port: 80 },
      { scheme: "https", host: "site.test", port: 443 },
    ]);
  });
});
