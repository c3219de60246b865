/** Scans and settings for the writers of export formats. */
import { builtInChecks } from "../../checks/index.ts";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import type { ExportedScan, ExportSettings } from "../../src/export/export.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { inFixOrder } from "../../src/text/ledger-rows.ts";
import { type KnownScan, knownScans, type SiteName } from "./finished-scans.ts";

const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks }, builtInChecks);

/** Finished scan of a landmark, or of another known scan. */
export function exportedScan(site: SiteName | KnownScan, given: Partial<ExportedScan> = {}): ExportedScan {
  const { evidence, result } = typeof site === "string" ? knownScans[site] : site;
  const { url, scannedAt } = evidence.subject;
  const scan = { token: "local", url, status: "finished", progressStage: null, progressPercent: 100, errorCode: null } as const;
  return {
    scan: { ...scan, endedAt: scannedAt },
    result: inFixOrder(result, builtInChecks),
    evidence,
    timings: null,
    marks: new Map(),
    ...given,
  };
}

/** Scan of a target that was not reachable. */
export function failedExport(url = "https://unreachable.example/"): ExportedScan {
  const scan = {
    token: "local",
    url,
    status: "failed",
    progressStage: null,
    progressPercent: 100,
    errorCode: "unreachable",
  } as const;
  return { scan: { ...scan, endedAt: "2026-11-22T12:00:00.000Z" }, result: null, evidence: null, timings: null, marks: new Map() };
}

export function exportSettings(given: Partial<ExportSettings> = {}): ExportSettings {
  return {
    locale: "en-gb",
    texts,
    checks: builtInChecks,
    version: "1.2.3",
    origin: null,
    csvRows: "findings",
    strict: false,
    sarifAnchor: null,
    ...given,
  };
}
