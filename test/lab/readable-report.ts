/** Writes a laboratory scan as text for review: the report of the command line and every ledger row. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtInChecks } from "../../checks/index.ts";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../src/check/check.ts";
import { exportedScanOf, policyPageOf } from "../../src/cli/scan/outcome.ts";
import { reportText } from "../../src/cli/scan/report-text.ts";
import { fullReportOf } from "../../src/export/export.ts";
import { createTexts, type PageLocale, type Texts } from "../../src/text/i18n.ts";
import type { FinishedScan } from "./laboratory.ts";

// reads: dist/
const folder = join(import.meta.dirname, "../../dist/laboratory");
const columns = 140;
const stateChars = 14;

/** Report as on the command line. */
export function laboratoryReport(scan: FinishedScan, locale: PageLocale, texts: Texts) {
  const { url, scannedAt } = scan.evidence.subject;
  const scanned = { url, token: "lab", outcome: scan, endedAt: scannedAt };
  return fullReportOf(exportedScanOf(scanned, policyPageOf(scanned, builtInChecks), new Map()), locale, texts);
}

/** Writes `dist/laboratory/<name>.<locale>.txt`. */
export function writeReport(name: string, scan: FinishedScan): void {
  const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks });
  mkdirSync(folder, { recursive: true });
  for (const locale of locales) {
    const report = laboratoryReport(scan, locale, texts);
    const rows = scan.result.ledger.map(({ key, state, notCheckedBecause = "", evidence }) =>
      `${state.padEnd(stateChars)} ${key} [${evidence.join(", ")}] ${notCheckedBecause}`.trimEnd(),
    );
    const text = [reportText(report, { locale, texts, colour: false, columns, verbose: true }), "", ...rows, ""].join("\n");
    writeFileSync(join(folder, `${name}.${locale}.txt`), text);
  }
}
