/** SARIF files of many results, for the tests of their limits. */
import type { ExportedScan } from "../../../src/export/export.ts";
import { writeSarif } from "../../../src/export/sarif.ts";
import type { StoredFinding } from "../../../src/judge/result.ts";
import type { SarifRun } from "../../support/export-readers.ts";
import { exportedScan, exportSettings } from "../../support/exported-scans.ts";

const bare = exportedScan("bare");
export const findings = bare.result?.findings ?? [];

export function scanWith(url: string, found: readonly StoredFinding[], given: Partial<ExportedScan> = {}): ExportedScan {
  return { ...bare, scan: { ...bare.scan, url }, result: bare.result && { ...bare.result, findings: found }, ...given };
}

/** Reads SARIF without the schema, which takes seconds for so many results. */
export function readSarif(scans: readonly ExportedScan[]): { readonly text: string; readonly runs: readonly SarifRun[] } {
  const text = writeSarif(scans, exportSettings()) ?? "";
  return { text, runs: JSON.parse(text).runs };
}

export function noticesOf(run: SarifRun | undefined): readonly string[] {
  return run?.invocations[0].toolExecutionNotifications.map(({ message }) => message.text) ?? [];
}
