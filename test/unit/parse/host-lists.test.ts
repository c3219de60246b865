/**
 * Public suffix lists given as a file: rules, wildcards, exceptions, sections, other scripts, and files that are no list. HSTS preload
 * list: its lines, and which names an entry covers.
 */
import { createHash } from "node:crypto";
import { parse } from "tldts";
import { afterEach, describe, expect, test } from "vitest";
import { namesCoverHost } from "../../../src/parse/certificate.ts";
import {
  hostPartsIn,
  type PreloadLines,
  type PublicSuffixes,
  parsePreloadList,
  parsePublicSuffixes,
  preloadCoverage,
} from "../../../src/parse/host-lists.ts";
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

function preloadListOf(...entries: readonly string[]): PreloadLines {
  const parsed = parsePreloadList(`${entries.join("\n")}\n`);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed;
}

const covered = { host: true, subdomains: true };
const itself = { host: true, subdomains: false };
const absent = { host: false, subdomains: false };

describe("coverage by a list", () => {
  const list = preloadListOf(
    "dev\t1",
    "figma.example\t1",
    "www.figma.example\t0",
    "own.example\t0",
    "a.example\t1",
    "a-b.example\t1",
    "z.example\t1",
  );

  test.each([
    ["dev", covered],
    ["site.dev", covered],
    ["deep.below.site.dev", covered],
    ["site.dev.", covered],
    ["a.example", covered],
    ["x.a-b.example", covered],
    ["z.example", covered],
    ["own.example", itself],
    ["www.own.example", absent],
    ["www.figma.example", itself],
    ["api.figma.example", covered],
    ["x.www.figma.example", absent],
    ["example", absent],
    ["b.example", absent],
    ["xa.example", absent],
    ["device", absent],
    ["devx", absent],
    ["", absent],
    [".", absent],
    ["a.example\t1", absent],
    ["names with blanks", absent],
  ])("of %p", (host, expected) => expect(preloadCoverage(list, host)).toEqual(expected));

  test("of every entry, in a list of many", () => {
    const names = Array.from({ length: 500 }, (_, at) => `${(at * 7_919).toString(36)}-${at}.example`);
    const many = preloadListOf(...names.map((name, at) => `${name}\t${at % 2}`));
    expect(names.map((name) => preloadCoverage(many, name))).toEqual(names.map((_, at) => (at % 2 === 1 ? covered : itself)));
    expect(names.filter((name) => preloadCoverage(many, `${name}x`).host)).toEqual([]);
  });
});

describe("a list file", () => {
  test("may be unsorted, repeat lines and end its lines with CR LF", () => {
    const list = parsePreloadList("z.example\t0\r\na.example\t1\r\nz.example\t0\r\n");
    expect("bytes" in list && new TextDecoder().decode(list.bytes)).toBe("a.example\t1\nz.example\t0\n");
  });

  test.each([
    ["", "line 1 is"],
    ["a.example\t1\n\nb.example\t1\n", "line 2 is"],
    ["a.example 1\n", "line 1 is"],
    ["A.example\t1\n", "line 1 is"],
    ["a.example\t2\n", "line 1 is"],
    ["a..example\t1\n", "line 1 is"],
    [`${"a.".repeat(127)}x\t1\n`, "line 1 is"],
    ["a.example\t1\na.example\t0\n", "a.example has both 0 and 1"],
  ])("cannot be %j", (text, fault) => expect(parsePreloadList(text)).toEqual({ fault: expect.stringContaining(fault) }));
});
