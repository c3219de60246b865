/** Which address a request was sent to, behind proxies and without them. */
import { describe, expect, test } from "vitest";
import { createServerOrigin } from "../../../src/http/server-origin.ts";

const proxy = "10.0.0.2";
const stranger = "203.0.113.9";

interface Asked {
  readonly publicUrl?: string;
  readonly peer?: string | null;
  readonly headers: Record<string, string>;
}

function ask({ publicUrl, peer = stranger, headers }: Asked) {
  const told: string[] = [];
  const ownAddress = createServerOrigin({
    publicUrl: publicUrl ?? null,
    trustedProxies: ["10.0.0.0/8", "::1"],
    onUntrustedForwarding: (from) => told.push(from),
  });
  return { address: ownAddress(peer, new Headers(headers)), told };
}

const publicUrl = "https://assay.test";

test.each<[string, Asked, string]>([
  ["nothing is known: plain http", { headers: { host: "nas:8787" } }, "http://nas:8787"],
  ["the usual port is left out", { headers: { host: "nas:80" } }, "http://nas"],
  ["the public host brings the public scheme", { publicUrl, headers: { host: "assay.test" } }, "https://assay.test"],
  ["with its usual port, and in any case", { publicUrl, headers: { host: "ASSAY.test:443" } }, "https://assay.test"],
  ["on another port it is another address", { publicUrl, headers: { host: "assay.test:8787" } }, "http://assay.test:8787"],
  ["straight from the LAN", { publicUrl, headers: { host: "192.168.1.5:8787" } }, "http://192.168.1.5:8787"],
  ["a proxy's scheme", { peer: proxy, headers: { host: "a.test", "x-forwarded-proto": "https" } }, "https://a.test"],
  [
    "a proxy's scheme and host",
    { peer: proxy, headers: { host: "127.0.0.1:8787", "x-forwarded-proto": "HTTPS", "x-forwarded-host": "a.test:8443" } },
    "https://a.test:8443",
  ],
  ["a proxy's host is the public one", { publicUrl, peer: proxy, headers: { host: "up", "x-forwarded-host": "assay.test" } }, publicUrl],
  [
    "of a chain, who saw the visitor",
    { peer: proxy, headers: { host: "up", "x-forwarded-proto": "https, http", "x-forwarded-host": "a.test, b.test" } },
    "https://a.test",
  ],
  [
    "the public scheme, whatever a proxy says",
    { publicUrl: "http://nas", peer: proxy, headers: { host: "nas", "x-forwarded-proto": "https" } },
    "http://nas",
  ],
  ["a scheme that is none", { peer: proxy, headers: { host: "a.test", "x-forwarded-proto": "gopher" } }, "http://a.test"],
  ["an empty header", { peer: proxy, headers: { host: "a.test", "x-forwarded-proto": "", "x-forwarded-host": " " } }, "http://a.test"],
  ["a stranger's headers", { headers: { host: "a.test", "x-forwarded-proto": "https", "x-forwarded-host": "b.test" } }, "http://a.test"],
  ["a peer without address", { peer: null, headers: { host: "a.test", "x-forwarded-proto": "https" } }, "http://a.test"],
  ["a proxy on IPv6", { peer: "::1", headers: { host: "[::1]:8787", "x-forwarded-proto": "https" } }, "https://[::1]:8787"],
  [
    "an IPv4 proxy on a dual-stack listener",
    { peer: "::ffff:10.0.0.2", headers: { host: "a.test", "x-forwarded-proto": "https" } },
    "https://a.test",
  ],
])("%s", (_words, asked, origin) => {
  const { address } = ask(asked);
  expect([address?.origin, address?.https]).toEqual([origin, origin.startsWith("https:")]);
});

describe("a Host that is none is refused", () => {
  test.each([
    {},
    { host: "" },
    { host: "a b" },
    { host: "a,b" },
    { host: "a/b" },
    { host: "user@a" },
    { host: "a?b" },
    { host: "a\\b" },
    { host: "a:b" },
    { host: "a:99999" },
    { host: "[::1" },
    { host: "256.0.0.1" },
    { host: "a%2fb" },
    { host: '"><script>' },
    { host: "a".repeat(262) },
  ])("%j", (headers: Record<string, string>) => {
    expect(ask({ headers }).address).toBeNull();
  });

  // Of a site that points its name at this machine, to read its pages in the browser of somebody who may.
  test.each(["evil.com", "evil.com:8787", "assay.example.org.evil.com", "EVIL.com.", "github.io"])("and %s, of another domain", (host) => {
    for (const publicUrl of ["https://assay.ourselves.org", "http://nas:8787", "https://192.0.2.1"])
      expect(ask({ publicUrl, headers: { host } }).address).toBeNull();
    expect(ask({ headers: { host } }).address).not.toBeNull();
    expect(ask({ publicUrl, peer: proxy, headers: { host } }).address).not.toBeNull();
  });

  test.each(["lan.ourselves.org:8787", "nas", "nas.local", "assay.home.arpa", "localhost:8787", "127.0.0.1", "[fd00::1]", "192.168.1.5"])(
    "but not %s, which is its own, an address or a local name",
    (host) => expect(ask({ publicUrl: "https://assay.ourselves.org", headers: { host } }).address?.origin).toBe(`http://${host}`),
  );

  test("and one that a proxy hands on", () => {
    expect(ask({ peer: proxy, headers: { host: "up", "x-forwarded-host": "a/b" } }).address).toBeNull();
  });
});

test.each([
  ["localhost:8787", true],
  ["assay.localhost", true],
  ["127.0.0.1", true],
  ["127.1", true],
  ["[::1]:8787", true],
  ["192.168.1.5", false],
  ["localhost.evil.test", false],
  ["127.0.0.1.evil.test", false],
])("%s stays on this machine: %s", (host, loopback) => {
  expect(ask({ headers: { host } }).address?.loopback).toBe(loopback);
});

test("a forwarding header from a stranger is told once", () => {
  const told: string[] = [];
  const ownAddress = createServerOrigin({ publicUrl: null, trustedProxies: [proxy], onUntrustedForwarding: (from) => told.push(from) });
  ownAddress(stranger, new Headers({ host: "a.test" }));
  ownAddress(proxy, new Headers({ host: "a.test", "x-forwarded-for": "1.2.3.4" }));
  expect(told).toEqual([]);
  for (const name of ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"])
    ownAddress(stranger, new Headers({ host: "a.test", [name]: "a.test" }));
  expect(told).toEqual([stranger]);
});
