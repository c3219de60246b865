/** Client address behind trusted and untrusted proxies, with valid and forged X-Forwarded-For. */
import fc from "fast-check";
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
  ["a trusted IPv6 address is not its whole /64", ["fd00::5"], "fd00::6", "2001:db8:9::1", "fd00::"],
  ["a trusted proxy without the header", ["10.0.0.0/8"], "10.1.2.3", null, "10.1.2.3"],
  ["the last untrusted hop of a chain, not the first", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["through trusted hops", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, 203.0.113.9, 10.9.9.9", "203.0.113.9"],
  ["only trusted hops: the first one", ["10.0.0.0/8"], "10.1.2.3", "10.9.9.9, 10.8.8.8", "10.9.9.9"],
  ["a hop with a port", ["10.0.0.0/8"], "10.1.2.3", "203.0.113.9:4711", "203.0.113.9"],
  ["an IPv6 hop with brackets and port", ["10.0.0.0/8"], "10.1.2.3", "[2001:db8::1]:4711", "2001:db8::"],
  ["an invalid hop: the proxy that added it", ["10.0.0.0/8"], "10.1.2.3", "unknown", "10.1.2.3"],
  ["an invalid hop before a trusted hop", ["10.0.0.0/8"], "10.1.2.3", "<script>, 10.9.9.9", "10.9.9.9"],
  ["an invalid hop ends the walk: nothing before it counts", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, unknown", "10.1.2.3"],
  ["an invalid hop between trusted hops ends the walk", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, 10.8.8.8, _hidden, 10.9.9.9", "10.9.9.9"],
  ["an empty hop ends the walk", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, , 10.9.9.9", "10.9.9.9"],
  ["an empty hop at the end", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, ", "10.1.2.3"],
  ["an IPv4 hop with a zone is invalid", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1%eth0", "10.1.2.3"],
  ["an IPv4-mapped hop with brackets and port", ["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, [::ffff:203.0.113.9]:4711", "203.0.113.9"],
  ["an IPv4-mapped trusted hop", ["10.0.0.0/8"], "10.1.2.3", "203.0.113.9, ::ffff:10.9.9.9", "203.0.113.9"],
  ["sixteen hops are read", ["10.0.0.0/8"], "10.1.2.3", `203.0.113.9${", 10.9.9.9".repeat(15)}`, "203.0.113.9"],
  ["the seventeenth hop is not read", ["10.0.0.0/8"], "10.1.2.3", `203.0.113.9, 10.8.8.8${", 10.9.9.9".repeat(15)}`, "10.8.8.8"],
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

describe("behind trusted proxies, for any header", () => {
  const clientAddress = createClientAddress(["10.0.0.0/8", "fd00::/8"]);
  const ownAddress = createClientAddress([]);
  const peer = "10.1.2.3";
  const byte = fc.integer({ min: 0, max: 255 });
  const written = (ip: string) =>
    ip.includes(":")
      ? fc.constantFrom(ip, ip.toUpperCase(), `[${ip}]`, `[${ip}]:4711`)
      : fc.constantFrom(ip, `${ip}:4711`, `::ffff:${ip}`, `[::ffff:${ip}]:80`);
  const group = fc.integer({ min: 1, max: 0xffff }).map((value) => value.toString(16));
  const untrustedIp = fc.oneof(
    fc.tuple(fc.integer({ min: 11, max: 223 }), byte, byte, byte).map((parts) => parts.join(".")),
    fc.tuple(group, group, group, group).map((groups) => `2001:db8:${groups.join(":")}::1`),
  );
  const trustedIp = fc.oneof(
    fc.tuple(byte, byte, byte).map((parts) => `10.${parts.join(".")}`),
    group.map((last) => `fd00::${last}`),
  );
  const hop = (ip: fc.Arbitrary<string>) => ip.chain((address) => fc.record({ address: fc.constant(address), text: written(address) }));
  const unreadable = fc.constantFrom(
    "",
    "unknown",
    "_hidden",
    "for=1.1.1.1",
    '"[2001:db8::1]"',
    "1.1.1",
    "1.1.1.1.1",
    "300.1.1.1",
    "::g",
    "1.1.1.1:",
  );
  /** What a client sends: addresses of every kind, and text of any form. */
  const forged = fc
    .array(
      fc.oneof(
        hop(untrustedIp).map(({ text }) => text),
        hop(trustedIp).map(({ text }) => text),
        unreadable,
        fc.string(),
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join(","));
  const comma = fc.constantFrom(",", ", ", " ,\t");
  const trustedHops = fc.array(hop(trustedIp), { maxLength: 8 });

  test("the address is the last untrusted hop, whatever the client sends", () => {
    fc.assert(
      fc.property(forged, hop(untrustedIp), trustedHops, comma, (sent, client, proxies, separator) => {
        const header = [sent, client.text, ...proxies.map(({ text }) => text)].join(separator);
        expect(clientAddress(peer, header)).toBe(ownAddress(client.address, null));
      }),
    );
  });

  test("an unreadable hop leaves the address of the proxy that reported it", () => {
    fc.assert(
      fc.property(forged, unreadable, trustedHops, comma, (sent, client, proxies, separator) => {
        const header = [sent, client, ...proxies.map(({ text }) => text)].join(separator);
        expect(clientAddress(peer, header)).toBe(ownAddress(proxies[0]?.address ?? peer, null));
      }),
    );
  });

  test("an untrusted peer counts under its own address", () => {
    fc.assert(
      fc.property(forged, untrustedIp, (sent, ip) => {
        expect(clientAddress(ip, sent)).toBe(ownAddress(ip, null));
      }),
    );
  });
});
