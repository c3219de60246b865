/** HSTS preload list: its lines, and which names an entry covers. */
import { describe, expect, test } from "vitest";
import { type PreloadLines, parsePreloadList, preloadCoverage } from "../../../src/parse/preload-list.ts";

function listOf(...entries: readonly string[]): PreloadLines {
  const parsed = parsePreloadList(`${entries.join("\n")}\n`);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed;
}

const covered = { host: true, subdomains: true };
const itself = { host: true, subdomains: false };
const absent = { host: false, subdomains: false };

describe("coverage by a list", () => {
  const list = listOf(
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
    const many = listOf(...names.map((name, at) => `${name}\t${at % 2}`));
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
