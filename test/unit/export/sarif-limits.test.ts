/** Limits of GitHub for SARIF files: the worst is kept, and the file says what was cut. */
import { expect, test } from "vitest";
import type { ExportedScan } from "../../../src/export/export.ts";
import { writeSarif } from "../../../src/export/sarif.ts";
import type { StoredFinding } from "../../../src/judge/result.ts";
import type { SarifRun } from "../../support/export-readers.ts";
import { exportedScan, exportSettings } from "../../support/exported-scans.ts";

const bare = exportedScan("bare");
const findings = bare.result?.findings ?? [];

function scanWith(url: string, found: readonly StoredFinding[], given: Partial<ExportedScan> = {}): ExportedScan {
  return { ...bare, scan: { ...bare.scan, url }, result: bare.result && { ...bare.result, findings: found }, ...given };
}

/** Without the schema, which takes seconds for so many results. */
function read(scans: readonly ExportedScan[]): { readonly text: string; readonly runs: readonly SarifRun[] } {
  const text = writeSarif(scans, exportSettings()) ?? "";
  return { text, runs: JSON.parse(text).runs };
}

function noticesOf(run: SarifRun | undefined): readonly string[] {
  return run?.invocations[0].toolExecutionNotifications.map(({ message }) => message.text) ?? [];
}

test("20 hosts with the worst findings have a run", () => {
  const mild = findings.filter(({ severity }) => severity === "low");
  const worst = findings.filter(({ severity }) => severity === "critical");
  const scans = Array.from({ length: 25 }, (_, at) => scanWith(`https://host-${at}.example/`, at === 24 ? worst : at < 5 ? [] : mild));
  const { runs } = read(scans);
  expect(runs.map(({ automationDetails }) => automationDetails.id)).toEqual(
    Array.from({ length: 20 }, (_, at) => `assay/host-${at + 5}.example/`),
  );
  expect(noticesOf(runs[0])).toEqual([expect.stringMatching(/^5 of 25 hosts .* host-0\.example, .*host-4\.example$/)]);
  expect(noticesOf(runs[1])).toEqual([]);
});
