/** Public suffix lists given as a file: rules, wildcards, exceptions, sections, other scripts, and files that are no list. */
import { createHash } from "node:crypto";
import { parse } from "tldts";
import { afterEach, describe, expect, test } from "vitest";
import { namesCoverHost } from "../../../src/parse/host-match.ts";
import { hostPartsIn, type PublicSuffixes, parsePublicSuffixes } from "../../../src/parse/public-suffixes.ts";
import {
  embeddedPublicSuffixes,
  embeddedRegistrableDomainOf,
  isRegistrySuffix,
  registrableDomainOf,
  siteOfHost,
  usePublicSuffixes,
} from "../../../src/parse/site.ts";
import { embeddedListSource, embeddedRules, installedRelease, publicSuffixFile } from "../../support/embedded-public-suffixes.ts";

afterEach(() => usePublicSuffixes(null));

function listOf(text: string): PublicSuffixes {
  const list = parsePublicSuffixes(text);
  if ("fault" in list) throw new Error(list.fault);
  return list;
}

const small = listOf(
  publicSuffixFile(["com", "jp", "*.kobe.jp", "!city.kobe.jp", "\u516c\u53f8.cn", "cn"], ["host.com // a comment", "*.run.com"]),
);

describe("the embedded list as a file", async () => {
  const [icann, privateRules] = [await embeddedRules("ICANN"), await embeddedRules("PRIVATE")];
  const list = listOf(publicSuffixFile(icann, privateRules));

  test("has every rule, and gives the same answers as tldts at, above and below each", () => {
    expect(list.rules).toBe(icann.length + privateRules.length);
    expect(icann.length).toBeGreaterThan(7_000);
    const different: string[] = [];
    for (const rule of [...icann, ...privateRules]) {
      const base = asciiOf(rule.replace(/^!/, "").replace(/^\*\./, "any."));
      for (const name of [base, base.slice(base.indexOf(".") + 1), `b.a.${base}`])
        for (const privateToo of [true, false]) if (!isSame(list, name, privateToo)) different.push(`${name}, ${privateToo}`);
    }
    expect(different).toEqual([]);
  });

  test("wildcard rules count for the name below which they stand", () => {
    const wildcards = [...icann, ...privateRules].filter((rule) => rule.startsWith("*."));
    const parents = new Set(wildcards.map((rule) => rule.slice("*.".length)));
    const without = (rules: readonly string[]) => rules.filter((rule) => !parents.has(rule));
    const shorter = listOf(publicSuffixFile(without(icann), without(privateRules)));
    expect(shorter.rules).toBeLessThan(list.rules);
    expect([...parents].filter((name) => !isSame(shorter, asciiOf(name), true))).toEqual([]);
  });

  test("is dated by the release that is installed: look up the day of a new one", () => {
    expect(installedRelease).toBe(embeddedPublicSuffixes.release);
    expect(createHash("sha256").update(embeddedListSource).digest("hex")).toBe(embeddedListSha256);
  });
});

const embeddedListSha256 = "5e4a292f5ad0600d1b24ffb18b60c1080f4bfcb01608ca058ceb18fdd573c135";

function isSame(list: PublicSuffixes, name: string, privateToo: boolean): boolean {
  const expected = parse(name, { allowPrivateDomains: privateToo });
  const parts = hostPartsIn(list, name, privateToo);
  return (["hostname", "publicSuffix", "domain", "isIcann", "isPrivate"] as const).every((part) => parts[part] === expected[part]);
}

function asciiOf(name: string): string {
  return new URL(`http://${name}/`).hostname;
}

test.each([
  ["com", "com", null],
  ["a.com", "com", "a.com"],
  ["B.A.Com.", "com", "a.com"],
  ["kobe.jp", "kobe.jp", null],
  ["x.kobe.jp", "x.kobe.jp", null],
  ["y.x.kobe.jp", "x.kobe.jp", "y.x.kobe.jp"],
  ["city.kobe.jp", "kobe.jp", "city.kobe.jp"],
  ["a.city.kobe.jp", "kobe.jp", "city.kobe.jp"],
  ["a.host.com", "host.com", "a.host.com"],
  ["x.run.com", "x.run.com", null],
  ["a.xn--55qx5d.cn", "xn--55qx5d.cn", "a.xn--55qx5d.cn"],
  ["a.\u516c\u53f8.cn", "xn--55qx5d.cn", "a.xn--55qx5d.cn"],
  ["a.unknown", "unknown", "a.unknown"],
  ["unknown", "unknown", null],
  ["192.0.2.1", null, null],
  ["2001:db8::1", null, null],
  ["a..com", null, null],
  ["", null, null],
  ["-a.com", null, null],
  [`${"a.".repeat(126)}com`, null, null],
])("%s has the suffix %s and the domain %s", (name, publicSuffix, domain) => {
  expect(hostPartsIn(small, name, true)).toMatchObject({ publicSuffix, domain });
});

test("rules of the section PRIVATE count only where they are asked for", () => {
  expect(hostPartsIn(small, "a.host.com", false)).toMatchObject({
    publicSuffix: "com",
    domain: "host.com",
    isIcann: true,
    isPrivate: false,
  });
  expect(hostPartsIn(small, "a.host.com", true)).toMatchObject({ isIcann: false, isPrivate: true });
  expect(hostPartsIn(small, "a.unknown", true)).toMatchObject({ isIcann: false, isPrivate: false });
});

test("a name of both sections, and rules of any order", () => {
  const both = listOf(publicSuffixFile(["b.com", "com"], ["b.com", "com"]));
  expect(hostPartsIn(both, "a.b.com", true)).toMatchObject({ publicSuffix: "b.com", isIcann: true, isPrivate: true });
});

test("a given list replaces the embedded one everywhere but in keys of the store", () => {
  const { bytes } = listOf(publicSuffixFile(["com", "intra.corp"], ["host.com"]));
  usePublicSuffixes({ bytes, date: "2026-11-01" });
  expect(registrableDomainOf("www.shop.intra.corp")).toBe("shop.intra.corp");
  expect(registrableDomainOf("host.com")).toBe("host.com");
  expect(registrableDomainOf("a.b.co.uk")).toBeNull();
  expect(registrableDomainOf("a.intra.test")).toBeNull();
  expect(siteOfHost("a.b.host.com")).toBe("b.host.com");
  expect([isRegistrySuffix("intra.corp"), isRegistrySuffix("co.uk"), isRegistrySuffix("host.com")]).toEqual([true, false, false]);
  expect(namesCoverHost([{ kind: "dns", text: "*.intra.corp" }], "a.intra.corp")).toBe(false);
  expect(embeddedRegistrableDomainOf("www.shop.co.uk")).toBe("shop.co.uk");
  usePublicSuffixes(null);
  expect(registrableDomainOf("www.shop.intra.corp")).toBeNull();
});

test("the day of the version line is its date", () => {
  const dated = (line: string) => listOf(`${line}\n${publicSuffixFile(["com"])}`).versionDate;
  expect(dated("// VERSION: 2026-11-13_08-46-59_UTC")).toBe("2026-11-13");
  expect(dated("// VERSION: 2026-13-13_08-46-59_UTC")).toBeNull();
  expect(dated("// COMMIT: 0123456789abcdef")).toBeNull();
});

describe("a file that is no list", () => {
  const begin = "// ===BEGIN ICANN DOMAINS===";
  const end = "// ===END ICANN DOMAINS===";
  test.each([
    ["empty", "", "it has no line // ===END ICANN DOMAINS==="],
    ["a page", "<!doctype html>", "line 1 is no rule"],
    ["cut within a section", `${begin}\ncom\n`, "it has no line // ===END ICANN DOMAINS==="],
    ["cut within the second section", publicSuffixFile(["com"], ["a.com"]).slice(0, -20), "it has no line // ===END PRIVATE DOMAINS==="],
    ["without a rule", `${begin}\n${end}\n`, "it has no rule"],
    ["rules before the first section", `com\n${begin}\n${end}`, "line 1: the rule is in no section"],
    ["a section within another", `${begin}\n// ===BEGIN PRIVATE DOMAINS===`, "line 2: the marker of a section is out of place"],
    ["a section twice", `${begin}\ncom\n${end}\n${begin}`, "line 4: the marker of a section is out of place"],
    ["an end without begin", end, "line 1: the marker of a section is out of place"],
    ["a wildcard within a name", `${begin}\na.*.com`, "line 2 is no rule"],
    ["a wildcard alone", `${begin}\n*`, "line 2 is no rule"],
    ["an exception without a parent", `${begin}\n!com`, "line 2 is no rule"],
    ["a label of 64 characters", `${begin}\n${"a".repeat(64)}.com`, "line 2 is no rule"],
    ["a leading dot", `${begin}\n.com`, "line 2 is no rule"],
  ])("%s", (_words, text, fault) => {
    expect(parsePublicSuffixes(text)).toEqual({ fault });
  });

  test("Windows line ends and spaces around a rule are taken", () => {
    expect(listOf(publicSuffixFile([" com \t comment"]).replaceAll("\n", "\r\n")).rules).toBe(1);
  });
});
