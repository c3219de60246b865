/** SSRF guard: spellings and encodings of addresses, and the decision of the address policy about each. */
import { describe, expect, test } from "vitest";
import { parseHost } from "../../../src/egress/host.ts";
import { decisionFor } from "../../support/address-decision.ts";

/** Spellings of loopback addresses that a browser or a C library accepts. */
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

describe("spellings of hosts", () => {
  for (const host of [...loopbackSpellings, ...unspecifiedSpellings]) {
    test(`${JSON.stringify(host)} is refused`, () => expect(decisionFor(host)).toBe("refused"));
  }
  for (const host of noHosts) test(`${JSON.stringify(host)} is not a host`, () => expect(decisionFor(host)).toBe("no host"));
  for (const [text, name] of names) {
    test(`${JSON.stringify(text)} is the name ${name}`, () => expect(parseHost(text)).toEqual({ kind: "name", text: name }));
  }
  for (const host of publicHosts) test(`${host} is allowed`, () => expect(decisionFor(host)).toBe("allowed"));
});

describe("cloud metadata addresses", () => {
  for (const host of metadata) {
    test(`${JSON.stringify(host)} is refused even if every range is allowed`, () => {
      const everything = { profile: "internal", allowCidrs: ["0.0.0.0/0", "::/0", parseHost(host)?.text ?? ""] } as const;
      expect(decisionFor(host)).toBe("refused");
      expect(decisionFor(host, everything)).toBe("refused");
    });
  }
});
