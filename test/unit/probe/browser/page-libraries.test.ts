/** Libraries of a page from files and statements, with the advisories of the program or of an operator. */
import { describe, expect, test } from "vitest";
import { scriptLibrariesMax } from "../../../../src/evidence/limits.ts";
import { parseAdvisoryLine } from "../../../../src/parse/script-libraries.ts";
import { type LoadedScript, scriptLibrariesFactsOf } from "../../../../src/probe/browser/page-scripts.ts";
import embedded from "../../../../src/probe/browser/script-advisories.json" with { type: "json" };

const file = (path: string, head: string | null = "", given: Partial<LoadedScript> = {}): LoadedScript => ({
  url: `https://site.example${path}`,
  answeredBy: null,
  sameSite: true,
  head,
  inFrame: false,
  ...given,
});
const loaded = (...scripts: readonly LoadedScript[]) => ({ scripts, unrecorded: 0 });
const stated = (name: string, version: string) => ({ name, version });
const banner = (version: string) => `/*! jQuery v${version} | (c) */`;
const summary = (scripts: readonly LoadedScript[], ofPage: Parameters<typeof scriptLibrariesFactsOf>[1] = []) =>
  scriptLibrariesFactsOf(loaded(...scripts), ofPage, null).libraries.map(
    ({ name, version, detectedBy, url }) => `${name} ${version} ${detectedBy} ${url}`,
  );
const url = "https://site.example/jquery-3.4.0.js";

test("the list of the program is complete and readable", () => {
  const lines = Object.values(embedded.libraries).flat();
  expect([Object.keys(embedded.libraries).length, lines.length, embedded.date]).toEqual([68, 722, "2026-08-22"]);
  expect(lines.filter((line) => parseAdvisoryLine(line) === null)).toEqual([]);
});

describe("a library", () => {
  test("in URL, banner and page is one", () => {
    const scripts = [file("/jquery-3.4.0.js", banner("3.4.0"))];
    expect(summary(scripts, [stated("jquery", "3.4.0")])).toEqual([`jquery 3.4.0 url,banner,page ${url}`]);
  });

  test("in two files is one, with the first URL", () => {
    expect(summary([file("/z/jquery-3.4.0.js"), file("/jquery-3.4.0.js")])).toEqual([`jquery 3.4.0 url ${url}`]);
  });

  test("in two versions is two", () => {
    const scripts = [file("/a.js", banner("1.12.4")), file("/b.js", banner("3.4.0"))];
    expect(summary(scripts, [stated("jquery", "3.4.0")])).toEqual([
      "jquery 1.12.4 banner https://site.example/a.js",
      "jquery 3.4.0 banner,page https://site.example/b.js",
    ]);
  });

  test("in two forms of a version is one, in the longer form", () => {
    expect(summary([file("/a.js", banner("1.7"))], [stated("jquery", "1.7.0")])).toEqual([
      "jquery 1.7.0 banner,page https://site.example/a.js",
    ]);
  });

  test("that only the page states has no URL", () => {
    expect(summary([], [stated("vue", "2.6.12")])).toEqual(["vue 2.6.12 page null"]);
  });

  test("has the version of its content rather than of its name", () => {
    expect(summary([file("/jquery-3.4.0.js", banner("3.7.1"))])).toEqual([`jquery 3.7.1 banner ${url}`]);
    expect(summary([file("/jquery-3.4.0.js")], [stated("jquery", "3.7.1")])).toEqual(["jquery 3.7.1 page null"]);
  });

  test("is named by the URL after redirects", () => {
    const answeredBy = "https://cdn.example/jquery@3.4.0/dist/jquery.js";
    expect(summary([file("/jquery", "", { answeredBy })])).toEqual([`jquery 3.4.0 url ${answeredBy}`]);
  });
});

describe("the facts", () => {
  test("hold the advisories that end above the version", () => {
    const { advisoriesDate, libraries } = scriptLibrariesFactsOf(loaded(), [stated("jquery", "3.4.0")], null);
    expect(advisoriesDate).toBe("2026-08-22");
    expect(libraries[0]?.advisories).toEqual([
      { atOrAbove: "1.0.3", below: "3.5.0", excludes: [], severity: "medium", identifiers: ["CVE-2020-11023"] },
      { atOrAbove: "1.12.0", below: "3.5.0", excludes: [], severity: "medium", identifiers: ["CVE-2020-11022"] },
    ]);
  });

  test("hold the advisories of the operator instead", () => {
    const own = { date: "2027-01-02", libraries: { jquery: ["<3.7.0 low CVE-2027-1000"] } };
    const { advisoriesDate, libraries } = scriptLibrariesFactsOf(loaded(), [stated("jquery", "3.4.0"), stated("vue", "2.0.0")], own);
    expect(advisoriesDate).toBe("2027-01-02");
    expect(libraries.map(({ name, advisories }) => [name, advisories.map(({ identifiers }) => identifiers[0])])).toEqual([
      ["jquery", ["CVE-2027-1000"]],
      ["vue", []],
    ]);
  });

  test("count what was not read", () => {
    expect(scriptLibrariesFactsOf(loaded(file("/a.js", null), file("/b.js")), null, null)).toMatchObject({
      bannersUnread: 1,
      variablesRead: false,
    });
  });

  test("are bounded", () => {
    const many = Array.from({ length: scriptLibrariesMax + 7 }, (_, at) => file(`/jquery-1.0.${at}.js`));
    expect(scriptLibrariesFactsOf(loaded(...many), [], null)).toMatchObject({
      libraries: { length: scriptLibrariesMax },
      librariesDropped: 7,
    });
  });
});
