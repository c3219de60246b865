/** CSV files, read by csv-parse. */
import { describe, expect, test } from "vitest";
import type { ExportedScan, ExportSettings } from "../../../src/export/export.ts";
import { exportFormats } from "../../../src/export/formats.ts";
import { readCsv } from "../../support/export-readers.ts";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";

const { extension, mediaType, write } = exportFormats.csv;
const bare = exportedScan("bare");

function read(scans: readonly ExportedScan[], given: Partial<ExportSettings> = {}) {
  return readCsv(write(scans, exportSettings(given)) ?? "");
}

/** A finding that quotes the text. */
function detailOf(text: string): string | undefined {
  const finding = bare.result?.findings.find(({ code }) => code === "security.hsts.max-age-too-short");
  if (bare.result === null || finding === undefined) throw new Error("the bare site has changed");
  const marks = new Map([[finding.code, { accepted: { reason: text, until: null }, inBaseline: null }]]);
  return read([{ ...bare, result: { ...bare.result, findings: [finding] }, marks }])[0]?.acceptedReason;
}

test("has its extension and media type", () => expect([extension, mediaType]).toEqual(["csv", "text/csv; charset=utf-8"]));

test("has lines that end with CR LF, the last one too", () => {
  const text = write([exportedScan("sound")], exportSettings()) ?? "";
  expect(text.split("\r\n")).toHaveLength(3);
  expect(text.endsWith("\r\n")).toBe(true);
});

describe("a line", () => {
  test("is a finding, with the fields of the API", () => {
    const records = read([bare, exportedScan("shop")]);
    const findings = [bare, exportedScan("shop")].flatMap(
      ({ scan, result }) => result?.findings.map((one) => [scan.url, one.code, one.severity]) ?? [],
    );
    expect(records.map(({ url, code, severity }) => [url, code, severity])).toEqual(findings);
    expect(records[0]).toMatchObject({
      measured: "true",
      score: String(bare.result?.score),
      rank: "critical",
      checkKey: "tls-certificate-validity",
      riskLevel: "high",
      effort: "low",
      cwe: "CWE-298",
      note: "false",
      accepted: "false",
      inBaseline: "",
      title: "Certificate has expired",
    });
  });

  test("is a check if the caller wants checks", () => {
    const records = read([bare], { csvRows: "checks" });
    expect(records.map(({ key, state }) => [key, state])).toEqual(bare.result?.ledger.map(({ key, state }) => [key, state]) ?? []);
    const sources = records.find(({ key }) => key === "csp-script-sources");
    expect(sources?.codes?.split(" ")).toHaveLength(3);
    expect(sources).toMatchObject({ note: "false", notCheckedBecause: "", label: expect.stringContaining("CSP") });
  });

  test.each(["findings", "checks"] as const)("says why a page has no score: %s", (csvRows) => {
    const records = read([exportedScan("old"), failedExport()], { csvRows });
    expect(records.at(0)).toMatchObject({ measured: "false", score: "", notMeasuredBecause: expect.stringContaining("No score") });
    expect(records.at(-1)).toMatchObject({
      url: "https://unreachable.example/",
      measured: "false",
      notMeasuredBecause: expect.stringContaining("could not be reached"),
    });
  });

  test("stands for a page without findings too", () => {
    const sound = exportedScan("sound");
    const records = read([{ ...sound, result: sound.result && { ...sound.result, findings: [] } }]);
    expect(records).toMatchObject([{ measured: "true", score: "100", code: "" }]);
  });

  test("has the marks of the policy", () => {
    const [first, second] = bare.result?.findings ?? [];
    const marks = new Map([
      [first?.code ?? "", { accepted: { reason: 'He said "no", twice', until: "2027-03-01" }, inBaseline: false }],
      [second?.code ?? "", { accepted: null, inBaseline: true }],
    ]);
    const records = read([{ ...bare, marks }]);
    expect(records.slice(0, 2)).toMatchObject([
      { accepted: "true", acceptedReason: 'He said "no", twice', acceptedUntil: "2027-03-01", inBaseline: "false" },
      { accepted: "false", acceptedReason: "", acceptedUntil: "", inBaseline: "true" },
    ]);
  });
});

describe("a text", () => {
  test.each([
    ["=1+1", "'=1+1"],
    ["+49 30", "'+49 30"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1+1", "'\t'=1+1"],
    ["\r=1+1", "'\n'=1+1"],
    ["\uff1d1+1", "'\uff1d1+1"],
    ["\uff0b1", "'\uff0b1"],
    ["\uff0d1", "'\uff0d1"],
    ["\uff20A1", "'\uff20A1"],
    ["  \u200b=1+1", "  \u200b'=1+1"],
    // A spreadsheet with other separators begins a cell there.
    ["a;=cmd|'/c calc'!A1", "a;'=cmd|'/c calc'!A1"],
    ["a\n\n=1+1", "a\n\n'=1+1"],
    ["a=b", "a=b"],
    ["a - b", "a - b"],
  ])("%j becomes no formula: %j", (text, cell) => expect(detailOf(text)).toBe(cell));

  test.each([
    ['a "quoted", word\nand a line', 'a "quoted", word\nand a line'],
    ["a\u0000b\u001b[31m", "a\ufffdb\ufffd[31m"],
    ["a\ud800b", "a\ufffdb"],
    ["a\u202eb", "a\ufffdb"],
  ])("%j is read back as %j", (text, cell) => expect(detailOf(text)).toBe(cell));
});
