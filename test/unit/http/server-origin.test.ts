/** Origin of the server for a request, with and without proxies, and protection from DNS rebinding. */
import { describe, expect, test } from "vitest";
import { createServerOrigin } from "../../../src/http/server-origin.ts";

const proxy = "10.0.0.2";
const untrustedPeer = "203.0.113.9";

interface RequestOptions {
  readonly publicUrl?: string;
  readonly peer?: string | null;
  readonly headers: Record<string, string>;
}

function originFor({ publicUrl, peer = untrustedPeer, headers }: RequestOptions) {
  const reported: string[] = [];
  const originOf = createServerOrigin({
    publicUrl: publicUrl ?? null,
    trustedProxies: ["10.0.0.0/8", "::1"],
    onUntrustedForwarding: (from) => reported.push(from),
  });
  return { origin: originOf(peer, new Headers(headers)), reported };
}

const publicUrl = "https://assay.test";

test.each<[string, RequestOptions, string]>([
  ["without any setting: plain http", { headers: { host: "nas:8787" } }, "http://nas:8787"],
  ["the default port is omitted", { headers: { host: "nas:80" } }, "http://nas"],
  ["the public host implies the public scheme", { publicUrl, headers: { host: "assay.test" } }, "https://assay.test"],
  ["the public host with its default port, in any case", { publicUrl, headers: { host: "ASSAY.test:443" } }, "https://assay.test"],
  ["the public host on another port is another origin", { publicUrl, headers: { host: "assay.test:8787" } }, "http://assay.test:8787"],
  ["directly from the LAN", { publicUrl, headers: { host: "192.168.1.5:8787" } }, "http://192.168.1.5:8787"],
  ["a proxy's scheme", { peer: proxy, headers: { host: "a.test", "x-forwarded-proto": "https" } }, "https://a.test"],
  [
    "a proxy's scheme and host",
    { peer: proxy, headers: { host: "127.0.0.1:8787", "x-forwarded-proto": "HTTPS", "x-forwarded-host": "a.test:8443" } },
    "https://a.test:8443",
  ],
  ["a proxy's host is the public one", { publicUrl, peer: proxy, headers: { host: "up", "x-forwarded-host": "assay.test" } }, publicUrl],
  [
    "the first proxy of a chain",
    { peer: proxy, headers: { host: "up", "x-forwarded-proto": "https, http", "x-forwarded-host": "a.test, b.test" } },
    "https://a.test",
  ],
  [
    "the public scheme overrides the proxy's",
    { publicUrl: "http://nas", peer: proxy, headers: { host: "nas", "x-forwarded-proto": "https" } },
    "http://nas",
  ],
  ["an unknown scheme", { peer: proxy, headers: { host: "a.test", "x-forwarded-proto": "gopher" } }, "http://a.test"],
  ["an empty header", { peer: proxy, headers: { host: "a.test", "x-forwarded-proto": "", "x-forwarded-host": " " } }, "http://a.test"],
  [
    "headers of an untrusted peer",
    { headers: { host: "a.test", "x-forwarded-proto": "https", "x-forwarded-host": "b.test" } },
    "http://a.test",
  ],
  ["the longest host", { headers: { host: "a".repeat(261) } }, `http://${"a".repeat(261)}`],
  ["a peer without address", { peer: null, headers: { host: "a.test", "x-forwarded-proto": "https" } }, "http://a.test"],
  ["a proxy on IPv6", { peer: "::1", headers: { host: "[::1]:8787", "x-forwarded-proto": "https" } }, "https://[::1]:8787"],
  [
    "an IPv4 proxy on a dual-stack listener",
    { peer: "::ffff:10.0.0.2", headers: { host: "a.test", "x-forwarded-proto": "https" } },
    "https://a.test",
  ],
])("%s", (_name, request, origin) => {
  const { origin: found } = originFor(request);
  expect([found?.origin, found?.https]).toEqual([origin, origin.startsWith("https:")]);
});

describe("an invalid Host is refused", () => {
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
    expect(originFor({ headers }).origin).toBeNull();
  });

  // DNS rebinding: another site points its name to this machine to read the pages.
  test.each(["evil.com", "evil.com:8787", "assay.example.org.evil.com", "EVIL.com.", "github.io"])(
    "so is %s, of another domain",
    (host) => {
      for (const publicUrl of ["https://assay.ourselves.org", "http://nas:8787", "https://192.0.2.1"])
        expect(originFor({ publicUrl, headers: { host } }).origin).toBeNull();
      expect(originFor({ headers: { host } }).origin).not.toBeNull();
      expect(originFor({ publicUrl, peer: proxy, headers: { host } }).origin).not.toBeNull();
    },
  );

  test.each(["lan.ourselves.org:8787", "nas", "nas.local", "assay.home.arpa", "localhost:8787", "127.0.0.1", "[fd00::1]", "192.168.1.5"])(
    "but not %s, which is of the same domain, an address or a local name",
    (host) => expect(originFor({ publicUrl: "https://assay.ourselves.org", headers: { host } }).origin?.origin).toBe(`http://${host}`),
  );

  test("so is an invalid X-Forwarded-Host of a trusted proxy", () => {
    expect(originFor({ peer: proxy, headers: { host: "up", "x-forwarded-host": "a/b" } }).origin).toBeNull();
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
  expect(originFor({ headers: { host } }).origin?.loopback).toBe(loopback);
});

test("a forwarding header of an untrusted peer is reported once", () => {
  const reported: string[] = [];
  const originOf = createServerOrigin({ publicUrl: null, trustedProxies: [proxy], onUntrustedForwarding: (from) => reported.push(from) });
  originOf(untrustedPeer, new Headers({ host: "a.test" }));
  originOf(proxy, new Headers({ host: "a.test", "x-forwarded-for": "1.2.3.4" }));
  expect(reported).toEqual([]);
  for (const name of ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"])
    originOf(untrustedPeer, new Headers({ host: "a.test", [name]: "a.test" }));
  expect(reported).toEqual([untrustedPeer]);
});
