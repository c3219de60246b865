/** Every known way of spelling or hiding an address, as a table against the policy. */
import { describe, expect, test } from "vitest";
import { createAddressPolicy, parseCidr } from "../../../src/egress/address-policy.ts";
import { parseHost } from "../../../src/egress/host.ts";
import type { EgressSettings } from "../../../src/egress/settings.ts";
import { egressSettings } from "../../support/egress-settings.ts";

/** What becomes of a host as a URL may spell it. Names are left to the resolver, whose every address is judged. */
function judgeHost(text: string, given: Partial<EgressSettings> = {}): "allowed" | "refused" | "name" | "no host" {
  const host = parseHost(text);
  if (host === null) return "no host";
  if (host.kind === "name") return "name";
  return createAddressPolicy(egressSettings(given), []).authorizeAddress(host.text).allowed ? "allowed" : "refused";
}

/** Spellings of loopback, all of which a browser or a C library would follow. */
const loopbackSpellings = [
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "0177.0.0.1",
  "0177.0.0.01",
  "00000177.0.0.1",
  "0x7f.0.0.1",
  "0x7F.0x0.0x0.0x1",
  "0x7f.1",
  "0x7f000001",
  "0X7F000001",
  "017700000001",
  "2130706433",
  "2130706433.",
  "127.0x0.0.01",
  "127.0.0.0x",
  "\uff11\uff12\uff17.0.0.1", // full-width digits
  "127\u30020\u30020\u30021", // ideographic full stops
  "127\uff0e0\uff0e0\uff0e1", // full-width full stops
  "\u2460\u2461\u2466.0.0.1", // circled digits
  "\u2080x7f.1", // subscript zero
  "%31%32%37.0.0.1",
  "127.0.0%2e1",
  "127.0.0.1\u00ad", // a soft hyphen, which IDN mapping drops
  "::1",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::0001]",
  "[::ffff:127.0.0.1]",
  "::ffff:127.0.0.1",
  "[::ffff:7f00:1]",
  "[::FFFF:7F00:0001]",
  "[0:0:0:0:0:ffff:127.0.0.1]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[::ffff:0:7f00:1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[2002:7f00:0001::1]",
  "[2001:0:808:808::80ff:fffe]", // Teredo, client 127.0.0.1
  "[2001:0:7f00:1::f7f7:f7f7]", // Teredo, server 127.0.0.1
] as const;

const unspecifiedSpellings = [
  "0",
  "0x0",
  "0x",
  "00",
  "0.0.0.0",
  "0.0",
  "0.0.0.0.",
  "0.1.2.3",
  "[::]",
  "::",
  "[::0.0.0.0]",
  "[::ffff:0.0.0.0]",
];

/** Refused in the internet profile; `internal` says whether that profile opens it. */
const ranges: readonly [host: string, internal: "opens" | "shut", what: string][] = [
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
  ["169.254.1.1", "shut", "link-local"],
  ["fe80::1", "shut", "link-local"],
  ["febf::1", "shut", "link-local, last"],
  ["fec0::1", "shut", "site-local"],
  ["64:ff9b::169.254.1.1", "shut", "NAT64 of link-local"],
  ["2002:a9fe:101::", "shut", "6to4 of link-local"],
  ["0.0.0.0", "shut", "unspecified"],
  ["::", "shut", "unspecified"],
  ["224.0.0.1", "shut", "multicast"],
  ["239.255.255.250", "shut", "multicast"],
  ["ff02::1", "shut", "multicast"],
  ["255.255.255.255", "shut", "broadcast"],
  ["240.0.0.1", "shut", "reserved"],
  ["192.0.0.1", "shut", "IETF protocol assignments"],
  ["192.0.2.1", "shut", "documentation"],
  ["198.51.100.1", "shut", "documentation"],
  ["203.0.113.1", "shut", "documentation"],
  ["2001:db8::1", "shut", "documentation"],
  ["3fff::1", "shut", "documentation"],
  ["198.18.0.1", "shut", "benchmarking"],
  ["198.19.255.255", "shut", "benchmarking"],
  ["2001:2::1", "shut", "benchmarking"],
  ["192.88.99.1", "shut", "6to4 relay anycast"],
  ["100::1", "shut", "discard-only"],
  ["2001:10::1", "shut", "ORCHID"],
  ["2001:20::1", "shut", "ORCHIDv2"],
  ["5f00::1", "shut", "segment routing"],
  ["::8.8.8.8", "shut", "IPv4-compatible"],
  ["::ffff:0:8.8.8.8", "shut", "IPv4-translated"],
  ["4000::1", "shut", "beyond the space given out"],
  ["8000::1", "shut", "beyond the space given out"],
  ["::2", "shut", "beyond the space given out"],
];

const metadata = [
  "169.254.169.254",
  "169.254.169.254.",
  "2852039166",
  "0xa9fea9fe",
  "0xa9.0xfe.0xa9.0xfe",
  "0251.0376.0251.0376",
  "0251.254.169.254",
  "169.254.43518",
  "169.16689662",
  "\uff11\uff16\uff19.254.169.254",
  "[::ffff:169.254.169.254]",
  "[::ffff:a9fe:a9fe]",
  "[::169.254.169.254]",
  "[::ffff:0:169.254.169.254]",
  "[64:ff9b::169.254.169.254]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b:1::169.254.169.254]",
  "[64:ff9b:1:a9fe:a9:fe00::]",
  "[64:ff9b:1:a9:fe:a9fe::]",
  "[64:ff9b:1:0:a9:fea9:fe00:0]",
  "[2002:a9fe:a9fe::1]",
  "[2001:0:808:808::5601:5601]",
  "[2001:0:a9fe:a9fe::f7f7:f7f7]",
  "169.254.170.2",
  "169.254.170.23",
  "169.254.42.42",
  "169.254.0.23",
  "100.100.100.200",
  "0x646464c8",
  "168.63.129.16",
  "192.0.0.192",
  "[fd00:ec2::254]",
  "[fd00:0ec2:0:0:0:0:0:254]",
  "[fd00:ec2::23]",
  "[fd20:ce::254]",
  "[fd00:42::42]",
  "[fe80::a9fe:a9fe]",
];

const publicHosts = [
  "8.8.8.8",
  "8.8.8.8.",
  "134744072",
  "0x8080808",
  "010.010.010.010",
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "169.253.255.255",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "[2001:4860:4860::8888]",
  "[2606:4700:4700::1111]",
  "[::ffff:8.8.8.8]",
  "[64:ff9b::8.8.8.8]",
  "[2002:808:808::1]",
];

const noHosts = [
  "",
  " ",
  "256.0.0.1",
  "127.0.0.256",
  "1.2.3.4.5",
  "0x1ffffffff",
  "4294967296",
  "[fe80::1%eth0]",
  "[fe80::1%25eth0]",
  "fe80::1%lo",
  "[::1",
  "::1]",
  "[::1]:80",
  "127.0.0.1:80",
  "[::1].example",
  "[v1.fe80]",
  "[127.0.0.1]",
  "user@127.0.0.1",
  "127.0.0.1/x",
  "127.0.0.1\\x",
  "127.0.0.1?x",
  "127.0.0.1#x",
  "127.0.\t0.1",
  "127.0.\n0.1",
  "127.0.0.1\u0000",
  "127.0.0.1 ",
  "a..b",
  ".",
  "..",
  ".a",
  "a%00b",
  "a%2fb",
  `${"a".repeat(64)}.test`,
  `${"a.".repeat(130)}test`,
];

const names: readonly [text: string, name: string][] = [
  ["localhost", "localhost"],
  ["localhost.", "localhost"],
  ["LOCALHOST", "localhost"],
  ["\uff4cocalhost", "localhost"],
  ["app.localhost", "app.localhost"],
  ["metadata.google.internal", "metadata.google.internal"],
  ["b\u00fccher.example", "xn--bcher-kva.example"],
  ["127.0.0.1.nip.io", "127.0.0.1.nip.io"],
  ["0x7f.example", "0x7f.example"],
  ["_dmarc.example", "_dmarc.example"],
];

describe("spellings", () => {
  for (const host of [...loopbackSpellings, ...unspecifiedSpellings]) {
    test(`${JSON.stringify(host)} is refused`, () => expect(judgeHost(host)).toBe("refused"));
  }
  for (const host of noHosts) test(`${JSON.stringify(host)} is no host`, () => expect(judgeHost(host)).toBe("no host"));
  for (const [text, name] of names) {
    test(`${JSON.stringify(text)} is the name ${name}`, () => expect(parseHost(text)).toEqual({ kind: "name", text: name }));
  }
  for (const host of publicHosts) test(`${host} is allowed`, () => expect(judgeHost(host)).toBe("allowed"));
});

describe("ranges", () => {
  for (const [host, internal, what] of ranges) {
    test(`${host} (${what}) is refused on the internet profile`, () => expect(judgeHost(host)).toBe("refused"));
    const expected = internal === "opens" ? "allowed" : "refused";
    test(`${host} (${what}) is ${expected} on the internal profile`, () => expect(judgeHost(host, { profile: "internal" })).toBe(expected));
  }
});

describe("metadata", () => {
  for (const host of metadata) {
    test(`${JSON.stringify(host)} is refused though everything is opened`, () => {
      const everything = { profile: "internal", allowCidrs: ["0.0.0.0/0", "::/0", parseHost(host)?.text ?? ""] } as const;
      expect(judgeHost(host)).toBe("refused");
      expect(judgeHost(host, everything)).toBe("refused");
    });
  }
});

describe("ranges of the operator", () => {
  const rows: readonly [words: string, host: string, given: Partial<EgressSettings>, expected: "allowed" | "refused"][] = [
    ["an allowed range opens", "10.1.2.3", { allowCidrs: ["10.1.0.0/16"] }, "allowed"],
    ["beside the range stays shut", "10.2.0.0", { allowCidrs: ["10.1.0.0/16"] }, "refused"],
    ["a single address opens", "127.0.0.2", { allowCidrs: ["127.0.0.2"] }, "allowed"],
    ["its neighbour stays shut", "127.0.0.1", { allowCidrs: ["127.0.0.2"] }, "refused"],
    ["IPv6 opens", "fd00::1", { allowCidrs: ["fd00::/64"] }, "allowed"],
    ["an IPv4 range opens the mapped form, which is the same address", "::ffff:10.0.0.1", { allowCidrs: ["10.0.0.0/8"] }, "allowed"],
    ["a mapped range means the IPv4 one", "10.0.0.1", { allowCidrs: ["::ffff:10.0.0.0/104"] }, "allowed"],
    ["an IPv4 range opens its NAT64 form", "64:ff9b::10.0.0.1", { allowCidrs: ["10.0.0.0/8"] }, "allowed"],
    ["link-local opens when named", "169.254.1.1", { allowCidrs: ["169.254.0.0/16"] }, "allowed"],
    ["deny beats allow", "10.1.2.3", { allowCidrs: ["10.0.0.0/8"], denyCidrs: ["10.1.0.0/16"] }, "refused"],
    ["deny shuts a public address", "8.8.8.8", { denyCidrs: ["8.8.8.0/24"] }, "refused"],
    ["deny shuts the mapped form", "::ffff:8.8.8.8", { denyCidrs: ["8.8.8.0/24"] }, "refused"],
    ["deny shuts the NAT64 form", "64:ff9b::8.8.8.8", { denyCidrs: ["8.8.8.0/24"] }, "refused"],
    ["deny shuts the 6to4 form", "2002:808:808::1", { denyCidrs: ["8.8.8.0/24"] }, "refused"],
    ["a mapped deny range means the IPv4 one", "8.8.8.8", { denyCidrs: ["::ffff:8.8.8.0/120"] }, "refused"],
    ["deny beats the internal profile", "192.168.0.1", { profile: "internal", denyCidrs: ["192.168.0.0/16"] }, "refused"],
  ];
  for (const [words, host, given, expected] of rows) test(words, () => expect(judgeHost(host, given)).toBe(expected));

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
    test(`${JSON.stringify(text)} is no range`, () => expect(() => parseCidr(text)).toThrow("is not an address range"));
  }
});

describe("ports", () => {
  const policy = createAddressPolicy(egressSettings({ allowPorts: [8443] }), []);
  for (const port of [80, 443, 8443]) test(`${port} is open`, () => expect(policy.authorizePort(port).allowed).toBe(true));
  for (const port of [0, 1, 22, 25, 53, 6379, 8080, 8787, 9222, 65_536, -1, 80.5, Number.NaN]) {
    test(`${port} is shut`, () => expect(policy.authorizePort(port).allowed).toBe(false));
  }
  const any = createAddressPolicy(egressSettings({ allowPorts: "any" }), []);
  for (const port of [1, 22, 65_535]) test(`${port} is open when any is`, () => expect(any.authorizePort(port).allowed).toBe(true));
  for (const port of [0, 65_536]) test(`${port} never is a port`, () => expect(any.authorizePort(port).allowed).toBe(false));
});

describe("the appliance's own doors", () => {
  const own = { profile: "internal", allowPorts: "any", allowCidrs: ["0.0.0.0/0", "::/0"] } as const;
  const local = ["127.0.0.1", "::1", "192.168.7.7", "fd00::7"];
  const rows: readonly [door: string | null, address: string, shut: boolean][] = [
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
  for (const [door, address, shut] of rows) {
    test(`listening on ${door ?? "any address"}, ${address} is ${shut ? "shut" : "open"}`, () => {
      const policy = createAddressPolicy(egressSettings({ ...own, ownEndpoints: [{ address: door, port: 8787 }] }), local);
      expect(policy.authorizeEndpoint(address, 8787).allowed).toBe(!shut);
      expect(policy.authorizeEndpoint(address, 8788).allowed).toBe(true);
    });
  }
});

describe("messages", () => {
  const policy = createAddressPolicy(egressSettings({ denyCidrs: ["9.9.9.9"], ownEndpoints: [{ address: null, port: 8787 }] }), []);
  const rows: readonly [address: string, words: string][] = [
    ["10.0.0.1", "10.0.0.1 is a private address; profile internal or scan.allow_cidrs opens it"],
    ["169.254.1.1", "169.254.1.1 is a link-local address; scan.allow_cidrs opens it"],
    ["169.254.169.254", "169.254.169.254 is a cloud metadata address, which no setting opens"],
    ["9.9.9.9", "9.9.9.9 is blocked by scan.deny_cidrs"],
    ["192.0.2.1", "192.0.2.1 is an address reserved for special use; scan.allow_cidrs opens it"],
    ["64:ff9b::10.0.0.1", "64:ff9b::10.0.0.1 leads to 10.0.0.1, which is a private address; profile internal or scan.allow_cidrs opens it"],
  ];
  for (const [address, words] of rows)
    test(words, () => expect(policy.authorizeAddress(address)).toEqual({ allowed: false, because: words }));
  test("names the door", () =>
    expect(policy.authorizeEndpoint("::1", 8787)).toMatchObject({ because: expect.stringContaining("[::1]:8787") }));
});
