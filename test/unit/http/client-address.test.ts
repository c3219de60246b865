/** Client address behind trusted and untrusted proxies, with valid and forged X-Forwarded-For. */
import { describe, expect, test } from "vitest";
import { createClientAddress } from "../../../src/http/client-address.ts";

const rows: readonly [name: string, trusted: readonly string[], peer: string | null, forwardedFor: string | null, expected: string][] = [
  ["a peer", [], "192.0.2.1", null, "192.0.2.1"],
  ["a peer of a dual-stack listener", [], "::ffff:192.0.2.1", null, "192.0.2.1"],
  ["an IPv6 peer, as its /64", [], "2001:db8:1:2:3:4:5:6", null, "2001:db8:1:2::"],
  ["another address in the same /64", [], "2001:db8:1:2:ffff::1", null, "2001:db8:1:2::"],
  ["a peer with a zone", [], "fe80::1%eth0", null, "fe80::"],
  ["a Unix socket", [], null, "203.0.113.9", "local"],
  ["a header of an untrusted peer is ignored", [], "192.0.2.1", "203.0.113.9", "192.0.2.1"],
  ["a header is ignored if only other proxies are trusted", ["10.0.0.0/8"], "192.0.2.1", "203.0.113.9", "192.0.2.1"],
  ["a proxy in a trusted range forwards the client", ["10.0.0.0/8"], "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a proxy with a trusted address forwards the client", ["10.1.2.3"], "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a trusted proxy with an IPv4-mapped address", ["10.0.0.0/8"], "::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a trusted proxy on IPv6", ["fd00::/8"], "fd00::5", "2001:db8:9::1", "2001:db8:9::"],
  ["a trusted proxy without the header", ["10.0.0.0/8"], "10.1.2.3", null, "10.1.2.3"],
  ["the last untrusted hop of a chain, not the first", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["through trusted hops", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, 203.0.113.9, 10.9.9.9", "203.0.113.9"],
  ["only trusted hops: the first one", ["10.0.0.0/8"], "10.1.2.3", "10.9.9.9, 10.8.8.8", "10.9.9.9"],
  ["a hop with a port", ["10.0.0.0/8"], "10.1.2.3", "203.0.113.9:4711", "203.0.113.9"],
  ["an IPv6 hop with brackets and port", ["10.0.0.0/8"], "10.1.2.3", "[2001:db8::1]:4711", "2001:db8::"],
  ["an invalid hop: the proxy that added it", ["10.0.0.0/8"], "10.1.2.3", "unknown", "10.1.2.3"],
  ["an invalid hop before a trusted hop", ["10.0.0.0/8"], "10.1.2.3", "<script>, 10.9.9.9", "10.9.9.9"],
  ["an empty header", ["10.0.0.0/8"], "10.1.2.3", "", "10.1.2.3"],
  ["short forms are not addresses", ["10.0.0.0/8"], "10.1.2.3", "0x7f.1", "10.1.2.3"],
  ["only the last hops of a long chain are read", ["10.0.0.0/8"], "10.1.2.3", `1.1.1.1${", 10.9.9.9".repeat(5_000)}`, "10.9.9.9"],
];

describe("the client address", () => {
  for (const [name, trusted, peer, forwardedFor, expected] of rows) {
    test(name, () => expect(createClientAddress(trusted)(peer, forwardedFor)).toBe(expected));
  }
  test.each(["proxy.example", "10.0.0.0/33", "", "10.0.0"])("%s is rejected as a trusted proxy", (entry) => {
    expect(() => createClientAddress([entry])).toThrow(`"${entry}"`);
  });
});
