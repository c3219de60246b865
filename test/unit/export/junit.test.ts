/** JUnit XML, read by libxml2. */
import { describe, expect, test } from "vitest";
import type { ExportedScan, ExportSettings } from "../../../src/export/export.ts";
import { exportFormats } from "../../../src/export/formats.ts";
import type { FindingMark } from "../../../src/policy/finding-mark.ts";
import { type JunitCase, readJunit } from "../../support/export-readers.ts";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";

const { extension, mediaType, write } = exportFormats.junit;

function read(scans: readonly ExportedScan[], given: Partial<ExportSettings> = {}) {
  return readJunit(write(scans, exportSettings(given)) ?? "");
}

function casesOf(scans: readonly ExportedScan[], given: Partial<ExportSettings> = {}): readonly JunitCase[] {
  return read(scans, given).suites.flatMap(({ cases }) => cases);
}

test("has its extension and media type", () => expect([extension, mediaType]).toEqual(["junit.xml", "application/xml"]));

describe("a suite", () => {
  const shop = exportedScan("shop", { timings: { page: 1_000, total: 2_340 } });
  const { attributes, suites } = read([shop, exportedScan("sound")]);

  test("is a URL with its counts and times", () => {
    expect(suites.map(({ name }) => name)).toEqual(["https://shop-muster.org/", "https://assay-sound-site.org/"]);
    for (const { attributes, cases } of suites) {
      const count = (outcome: string) => String(cases.filter((each) => each.outcome === outcome).length);
      expect(attributes).toMatchObject({
        tests: String(cases.length),
        failures: count("failure"),
        errors: "0",
        skipped: count("skipped"),
      });
    }
    expect(suites[0]?.attributes).toMatchObject({ time: "2.340", hostname: "shop-muster.org", timestamp: shop.scan.endedAt.slice(0, 19) });
  });

  test("adds up to the file", () => {
    const sum = (name: string) => String(suites.reduce((all, { attributes }) => all + Number(attributes[name]), 0));
    for (const name of ["tests", "failures", "errors", "skipped"]) expect(attributes[name]).toBe(sum(name));
    expect(attributes).toMatchObject({ name: "assay", time: "2.340" });
  });

  test("has test cases with names unique in the file, even for the same URL twice", () => {
    const cases = casesOf([shop, shop, exportedScan("sound")]);
    expect(new Set(cases.map(({ classname, name }) => `${classname} ${name}`)).size).toBe(cases.length);
  });
});

describe("a test case", () => {
  const shop = exportedScan("shop");
  const ledger = shop.result?.ledger ?? [];
  const outcomes = new Map(casesOf([shop]).map(({ name, outcome }) => [name, outcome]));
  const keysOf = (state: string, isNote = false) =>
    ledger.filter((row) => row.state === state && (row.weight === 0 && state === "violated") === isNote).map(({ key }) => key);

  test.each([
    ["passed", "passed"],
    ["violated", "failure"],
    ["notChecked", "skipped"],
    ["notApplicable", undefined],
  ])("of a check that is %s: %s", (state, outcome) => {
    expect(keysOf(state).length).toBeGreaterThan(0);
    for (const key of keysOf(state)) expect([key, outcomes.get(key)]).toEqual([key, outcome]);
  });

  test("of a note is passed, and quotes the note", () => {
    const [note] = casesOf([shop]).filter(({ name }) => keysOf("violated", true).includes(name));
    expect(note).toMatchObject({ outcome: "passed", text: expect.stringContaining("security.") });
  });

  test("without verdict is an error for a strict caller", () => {
    const strict = casesOf([shop], { strict: true }).filter(({ outcome }) => outcome === "error");
    expect(strict.map(({ name }) => name)).toEqual(keysOf("notChecked"));
    expect(strict[0]).toMatchObject({ type: "not-checked", message: expect.stringContaining("neither good nor bad") });
  });

  test("of a failed check says what the report in a terminal says", () => {
    const failed = casesOf([shop]).find(({ name }) => name === "strict-transport-security");
    expect(failed).toMatchObject({
      outcome: "failure",
      message: "HTTP Strict Transport Security (HSTS): Strict-Transport-Security is missing",
      type: "high",
    });
    const german = casesOf([shop], { locale: "de-de" }).find(({ name }) => name === "strict-transport-security");
    for (const words of ["Hoch  ", "M\u00f6gliche Folge: ", "Abhilfe: ", "Aufwand: gering"]) expect(german?.text).toContain(words);
  });

  test("is one error for a page that was not measured or not reached", () => {
    const cases = casesOf([exportedScan("old"), failedExport()]);
    expect(cases.map(({ name, outcome, type }) => [name, outcome, type])).toEqual([
      ["scan", "error", "not-measured"],
      ["scan", "error", "not-measured"],
    ]);
    expect(cases[0]?.message).toContain("No score");
    expect(cases[1]?.message).toContain("unreachable.example could not be reached");
  });
});

describe("a violation that the policy lets pass", () => {
  const bare = exportedScan("bare");
  const codes = bare.result?.findings.filter(({ checkKey }) => checkKey === "csp-script-sources").map(({ code }) => code) ?? [];
  const scriptSources = (marks: readonly (readonly [string, FindingMark])[]) =>
    casesOf([{ ...bare, marks: new Map(marks) }]).find(({ name }) => name === "csp-script-sources");
  const accepted = (code: string) => [code, { accepted: { reason: "Replaced <soon>.", until: "2027-03-01" }, inBaseline: null }] as const;
  const known = (code: string) => [code, { accepted: null, inBaseline: true }] as const;

  test("is skipped with the reason", () => {
    expect(codes.length).toBeGreaterThan(1);
    expect(scriptSources(codes.map(accepted))).toMatchObject({
      outcome: "skipped",
      message: expect.stringContaining("Accepted until 2027-03-01: Replaced <soon>."),
    });
    expect(scriptSources(codes.map(known))).toMatchObject({ outcome: "skipped", message: expect.stringContaining("in the baseline") });
    const unknown = codes.map((code) => [code, { accepted: null, inBaseline: "unknown" }] as const);
    expect(scriptSources(unknown)).toMatchObject({ outcome: "skipped", message: expect.stringContaining("Not counted: ") });
  });

  test("leaves the others of the check a failure", () => {
    const [first = "", ...others] = codes;
    const one = scriptSources([accepted(first), ...others.slice(1).map(known)]);
    expect(one?.outcome).toBe("failure");
    expect(one?.text).toContain("Replaced <soon>.");
    const [title] = one?.text.split("\n") ?? [];
    expect(one?.message).not.toContain(title?.split("  ")[1]);
  });
});
