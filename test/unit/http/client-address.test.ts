/** Who counts as the caller, behind which proxies, and what strangers can make of X-Forwarded-For. */
import { describe, expect, test } from "vitest";
import { createClientAddress } from "../../../src/http/client-address.ts";

const rows: readonly [words: string, trusted: readonly string[], peer: string | null, forwardedFor: string | null, counted: string][] = [
  ["a peer", [], "192.0.2.1", null, "192.0.2.1"],
  ["a peer of a dual-stack listener", [], "::ffff:192.0.2.1", null, "192.0.2.1"],
  ["an IPv6 peer, as its /64", [], "2001:db8:1:2:3:4:5:6", null, "2001:db8:1:2::"],
  ["a neighbour in the same /64", [], "2001:db8:1:2:ffff::1", null, "2001:db8:1:2::"],
  ["a peer with a zone", [], "fe80::1%eth0", null, "fe80::"],
  ["a Unix socket", [], null, "203.0.113.9", "local"],
  ["a stranger's header is not believed", [], "192.0.2.1", "203.0.113.9", "192.0.2.1"],
  ["nor with proxies elsewhere", ["10.0.0.0/8"], "192.0.2.1", "203.0.113.9", "192.0.2.1"],
  ["a trusted proxy says who", ["10.0.0.0/8"], "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a trusted address says who", ["10.1.2.3"], "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a trusted proxy that is seen as IPv4-mapped", ["10.0.0.0/8"], "::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["a trusted proxy on IPv6", ["fd00::/8"], "fd00::5", "2001:db8:9::1", "2001:db8:9::"],
  ["a trusted proxy that says nothing", ["10.0.0.0/8"], "10.1.2.3", null, "10.1.2.3"],
  ["the last stranger of a chain, not the first", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["through trusted hops", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, 203.0.113.9, 10.9.9.9", "203.0.113.9"],
  ["only trusted hops: the farthest", ["10.0.0.0/8"], "10.1.2.3", "10.9.9.9, 10.8.8.8", "10.9.9.9"],
  ["a hop with a port", ["10.0.0.0/8"], "10.1.2.3", "203.0.113.9:4711", "203.0.113.9"],
  ["an IPv6 hop with brackets and port", ["10.0.0.0/8"], "10.1.2.3", "[2001:db8::1]:4711", "2001:db8::"],
  ["a hop that is no address: who wrote it", ["10.0.0.0/8"], "10.1.2.3", "unknown", "10.1.2.3"],
  ["nonsense behind an honest hop", ["10.0.0.0/8"], "10.1.2.3", "<script>, 10.9.9.9", "10.9.9.9"],
  ["an empty header", ["10.0.0.0/8"], "10.1.2.3", "", "10.1.2.3"],
  ["short forms are no addresses", ["10.0.0.0/8"], "10.1.2.3", "0x7f.1", "10.1.2.3"],
  ["a long chain is not followed to its end", ["10.0.0.0/8"], "10.1.2.3", `1.1.1.1${", 10.9.9.9".repeat(5_000)}`, "10.9.9.9"],
];

describe("the calling address", () => {
  for (const [words, trusted, peer, forwardedFor, counted] of rows) {
    test(words, () => expect(createClientAddress(trusted)(peer, forwardedFor)).toBe(counted));
  }
  test.each(["proxy.example", "10.0.0.0/33", "", "10.0.0"])("%s is no trusted proxy", (entry) => {
    expect(() => createClientAddress([entry])).toThrow(`"${entry}"`);
  });
});
