/** What every export format is made from: scans with their results, and the settings of the files. JSON is the result itself. */
import type { CheckDefinition } from "../check/registry.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import type { FindingMarks } from "../policy/finding-mark.ts";
import { type Brand, embeddedLogo } from "../report/brand.tsx";
import type { ScanRecord } from "../store/scans.ts";
import type { StoredBrand } from "../store/site-accounts.ts";
import { storedLogo } from "../store/site-accounts.ts";
import type { Store } from "../store/store.ts";
import type { PageLocale, Texts } from "../text/i18n.ts";
import { inFixOrder } from "../text/ledger-rows.ts";
import { type FullReport, type ReadableScan, renderFullReport } from "../text/render.ts";
import type { ServerName } from "../text/servers/server-lines.ts";

/** A scan that is over. */
export interface ExportedScan {
  readonly scan: ReadableScan & {
    /** ISO 8601, UTC. */
    readonly endedAt: string;
  };
  /** Result; null for a scan that failed. Its findings are in the order of `inFixOrder`. */
  readonly result: StoredResult | null;
  /** Evidence; null after its retention time, and for some failed scans. */
  readonly evidence: Evidence | null;
  readonly timings: Timings | null;
  readonly marks: FindingMarks;
}

/** Forms of a printed report; the query parameter `detail` names them. */
export const printedForms = ["short", "full"] as const;
export type PrintedForm = (typeof printedForms)[number];

export interface ExportSettings {
  readonly locale: PageLocale;
  readonly texts: Texts;
  /** Checks of the catalog. */
  readonly checks: readonly CheckDefinition[];
  /** Version of assay. */
  readonly version: string;
  /** Origin of an appliance whose pages describe the checks, as in `https://assay.example`; null on the command line. */
  readonly origin: string | null;
  /** Lines of the CSV file. */
  readonly csvRows: "findings" | "checks";
  /** Whether a row without a verdict counts as an error in formats that distinguish it. */
  readonly strict: boolean;
  /** Path of a file in the repository on which code scanning shows all results; null for a path made from the URL. */
  readonly sarifAnchor: string | null;
  /** What a printed HTML file holds: the summary and the serious findings, as a printed report page, or everything. */
  readonly printed?: PrintedForm;
  /** Shown by formats that have a layout; null or absent shows assay's own. */
  readonly brand?: Brand | null;
}

/** Text of a file for these scans, in their order; null if nothing may be written, which removes an earlier file. Pure. */
export type ExportWriter = (scans: readonly ExportedScan[], settings: ExportSettings) => string | null;

/** Export of a stored scan, with the checks of the catalog. No finding is marked, since a policy belongs to a pipeline. */
export function storedExport(
  scan: ScanRecord & { readonly endedAt: string },
  { results, evidence }: Pick<Store, "results" | "evidence">,
  checks: readonly CheckDefinition[],
): ExportedScan {
  const result = results.find(scan.token);
  const gathered = evidence.find(scan.token);
  return {
    scan,
    result: result === undefined ? null : inFixOrder(result, checks),
    evidence: gathered?.evidence ?? null,
    timings: gathered?.timings ?? null,
    marks: new Map(),
  };
}

/** Brand for a file, which loads nothing from the network. */
export function brandInFile(brand: StoredBrand): Brand {
  const logo = storedLogo(brand);
  return { name: brand.name, logo: logo === null ? null : embeddedLogo(logo), accent: brand.accent, footer: brand.footer };
}

/** `linesOf` names the only server of the remediations' lines; by default they have the lines of the API's servers. */
export function fullReportOf(
  exported: ExportedScan,
  locale: PageLocale,
  texts: Texts,
  linesOf: ServerName | null = null,
): FullReport<Evidence, Timings> {
  const { scan, result, evidence, timings } = exported;
  return renderFullReport(scan, result, { evidence, timings }, locale, texts, linesOf);
}

export const writeJson: ExportWriter = (scans, { locale, texts }) =>
  scans.map((scan) => `${JSON.stringify(fullReportOf(scan, locale, texts))}\n`).join("");
