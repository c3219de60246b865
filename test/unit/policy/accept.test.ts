/** Accept files: what is read, which pages an entry covers, and the place of each fault. */
import { describe, expect, test } from "vitest";
import { type AcceptEntry, coversUrl, hasExpired, parseAcceptFile } from "../../../src/policy/accept.ts";

const required = 'code = "security.hsts.missing"\nreason = "behind a VPN"';

function entriesOf(text: string): readonly AcceptEntry[] {
  const parsed = parseAcceptFile(text);
  if ("fault" in parsed) throw new Error(JSON.stringify(parsed.fault));
  return parsed.entries;
}

function entry(lines: string): AcceptEntry {
  const [first] = entriesOf(`[[accept]]\n${required}\n${lines}`);
  if (first === undefined) throw new Error("no entry");
  return first;
}

describe("reads", () => {
  test("entries with their lines", () => {
    const text = `# ours\n[[accept]]\n${required}\n\n[[accept]]\n${required}\nhost = "WWW.Example.org."\npath = "/caf\u00e9"\nuntil = 2027-03-01\n`;
    const common = { code: "security.hsts.missing", reason: "behind a VPN" };
    expect(entriesOf(text)).toEqual([
      { ...common, host: null, path: null, until: null, line: 2 },
      { ...common, host: "www.example.org", path: "/caf%C3%A9", until: "2027-03-01", line: 6 },
    ]);
  });

  test("an empty file, and inline tables", () => {
    expect(entriesOf("")).toEqual([]);
    expect(entriesOf(`accept = [{ ${required.replace("\n", ", ")}, until = 2027-03-01 }]`)).toMatchObject([{ until: "2027-03-01" }]);
  });

  test.each([
    ['until = "2027-03-01"', "2027-03-01"],
    ["until = 2028-02-29", "2028-02-29"],
  ])("%s", (line, until) => expect(entry(line).until).toBe(until));

  test("a reason of several lines as one", () => {
    expect(entriesOf('[[accept]]\ncode = "security.a.b"\nreason = """\n  one\n  two\n"""')).toMatchObject([{ reason: "one two" }]);
  });
});

describe("refuses, with line and column,", () => {
  test.each([
    ["broken TOML", "[[accept]]\ncode = ", 2, 8, "Invalid TOML"],
    ["another table", `[[accept]]\n${required}\n[other]`, 4, 1, 'unknown key "other"'],
    ["a misspelt table", "[[acept]]", 1, 1, 'did you mean "accept"?'],
    ["a table in place of an array", "[accept]", 1, 1, "[[accept]]"],
    ["a text in place of an array", 'x = 1\naccept = "a"', 1, 1, 'unknown key "x"'],
    ["a misspelt key", `[[accept]]\n${required}\n  untill = 2027-03-01`, 4, 3, 'did you mean "until"?'],
    ["an unknown key", `[[accept]]\n${required}\nzzzzzzzzzz = 1`, 4, 1, "known are code, host, path, reason, until"],
    ["no code", '\n[[accept]]\nreason = "x"', 2, 1, '"code"'],
    ["a code of another form", '[[accept]]\ncode = "hsts missing"\nreason = "x"', 2, 1, '"code" must name a finding'],
    ["a code that is a number", '[[accept]]\ncode = 3\nreason = "x"', 2, 1, '"code"'],
    ["no reason", '[[accept]]\ncode = "security.a.b"', 1, 1, '"reason" must say why'],
    ["an empty reason", '[[accept]]\ncode = "security.a.b"\nreason = "  "', 3, 1, '"reason" must say why'],
    ["a long reason", `[[accept]]\ncode = "security.a.b"\nreason = "${"x".repeat(501)}"`, 3, 1, "at most 500"],
    ["the second entry", `[[accept]]\n${required}\n[[accept]]\ncode = "security.a.b"`, 4, 1, '"reason"'],
    ["a day that does not exist", `[[accept]]\n${required}\nuntil = 2027-02-30`, 4, 1, '"until" must be a date'],
    ["a text that is no date", `[[accept]]\n${required}\nuntil = "1 March"`, 4, 1, '"until" must be a date'],
    ["a date with time", `[[accept]]\n${required}\nuntil = 2027-03-01T00:00:00Z`, 4, 1, '"until" must be a date'],
    ["a number as date", `[[accept]]\n${required}\nuntil = 20270301`, 4, 1, '"until" must be a date'],
    ["a host with scheme", `[[accept]]\n${required}\nhost = "https://a.example"`, 4, 1, '"host"'],
    ["a host with port", `[[accept]]\n${required}\nhost = "a.example:8443"`, 4, 1, '"host"'],
    ["an empty host", `[[accept]]\n${required}\nhost = ""`, 4, 1, '"host"'],
    ["a star inside a host", `[[accept]]\n${required}\nhost = "a*.example"`, 4, 1, '"host"'],
    ["a path without slash", `[[accept]]\n${required}\npath = "shop"`, 4, 1, '"path"'],
    ["a path with a query", `[[accept]]\n${required}\npath = "/a?b"`, 4, 1, '"path"'],
    ["a path that names a host", `[[accept]]\n${required}\npath = "//host/"`, 4, 1, '"path"'],
    ["too many entries", `[[accept]]\n${required}\n`.repeat(1_001), 3_001, 1, "more than 1000 entries"],
  ])("%s", (_words, text, line, column, reason) => {
    expect(parseAcceptFile(text)).toEqual({ fault: { line, column, reason: expect.stringContaining(reason) } });
  });
});

test.each([
  ["", "https://a.example/x", true],
  ['host = "a.example"', "https://a.example:8443/x", true],
  ['host = "a.example"', "https://b.a.example/", false],
  ['host = "*.a.example"', "https://b.a.example/", true],
  ['host = "*.a.example"', "https://a.example/", false],
  ['host = "b\u00fccher.example"', "https://xn--bcher-kva.example/", true],
  ['host = "::1"', "http://[::1]:8080/", true],
  ['host = "[::1]"', "http://[::1]:8080/", true],
  ['path = "/"', "https://a.example/", true],
  ['path = "/"', "https://a.example/x", false],
  ['path = "/shop*"', "https://a.example/shop/1?q=2", true],
  ['path = "/shop/*"', "https://a.example/shop", false],
  ['path = "/shop"', "https://a.example/shop?q=2", true],
])("%s covers %s: %s", (line, url, covers) => expect(coversUrl(entry(line), url)).toBe(covers));

test("expires after its last day", () => {
  expect(["2027-02-28", "2027-03-01", "2027-03-02"].map((today) => hasExpired(entry("until = 2027-03-01"), today))).toEqual([
    false,
    false,
    true,
  ]);
  expect(hasExpired(entry(""), "9999-12-31")).toBe(false);
});
