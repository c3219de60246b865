/** Addresses, endpoints, origins and contacts in settings. Addresses of nats-servers. */
import { describe, expect, test } from "vitest";
import {
  isRoutableIpv6,
  parseConnectTo,
  parseContact,
  parseEndpoint,
  parseIpText,
  parseNatsUrl,
  parseOrigin,
  parseResolver,
  truncatedAddress,
} from "../../../src/parse/address.ts";
import { parseSecurityTxt } from "../../../src/parse/security-txt.ts";

describe("valid input", () => {
  test("addresses", () => {
    expect(["127.0.0.1", "::1", "[::1]"].map(parseIpText)).toEqual(["127.0.0.1", "::1", "::1"]);
  });

  test("endpoints", () => {
    expect(parseEndpoint("[::1]:0")).toEqual({ address: "::1", port: 0 });
    expect(parseEndpoint("0.0.0.0:65535")).toEqual({ address: "0.0.0.0", port: 65_535 });
  });

  test("connection overrides", () => {
    expect(parseConnectTo("[::2]:443=[::1]:8443")).toEqual({ host: "[::2]", port: 443, address: "::1", addressPort: 8443 });
  });

  test.each([
    ["under_score.site.test", "under_score.site.test"],
    ["_dmarc.site.test", "_dmarc.site.test"],
    ["UNDER_score.Site.test", "under_score.site.test"],
    ["intra_net", "intra_net"],
    ["-a.site.test", "-a.site.test"],
    ["site.test.", "site.test."],
    ["b\u00fccher.test", "xn--bcher-kva.test"],
    ["localhost", "localhost"],
    ["127.0.0.1", "127.0.0.1"],
    ["[2001:DB8:0::1]", "[2001:db8::1]"],
  ])("a connection of the host %s", (host, read) => {
    expect(parseConnectTo(`${host}:443=127.0.0.1:8443`)).toEqual({ host: read, port: 443, address: "127.0.0.1", addressPort: 8_443 });
  });
});

describe("invalid input", () => {
  test.each(["", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "localhost", "[127.0.0.1]", "::g"])("address %s", (text) => {
    expect(parseIpText(text)).toBeNull();
  });

  test.each(["127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[::1]"])("endpoint %s", (text) => {
    expect(parseEndpoint(text)).toBeNull();
  });

  test.each([
    "",
    "_",
    "site._",
    "a..test",
    ".",
    "user@site.test",
    "site.test/",
    "site.test:80",
    "a\tb",
    "::1",
    "[::1",
    "a*b",
    "x".repeat(64),
  ])("connection of the host %j", (host) => expect(parseConnectTo(`${host}:443=127.0.0.1:8443`)).toBeNull());

  test.each(["site.test=127.0.0.1:1", "site.test:443=localhost:1", "site.test:443", "a:1=127.0.0.1:1=b", "a b:1=127.0.0.1:1"])(
    "connection %s",
    (text) => {
      expect(parseConnectTo(text)).toBeNull();
    },
  );

  test.each(["dns.example", "127.0.0.1:x"])("resolver %s", (text) => {
    expect(parseResolver(text)).toBeNull();
  });
});

test.each([
  ["192.0.2.77", "192.0.2.0"],
  ["127.0.0.1", "127.0.0.0"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
  ["2001:db8:1:2::", "2001:db8:1::"],
  ["::1", "::"],
  ["local", "local"],
  ["", ""],
])("%j is truncated to %j", (address, kept) => expect(truncatedAddress(address)).toBe(kept));

test("IPv6 addresses that the internet routes", () => {
  const unrouted = [
    "",
    "192.0.2.1",
    "::",
    "::1",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "::ffff:192.0.2.1",
    "64:ff9b::c000:201",
    "[2001:db8::1]",
    "x",
  ];
  expect(["2001:db8::1", "2a00::", ...unrouted].filter(isRoutableIpv6)).toEqual(["2001:db8::1", "2a00::"]);
});

describe("parseOrigin", () => {
  test.each([
    ["https://assay.test", "https://assay.test"],
    ["http://Assay.test:80/", "http://assay.test"],
    ["http://192.168.1.5:8787", "http://192.168.1.5:8787"],
    ["https://[FD00:0::1]", "https://[fd00::1]"],
    ["ftp://assay.test", null],
    ["//assay.test", null],
    ["assay.test", null],
    ["https://", null],
    ["https://assay.test//", null],
    ["https://assay.test/a", null],
    ["https://assay.test?", null],
    ["https://assay.test#", null],
    ["https://assay.test\\", null],
    ["https://me@assay.test", null],
    ["https://assay test", null],
    ["https://assay.test:65536", null],
    ["https://256.0.0.1", null],
    [`https://${"a".repeat(300)}`, null],
  ])("%s", (text, origin) => {
    expect(parseOrigin(text)).toBe(origin);
  });
});

describe("parseContact", () => {
  test.each([
    ["security@assay.test", "mailto:security@assay.test"],
    ["MAILTO:security@assay.test", "mailto:security@assay.test"],
    ["https://assay.test/report?to=us", "https://assay.test/report?to=us"],
    ["HTTPS://assay.test", "https://assay.test/"],
  ])("%s", (text, uri) => {
    expect(parseContact(text)).toBe(uri);
    expect(parseSecurityTxt(`Contact: ${uri}\n`).defects).toEqual([]);
  });

  test.each([
    "",
    "security",
    "@assay.test",
    "a@b@c",
    "security@assay.test?subject=x",
    "tel:+49-30-1",
    "http://assay.test/",
    "https://",
    "javascript:alert(1)//@x",
    "security@assay.test\nContact: mailto:other@assay.test",
    "security @assay.test",
    `${"a".repeat(500)}@assay.test`,
  ])("%j is not a contact", (text) => {
    expect(parseContact(text)).toBeNull();
  });
});

test.each([
  ["tls://nats.example.org:4223", { host: "nats.example.org", port: 4223, tls: true }],
  ["tls://nats.example.org", { host: "nats.example.org", port: 4222, tls: true }],
  ["TLS://Nats.Example.org/", { host: "nats.example.org", port: 4222, tls: true }],
  ["tls://[2001:db8::1]:80", { host: "2001:db8::1", port: 80, tls: true }],
  ["nats://127.0.0.9:4222", { host: "127.0.0.9", port: 4222, tls: false }],
  ["nats://localhost", { host: "localhost", port: 4222, tls: false }],
  ["nats://[::1]", { host: "::1", port: 4222, tls: false }],
])("%s", (text, expected) => {
  expect(parseNatsUrl(text)).toEqual(expected);
});

test.each([
  "nats://nats.example.org",
  "nats://127.example.org",
  "tls://user:secret@nats.example.org",
  "tls://nats.example.org:0",
  "tls://nats.example.org:70000",
  "tls://nats.example.org/path",
  "https://nats.example.org",
  "tls://",
  "nats.example.org:4222",
  `tls://${"a".repeat(300)}`,
])("refuses %s", (text) => {
  expect(parseNatsUrl(text)).toBeNull();
});
