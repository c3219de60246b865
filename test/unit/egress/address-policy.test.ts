/**
 * SSRF guard: ranges, ports, endpoints and messages of the address policy. SSRF precheck of a URL in the form, before any DNS query.
 */
import { describe, expect, test } from "vitest";
import { createAddressPolicy, createTargetPrecheck, parseCidr } from "../../../src/egress/address-policy.ts";
import type { EgressSettings } from "../../../src/egress/settings.ts";
import { decisionFor } from "../../support/address-decision.ts";
import { egressSettings } from "../../support/egress-settings.ts";

/** Blocked in profile internet; `internal` is the decision of that profile. */
const ranges: readonly [host: string, internal: "opens" | "blocks", range: string][] = [
  ["10.0.0.1", "opens", "RFC 1918"],
  ["012.0.0.1", "opens", "octal 10"],
  ["0xa000001", "opens", "RFC 1918 as a number"],
  ["172.16.0.1", "opens", "RFC 1918"],
  ["172.31.255.255", "opens", "RFC 1918, last"],
  ["192.168.1.1", "opens", "RFC 1918"],
  ["3232235777", "opens", "192.168.1.1 as a number"],
  ["100.64.0.1", "opens", "carrier-grade NAT"],
  ["100.127.255.255", "opens", "carrier-grade NAT, last"],
  ["127.0.0.1", "opens", "loopback"],
  ["::1", "opens", "loopback"],
  ["fc00::1", "opens", "unique local"],
  ["fd12:3456:789a::1", "opens", "unique local"],
  ["::ffff:10.0.0.1", "opens", "mapped RFC 1918"],
  ["64:ff9b::10.0.0.1", "opens", "NAT64 of RFC 1918"],
  ["64:ff9b::192.168.0.1", "opens", "NAT64 of RFC 1918"],
  ["64:ff9b:1::10.0.0.1", "opens", "local NAT64"],
  ["64:ff9b:1::8.8.8.8", "opens", "local NAT64 of a public address"],
  ["2002:a00:1::", "opens", "6to4 of RFC 1918"],
  ["2002:c0a8:101::1", "opens", "6to4 of RFC 1918"],
  ["169.254.1.1", "blocks", "link-local"],
  ["fe80::1", "blocks", "link-local"],
  ["febf::1", "blocks", "link-local, last"],
  ["fec0::1", "blocks", "site-local"],
  ["64:ff9b::169.254.1.1", "blocks", "NAT64 of link-local"],
  ["2002:a9fe:101::", "blocks", "6to4 of link-local"],
  ["0.0.0.0", "blocks", "unspecified"],
  ["::", "blocks", "unspecified"],
  ["224.0.0.1", "blocks", "multicast"],
  ["239.255.255.250", "blocks", "multicast"],
  ["ff02::1", "blocks", "multicast"],
  ["255.255.255.255", "blocks", "broadcast"],
  ["240.0.0.1", "blocks", "reserved"],
  ["192.0.0.1", "blocks", "IETF protocol assignments"],
  ["192.0.2.1", "blocks", "documentation"],
  ["198.51.100.1", "blocks", "documentation"],
  ["203.0.113.1", "blocks", "documentation"],
  ["2001:db8::1", "blocks", "documentation"],
  ["3fff::1", "blocks", "documentation"],
  ["198.18.0.1", "blocks", "benchmarking"],
  ["198.19.255.255", "blocks", "benchmarking"],
  ["2001:2::1", "blocks", "benchmarking"],
  ["192.88.99.1", "blocks", "6to4 relay anycast"],
  ["100::1", "blocks", "discard-only"],
  ["2001:10::1", "blocks", "ORCHID"],
  ["2001:20::1", "blocks", "ORCHIDv2"],
  ["5f00::1", "blocks", "segment routing"],
  ["::8.8.8.8", "blocks", "IPv4-compatible"],
  ["::ffff:0:8.8.8.8", "blocks", "IPv4-translated"],
  ["4000::1", "blocks", "outside the allocated space"],
  ["8000::1", "blocks", "outside the allocated space"],
  ["::2", "blocks", "outside the allocated space"],
];

describe("ranges", () => {
  for (const [host, internal, range] of ranges) {
    test(`${host} (${range}) is refused in profile internet`, () => expect(decisionFor(host)).toBe("refused"));
    const expected = internal === "opens" ? "allowed" : "refused";
    test(`${host} (${range}) is ${expected} in profile internal`, () => expect(decisionFor(host, { profile: "internal" })).toBe(expected));
  }
});

describe("the operator's ranges", () => {
  const rows: readonly [name: string, host: string, given: Partial<EgressSettings>, expected: "allowed" | "refused"][] = [
    ["an allowed range opens", "10.1.2.3", { allowCidrs: ["10.1.0.0/16"] }, "allowed"],
    ["an address outside the range stays blocked", "10.2.0.0", { allowCidrs: ["10.1.0.0/16"] }, "refused"],
    ["a single address opens", "127.0.0.2", { allowCidrs: ["127.0.0.2"] }, "allowed"],
    ["the next address stays blocked", "127.0.0.1", { allowCidrs: ["127.0.0.2"] }, "refused"],
    ["IPv6 opens", "fd00::1", { allowCidrs: ["fd00::/64"] }, "allowed"],
    ["an IPv4 range opens the mapped form, which is the same address", "::ffff:10.0.0.1", { allowCidrs: ["10.0.0.0/8"] }, "allowed"],
    ["a mapped range means the IPv4 one", "10.0.0.1", { allowCidrs: ["::ffff:10.0.0.0/104"] }, "allowed"],
    ["an IPv4 range opens its NAT64 form", "64:ff9b::10.0.0.1", { allowCidrs: ["10.0.0.0/8"] }, "allowed"],
    ["link-local opens when named", "169.254.1.1", { allowCidrs: ["169.254.0.0/16"] }, "allowed"],
    ["deny beats allow", "10.1.2.3", { allowCidrs: ["10.0.0.0/8"], denyCidrs: ["10.1.0.0/16"] }, "refused"],
    ["deny blocks a public address", "8.8.8.8", { denyCidrs: ["8.8.8.0/24"] }, "refused"],
    ["deny blocks the mapped form", "::ffff:8.8.8.8", { denyCidrs: ["8.8.8.0/24"] }, "refused"],
    ["deny blocks the NAT64 form", "64:ff9b::8.8.8.8", { denyCidrs: ["8.8.8.0/24"] }, "refused"],
    ["deny blocks the 6to4 form", "2002:808:808::1", { denyCidrs: ["8.8.8.0/24"] }, "refused"],
    ["a mapped deny range means the IPv4 one", "8.8.8.8", { denyCidrs: ["::ffff:8.8.8.0/120"] }, "refused"],
    ["deny beats the internal profile", "192.168.0.1", { profile: "internal", denyCidrs: ["192.168.0.0/16"] }, "refused"],
  ];
  for (const [name, host, given, expected] of rows) test(name, () => expect(decisionFor(host, given)).toBe(expected));

  for (const text of [
    "",
    "10.0.0.0/33",
    "fd00::/129",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
    "10.0.0.0/a",
    "10.0/8",
    "site.test",
    "fe80::1%eth0/64",
  ]) {
    test(`${JSON.stringify(text)} is not a range`, () => expect(() => parseCidr(text)).toThrow("is not an address range"));
  }
});

describe("ports", () => {
  const policy = createAddressPolicy(egressSettings({ allowPorts: [8443] }), []);
  for (const port of [80, 443, 8443]) test(`${port} is open`, () => expect(policy.authorizePort(port).allowed).toBe(true));
  for (const port of [0, 1, 22, 25, 53, 6379, 8080, 8787, 9222, 65_536, -1, 80.5, Number.NaN]) {
    test(`${port} is blocked`, () => expect(policy.authorizePort(port).allowed).toBe(false));
  }
  const any = createAddressPolicy(egressSettings({ allowPorts: "any" }), []);
  for (const port of [1, 22, 65_535])
    test(`${port} is open with allowPorts "any"`, () => expect(any.authorizePort(port).allowed).toBe(true));
  for (const port of [0, 65_536]) test(`${port} is never a valid port`, () => expect(any.authorizePort(port).allowed).toBe(false));
});

describe("sensitive addresses that need an entry of their own", () => {
  const webhooks = { allowCidrsSetting: "webhooks.allow_cidrs", sensitiveAddresses: "by-exact-entry" } as const;
  const everything = ["0.0.0.0/0", "::/0"];
  const rows: readonly [host: string, allowCidrs: readonly string[], expected: "allowed" | "refused"][] = [
    ["127.0.0.1", [], "refused"],
    ["127.0.0.1", everything, "refused"],
    ["127.0.0.1", ["127.0.0.0/31"], "refused"],
    ["127.0.0.1", ["127.0.0.2/32"], "refused"],
    ["127.0.0.1", ["127.0.0.1/32"], "allowed"],
    ["127.0.0.1", ["127.0.0.1"], "allowed"],
    ["127.0.0.1", ["::ffff:127.0.0.1/128"], "allowed"],
    ["2130706433", everything, "refused"],
    ["::ffff:127.0.0.1", everything, "refused"],
    ["64:ff9b::127.0.0.1", everything, "refused"],
    ["2002:7f00:1::", everything, "refused"],
    ["::1", everything, "refused"],
    ["::1", ["::/127"], "refused"],
    ["::1", ["::1/128"], "allowed"],
    ["0.0.0.0", everything, "refused"],
    ["::", everything, "refused"],
    ["169.254.169.254", [], "refused"],
    ["169.254.169.254", everything, "refused"],
    ["169.254.169.254", ["169.254.0.0/16"], "refused"],
    ["169.254.169.254", ["169.254.169.254/31"], "refused"],
    ["169.254.169.254", ["169.254.169.254/32"], "allowed"],
    ["64:ff9b::a9fe:a9fe", everything, "refused"],
    ["100.100.100.200", ["100.64.0.0/10"], "refused"],
    ["fd00:ec2::254", ["fd00::/8"], "refused"],
    ["fd00:ec2::254", ["fd00:ec2::254/128"], "allowed"],
    ["10.0.0.1", [], "refused"],
    ["10.0.0.1", ["10.0.0.0/8"], "allowed"],
    ["64:ff9b:1::10.0.0.1", ["64:ff9b:1::/48"], "allowed"],
    ["9.9.9.9", [], "allowed"],
  ];
  for (const [host, allowCidrs, expected] of rows) {
    test(`${host} is ${expected} with ${allowCidrs.join(" and ") || "no entry"}`, () =>
      expect(decisionFor(host, { ...webhooks, allowCidrs })).toBe(expected));
  }

  test("an entry opens no metadata address where they are not asked for", () =>
    expect(decisionFor("169.254.169.254", { allowCidrs: ["169.254.169.254/32"] })).toBe("refused"));

  const interfaces = ["127.0.0.1", "9.9.9.9", "10.1.2.3", "2620:fe::9"];
  const ofMachine: readonly [address: string, allowCidrs: readonly string[], allowed: boolean][] = [
    ["9.9.9.9", [], false],
    ["9.9.9.9", ["9.9.9.0/24"], false],
    ["9.9.9.9", everything, false],
    ["9.9.9.9", ["9.9.9.9/32"], true],
    ["64:ff9b::9.9.9.9", [], false],
    ["2620:fe::9", [], false],
    ["2620:fe:0:0::9", ["2620:fe::9"], true],
    ["10.1.2.3", ["10.0.0.0/8"], false],
    ["10.1.2.4", ["10.0.0.0/8"], true],
    ["9.9.9.10", [], true],
  ];
  for (const [address, allowCidrs, allowed] of ofMachine) {
    test(`beside interfaces of this machine, ${address} is ${allowed ? "allowed" : "refused"} with ${allowCidrs.join() || "no entry"}`, () =>
      expect(createAddressPolicy(egressSettings({ ...webhooks, allowCidrs }), interfaces).authorizeAddress(address).allowed).toBe(allowed));
  }

  test("an address of an interface is named, and open to scans", () => {
    const because = "9.9.9.9 is an address of this machine; only an entry for that address alone in webhooks.allow_cidrs opens it";
    expect(createAddressPolicy(egressSettings(webhooks), interfaces).authorizeAddress("9.9.9.9")).toEqual({ allowed: false, because });
    expect(createAddressPolicy(egressSettings({}), interfaces).authorizeAddress("9.9.9.9").allowed).toBe(true);
  });

  const policy = createAddressPolicy(egressSettings({ ...webhooks }), []);
  for (const message of [
    "127.0.0.1 is a loopback address; only an entry for that address alone in webhooks.allow_cidrs opens it",
    "169.254.169.254 is a cloud metadata address; only an entry for that address alone in webhooks.allow_cidrs opens it",
    "10.0.0.1 is a private address; webhooks.allow_cidrs opens it",
    "64:ff9b::10.0.0.1 leads to 10.0.0.1, which is a private address; webhooks.allow_cidrs opens it",
  ]) {
    test(message, () => expect(policy.authorizeAddress(message.split(" ")[0] ?? "")).toEqual({ allowed: false, because: message }));
  }
});

describe("the appliance's own listeners", () => {
  const own = { profile: "internal", allowPorts: "any", allowCidrs: ["0.0.0.0/0", "::/0"] } as const;
  const local = ["127.0.0.1", "::1", "192.168.7.7", "fd00::7"];
  const rows: readonly [listener: string | null, address: string, blocked: boolean][] = [
    [null, "127.0.0.1", true],
    [null, "127.3.2.1", true],
    [null, "::1", true],
    [null, "0.0.0.0", true],
    [null, "::", true],
    [null, "192.168.7.7", true],
    [null, "::ffff:192.168.7.7", true],
    [null, "64:ff9b::192.168.7.7", true],
    [null, "fd00::7", true],
    [null, "fd00:0:0::7", true],
    [null, "192.168.7.8", false],
    ["0.0.0.0", "192.168.7.7", true],
    ["::", "127.0.0.1", true],
    ["127.0.0.1", "127.0.0.1", true],
    ["127.0.0.1", "::ffff:7f00:1", true],
    ["127.0.0.1", "0.0.0.0", true],
    ["127.0.0.1", "127.0.0.2", false],
    ["127.0.0.1", "192.168.7.7", false],
    ["192.168.7.7", "192.168.7.7", true],
  ];
  for (const [listener, address, blocked] of rows) {
    test(`with a listener on ${listener ?? "any address"}, ${address} is ${blocked ? "blocked" : "allowed"}`, () => {
      const policy = createAddressPolicy(egressSettings({ ...own, ownEndpoints: [{ address: listener, port: 8787 }] }), local);
      expect(policy.authorizeEndpoint(address, 8787).allowed).toBe(!blocked);
      expect(policy.authorizeEndpoint(address, 8788).allowed).toBe(true);
    });
  }
});

describe("messages", () => {
  const policy = createAddressPolicy(egressSettings({ denyCidrs: ["9.9.9.9"], ownEndpoints: [{ address: null, port: 8787 }] }), []);
  const rows: readonly [address: string, message: string][] = [
    ["10.0.0.1", "10.0.0.1 is a private address; profile internal or scan.allow_cidrs opens it"],
    ["169.254.1.1", "169.254.1.1 is a link-local address; scan.allow_cidrs opens it"],
    ["169.254.169.254", "169.254.169.254 is a cloud metadata address, which no setting opens"],
    ["9.9.9.9", "9.9.9.9 is blocked by scan.deny_cidrs"],
    ["192.0.2.1", "192.0.2.1 is an address reserved for special use; scan.allow_cidrs opens it"],
    ["64:ff9b::10.0.0.1", "64:ff9b::10.0.0.1 leads to 10.0.0.1, which is a private address; profile internal or scan.allow_cidrs opens it"],
  ];
  for (const [address, message] of rows)
    test(message, () => expect(policy.authorizeAddress(address)).toEqual({ allowed: false, because: message }));
  test("names the listener", () =>
    expect(policy.authorizeEndpoint("::1", 8787)).toMatchObject({ because: expect.stringContaining("[::1]:8787") }));
});

const internet = createTargetPrecheck(egressSettings({ profile: "internet", ownEndpoints: [{ address: "203.0.113.7", port: 443 }] }));
const internal = createTargetPrecheck(
  egressSettings({ profile: "internal", allowPorts: "any", ownEndpoints: [{ address: "127.0.0.1", port: 8787 }] }),
);
const mapped = createTargetPrecheck(
  egressSettings({ connectTo: [{ host: "site.test", port: 8443, address: "127.0.0.1", addressPort: 4711 }], allowPorts: [8080] }),
);

describe("the precheck", () => {
  test.each([
    ["http://10.0.0.1/", false],
    ["http://[::1]/", false],
    ["http://[::ffff:10.0.0.1]/", false],
    ["http://169.254.169.254/", false],
    ["https://example.org:8443/", false],
    ["https://203.0.113.7/", false],
    ["https://8.8.8.8/", true],
    ["https://example.org/", true],
    ["https://localhost/", true],
  ])("in profile internet, %s: %s", (url, open) => expect(internet(url)).toBe(open));

  test.each([
    ["http://10.0.0.1:3000/", true],
    ["http://127.0.0.1:8787/", false],
    ["http://169.254.169.254/", false],
  ])("in profile internal, %s: %s", (url, open) => expect(internal(url)).toBe(open));

  test.each([
    ["https://site.test:8443/", true],
    ["https://site.test:8444/", false],
    ["https://other.test:8080/", true],
  ])("with mapped and allowed ports, %s: %s", (url, open) => expect(mapped(url)).toBe(open));
});
