/** Source of the scans of one call, and what policy, reports and files need of them. */
import type { CheckDefinition } from "../../check/registry.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import type { ScanErrorCode, Timings } from "../../evidence/scan.ts";
import type { ExportedScan } from "../../export/export.ts";
import type { StoredResult } from "../../judge/result.ts";
import type { FindingMarks } from "../../policy/finding-mark.ts";
import type { PolicyPage } from "../../policy/policy.ts";
import type { Texts } from "../../text/i18n.ts";
import { inFixOrder } from "../../text/ledger-rows.ts";
import type { Progress } from "../progress.ts";

/** A scan that is over, in this process or on a server. */
export interface ScannedUrl {
  readonly url: string;
  readonly token: string;
  /** Absent for the location of the scanning process itself. */
  readonly location?: string | undefined;
  readonly outcome: (
    | { readonly status: "finished"; readonly result: StoredResult }
    | { readonly status: "failed"; readonly code: ScanErrorCode }
  ) & { readonly evidence: Evidence | null; readonly timings: Timings | null };
  /** ISO 8601, UTC. */
  readonly endedAt: string;
}

/** Token in the report of a one-shot scan, which is not stored. */
export const localScanToken = "local";

/** Checks and texts of the catalog that judged. */
export interface ReportCatalog {
  readonly checks: readonly CheckDefinition[];
  readonly texts: Texts;
}

export function policyPageOf({ url, outcome }: ScannedUrl, checks: readonly CheckDefinition[]): PolicyPage {
  return outcome.status === "finished"
    ? { url, result: inFixOrder(outcome.result, checks), errorCode: null }
    : { url, result: null, errorCode: outcome.code };
}

export function exportedScanOf(scanned: ScannedUrl, { result, errorCode }: PolicyPage, marks: FindingMarks): ExportedScan {
  const { url, token, location, outcome, endedAt } = scanned;
  const { status, evidence, timings } = outcome;
  const scan = { token, url, location, status, progressStage: null, progressPercent: 100, errorCode, endedAt };
  return { scan, result, evidence, timings, marks };
}

export interface ScanOrder {
  readonly urls: readonly string[];
  readonly progress: Progress;
  /** The user wants the call to end. */
  readonly stop: AbortSignal;
}

export interface ScanSource {
  /** Checks and texts that judge. */
  readonly catalog: ReportCatalog;
  /** Origin of an appliance whose pages describe the checks; null without one. */
  readonly origin: string | null;
  /** Resolves to the scans in the order of the URLs; interrupted scans are missing. */
  scan(order: ScanOrder): Promise<readonly ScannedUrl[]>;
  close(): Promise<void>;
}
