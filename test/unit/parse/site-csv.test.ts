/** CSV lists of sites: separators, headers, quotes, encodings and faults, line by line. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvBytesMax, csvSitesMax, decodeCsv, parseSiteCsv } from "../../../src/parse/site-csv.ts";

function sitesOf(text: string) {
  const parsed = parseSiteCsv(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed.lines.map((each) =>
    each.site === null
      ? `${each.line} ${"fault" in each ? each.fault : ""}`
      : [each.line, each.site.url, each.site.name, each.site.client, each.site.tags],
  );
}

const a = "https://a.example/";
const b = "https://b.example/";

test("lines are counted over blank ones, of which a file may have a million", () => {
  const blank = 250_000;
  for (const end of ["\n", "\r", "\r\n"]) {
    const breaks = end.repeat(blank);
    expect(sitesOf(`${a}${breaks}${b}${breaks}`).map(([line, url]) => [line, url])).toEqual([
      [1, a],
      [blank + 1, b],
    ]);
  }
  expect(parseSiteCsv("\n".repeat(csvBytesMax))).toEqual({ fault: "empty" });
});

describe("a list of sites", () => {
  test.each<readonly [string, string, ReturnType<typeof sitesOf>]>([
    ["without a header", `${a},Bakery,Miller,shop blog`, [[1, a, "Bakery", "Miller", ["shop", "blog"]]]],
    ["with a header in another order", `Tags,URL,Client,Name\n"x y",${a},M,B`, [[2, a, "B", "M", ["x", "y"]]]],
    [
      "with a header of one column",
      `url\n${a}?a=1;b=2\n${b}`,
      [
        [2, `${a}?a=1;b=2`, "", "", []],
        [3, b, "", "", []],
      ],
    ],
    ["with further columns", `url,notes,name\n${a},secret,B`, [[2, a, "B", "", []]]],
    ["with a repeated column, of which the first counts", `url,name,name\n${a},B,C`, [[2, a, "B", "", []]]],
    ["with semicolons", `url;name\r\n${a};B, C\r\n`, [[2, a, "B, C", "", []]]],
    ["with tabs", `url\tname\n${a}\tB; C`, [[2, a, "B; C", "", []]]],
    ["with semicolons and no header", `${a};"B; C";M`, [[1, a, "B; C", "M", []]]],
    ["that names its separator", `sep=;\n${a};B`, [[2, a, "B", "", []]]],
    ["with a byte order mark", `\ufeffurl,name\n${a},B`, [[2, a, "B", "", []]]],
    [
      "with line ends of every kind",
      `${a}\r\n${b}\r${a}\n${b}`,
      [
        [1, a, "", "", []],
        [2, b, "", "", []],
        [3, a, "", "", []],
        [4, b, "", "", []],
      ],
    ],
    [
      "with blank lines, which keep their numbers",
      `\n${a}\n\n , ,\n;;\n${b}`,
      [
        [2, a, "", "", []],
        [6, b, "", "", []],
      ],
    ],
    ["with blanks around the cells", `  ${a} ,\t"B" , C `, [[1, a, "B", "C", []]]],
    ["with a German header", `adresse,name,kunde,tags\n${a},B,M,x|y`, [[2, a, "B", "M", ["x", "y"]]]],
    ["with a German header by semicolons", `Adresse;Name;Kunde;Schlagw\u00f6rter\n${a};B;M;x|y`, [[2, a, "B", "M", ["x", "y"]]]],
    ["with a decomposed umlaut in the header", `Website;Schlagwo\u0308rter\n${a};x`, [[2, a, "", "", ["x"]]]],
    ["with quoted names in another order", `"Firma"\t"Web-Adresse"\t"Bezeichnung"\n M\t${a}\tB`, [[2, a, "B", "M", []]]],
    ["with English names", `Customer, Website URL ,Title,Labels\nM,${a},B,x`, [[2, a, "B", "M", ["x"]]]],
    ["with a German header of one column", `Domain\n${a}`, [[2, a, "", "", []]]],
    ["with a postal address beside the address", `Kunde;Adresse;Website\nM;Main Street 1;${a}`, [[2, a, "", "M", []]]],
    ["with a cell before the names that has a dot", `Kd.Nr;Website;Kunde\n7;${a};M`, [[2, a, "", "M", []]]],
    ["with a site that is called Website", `${a},Website,Miller`, [[1, a, "Website", "Miller", []]]],
    ["with a site of a bare host that is called Link", `a.example;Link`, [[1, "a.example", "Link", "", []]]],
    [
      "with names of columns but no address",
      `Name,Kunde\n${a},M`,
      [
        [1, "Name", "Kunde", "", []],
        [2, a, "M", "", []],
      ],
    ],
    ["with quotes in quotes", `${a},"B ""and"" C"`, [[1, a, 'B "and" C', "", []]]],
    ["with a quote within a cell", `${a},5" pipes`, [[1, a, '5" pipes', "", []]]],
    ["with tags that have spaces", `${a},,,key account|shop||`, [[1, a, "", "", ["key account", "shop"]]]],
    ["with tags by commas", `${a},,,"key account, shop;live"`, [[1, a, "", "", ["key account", "shop", "live"]]]],
    ["with empty cells at the end of a line", `${a},B,,,,,`, [[1, a, "B", "", []]]],
    ["with texts that begin as formulas", `${a},=1+1,@x,+y -z`, [[1, a, "=1+1", "@x", ["+y", "-z"]]]],
    ["without a url on a line", `url,name\n,B`, [[2, "", "B", "", []]]],
  ])("%s", (_words, text, expected) => expect(sitesOf(text)).toEqual(expected));

  test.each<readonly [string, string, string]>([
    ["an open quote", `${a},"B`, "quote-open"],
    ["a quoted line break", `${a},"B\nC"`, "quote-open"],
    ["text after a quote", `${a},"B"C`, "quote-text"],
    ["too many cells", `${a},B,C,d,e`, "too-many-cells"],
    ["more cells than the header", `${a},B`, "too-many-cells"],
    ["an overlong line", `${a},${"x".repeat(10_000)}`, "too-long"],
  ])("has a fault for %s, and keeps the lines after it", (words, broken, fault) => {
    const header = words === "more cells than the header" ? "url" : "url,name,client,tags";
    const lines = sitesOf(`${header}\n${broken}\n${b}`);
    expect(lines[0]).toBe(`2 ${fault}`);
    expect(lines.at(-1)).toEqual([words === "a quoted line break" ? 4 : 3, b, "", "", []]);
  });

  test("has a limit of lines and of characters", () => {
    const list = (count: number) => `url\n${`${a}\n`.repeat(count)}\n\n`;
    expect(sitesOf(list(csvSitesMax))).toHaveLength(csvSitesMax);
    expect(parseSiteCsv(list(csvSitesMax + 1))).toEqual({ fault: "too-many-lines" });
    const head = "sep=,\n";
    expect(sitesOf(head + list(csvSitesMax))).toHaveLength(csvSitesMax);
    expect(parseSiteCsv(head + list(csvSitesMax + 1))).toEqual({ fault: "too-many-lines" });
    expect(parseSiteCsv(" ".repeat(csvBytesMax + 1))).toEqual({ fault: "too-large" });
  });

  test.each(["", "\n\n", "\ufeff", "url,name\n", "sep=;\r\nurl\r\n", ',;\t"'])("is empty: %j", (text) => {
    expect(parseSiteCsv(text)).toEqual({ fault: "empty" });
  });

  test("never throws, and never has more lines than the text", () => {
    const cells = fc.array(fc.constantFrom("url", "name", a, '"', '""', ",", ";", "\t", "\n", "\r", "|", " ", "x", "sep="), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(cells, (parts) => {
        const text = parts.join("");
        const parsed = parseSiteCsv(text);
        if ("lines" in parsed) expect(parsed.lines.length).toBeLessThanOrEqual(text.split(/\r\n|\n|\r/).length);
      }),
    );
  });
});

describe("the bytes of a file", () => {
  const text = "url;M\u00fcller";
  test.each<readonly [string, Uint8Array]>([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16, little end first", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16, big end first", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
    ["Windows-1252", Buffer.from(text, "latin1")],
  ])("are read as %s", (_words, bytes) => expect(decodeCsv(bytes).replace(/^\ufeff/, "")).toBe(text));
});
