/** Hosts that certificate names cover, with real certificates. */
import { describe, expect, test } from "vitest";
import { alternativeNames } from "../../../src/parse/alternative-names.ts";
import { namesCoverHost } from "../../../src/parse/host-match.ts";
import { selfSigned } from "../../support/certificates.ts";

const namesOf = (...names: string[]) => alternativeNames(selfSigned({ commonName: "cn.example", names }).der);
const covers = (names: readonly string[], host: string) => namesCoverHost(namesOf(...names), host);

describe("covered", () => {
  test.each([
    ["the name itself", ["a.example"], "a.example"],
    ["one name of several", ["b.example", "a.example"], "a.example"],
    ["other case", ["A.Example"], "a.example"],
    ["a host with its trailing dot", ["a.example"], "a.example."],
    ["one label by an asterisk", ["*.a.example"], "www.a.example"],
    ["an A-label by an asterisk", ["*.a.example"], "xn--bcher-kva.a.example"],
    ["an IPv4 address", ["192.0.2.1"], "192.0.2.1"],
    ["an IPv6 address in another spelling", ["2001:db8::1"], "2001:db8:0:0:0:0:0:1"],
    ["a name below a private suffix", ["*.user.github.io"], "www.user.github.io"],
  ])("%s", (_words, names, host) => expect(covers(names, host)).toBe(true));
});

describe("not covered", () => {
  test.each([
    ["no names, although the common name matches", [], "cn.example"],
    ["another name", ["b.example"], "a.example"],
    ["a subdomain of the name", ["a.example"], "www.a.example"],
    ["two labels by an asterisk", ["*.a.example"], "x.www.a.example"],
    ["no label by an asterisk", ["*.a.example"], "a.example"],
    ["part of a label", ["w*.a.example"], "www.a.example"],
    ["the end of a label", ["*w.a.example"], "www.a.example"],
    ["an asterisk in another label", ["www.*.example"], "www.a.example"],
    ["two asterisks", ["*.*.example"], "www.a.example"],
    ["only an asterisk", ["*"], "localhost"],
    ["an asterisk above a top-level domain", ["*.com"], "a.com"],
    ["an asterisk above a registry suffix", ["*.co.uk"], "a.co.uk"],
    ["an address as a DNS name", ["*.0.2.1"], "192.0.2.1"],
    ["another address", ["192.0.2.2"], "192.0.2.1"],
    ["an address that starts with the name", ["192.0.2.1"], "192.0.2.1.example"],
    ["an empty label by an asterisk", ["*.a.example"], ".a.example"],
    ["an asterisk inside an A-label", ["xn--*.a.example"], "xn--bcher-kva.a.example"],
    ["two asterisks", ["*.a.*"], "www.a.example"],
    ["an asterisk as the host", ["a.example"], "*.example"],
    ["a name with a zero byte", ["a.example\0.evil.example"], "a.example"],
    ["a name that looks like a list", ["b.example, DNS:a.example"], "a.example"],
  ])("%s", (_words, names, host) => expect(covers(names, host)).toBe(false));
});

describe("reading names", () => {
  test("keeps 10,000 names", () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `host-${index}.example`);
    expect(alternativeNames(selfSigned({ names }).der).map(({ text }) => text)).toEqual(names);
  });

  test("returns no names for bytes that are not a certificate", () => {
    const { der } = selfSigned({ names: ["a.example"] });
    expect(alternativeNames(new Uint8Array())).toEqual([]);
    expect(alternativeNames(Buffer.from("not a certificate"))).toEqual([]);
    for (let cut = 0; cut < der.length; cut += 7) expect(alternativeNames(der.subarray(0, cut))).toEqual([]);
  });

  test("never throws on broken bytes", () => {
    const { der } = selfSigned({ names: ["a.example", "192.0.2.1"] });
    for (let at = 0; at < der.length; at++) {
      const broken = Buffer.from(der);
      broken[at] = 0xff - (broken[at] ?? 0);
      expect(Array.isArray(alternativeNames(broken))).toBe(true);
    }
  });
});
