/** Scans as the writers of text formats read them: rendered, with the marks of the policy, in safe characters, with paths and fingerprints. */

import { createHash } from "node:crypto";
import type { Severity } from "../check/check.ts";
import { isNote } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import type { FindingMark } from "../policy/finding-mark.ts";
import type { TextValues } from "../text/i18n.ts";
import { type RenderedCheck, type RenderedFinding, renderFullReport, type SecurityBlock } from "../text/render.ts";
import type { ExportedScan, ExportSettings } from "./export.ts";
import { plainText } from "./safe-text.ts";

export interface ExportedFinding extends RenderedFinding, FindingMark {
  readonly checkKey: string;
  /** Weakness such as `CWE-319`; null if the check names no weakness. */
  readonly cwe: string | null;
  /** Whether its check has no effect on the score. */
  readonly isNote: boolean;
}

export interface ExportedRow extends RenderedCheck {
  readonly isNote: boolean;
  /** Why there is no verdict; null for rows with one. */
  readonly because: string | null;
  readonly findings: readonly ExportedFinding[];
}

export interface ExportedReport {
  readonly url: string;
  /** Location of the scan; null if the server itself measured. */
  readonly location: string | null;
  /** ISO 8601, UTC. */
  readonly endedAt: string;
  /** Why the page has no score; null if it was measured. */
  readonly failure: string | null;
  /** End of the scan; null if it has not ended. */
  readonly security: Pick<SecurityBlock, "score" | "rank" | "checkSummary"> | null;
  /** Duration in seconds; null if not stored. */
  readonly tookSeconds: number | null;
  /** Findings; empty for a scan that failed. */
  readonly rows: readonly ExportedRow[];
  readonly findings: readonly ExportedFinding[];
}

const unmarked: FindingMark = { accepted: null, inBaseline: null };

export function exportedReport({ scan, result, timings, marks }: ExportedScan, settings: ExportSettings): ExportedReport {
  const { locale, texts } = settings;
  const report = renderFullReport(scan, result, { evidence: null, timings: null }, locale, texts);
  const { security } = report;
  const notes = new Set(result?.ledger.filter(isNote).map(({ key }) => key));
  const findings = (result?.findings ?? []).flatMap((stored, at) => {
    const rendered = security?.findings[at];
    if (rendered === undefined) return [];
    const { accepted, inBaseline } = marks.get(stored.code) ?? unmarked;
    return {
      ...safeTexts(rendered),
      checkKey: stored.checkKey,
      cwe: texts.cweOf(stored.code),
      isNote: notes.has(stored.checkKey),
      accepted: accepted && { ...accepted, reason: plainText(accepted.reason) },
      inBaseline,
    };
  });
  const rows = (result?.ledger ?? []).map((row, at) => ({
    key: plainText(row.key),
    state: row.state,
    isNote: isNote(row),
    label: plainText(security?.checks?.[at]?.label ?? row.key),
    reason: plainText(security?.checks?.[at]?.reason ?? ""),
    because: row.state === "notChecked" ? plainText(row.notCheckedBecause ?? "unknown") : null,
    findings: findings.filter(({ checkKey }) => checkKey === row.key),
  }));
  const failure = report.scanErrorMessage ?? report.notMeasuredBecause;
  return {
    url: plainText(scan.url),
    location: report.location === localLocation ? null : report.location,
    endedAt: scan.endedAt,
    failure: failure === null ? null : plainText(failure),
    security,
    tookSeconds: timings?.total === undefined ? null : timings.total / 1_000,
    rows,
    findings,
  };
}

/** All fields are texts. */
function safeTexts(finding: RenderedFinding): RenderedFinding {
  return Object.fromEntries(Object.entries(finding).map(([name, text]) => [name, plainText(text)])) as unknown as RenderedFinding;
}

/** Text of the locale files by its path, for example `report/score`. */
export function exportText({ locale, texts }: ExportSettings, path: string, values?: TextValues): string {
  return texts.translate(locale, path.split("/"), values) ?? path;
}

/** What the policy says about a finding, in words; null if nothing. */
export function markText({ accepted, inBaseline }: FindingMark, settings: ExportSettings): string | null {
  if (accepted !== null) {
    const { reason, until } = accepted;
    return until === null
      ? exportText(settings, "report/accepted", { reason })
      : exportText(settings, "report/acceptedUntil", { reason, day: until });
  }
  if (inBaseline === "unknown") return exportText(settings, "exports/beyondBaseline");
  return inBaseline === true ? exportText(settings, "exports/inBaseline") : null;
}

export function severityText(severity: Severity, settings: ExportSettings): string {
  return exportText(settings, `report/severities/${severity}`);
}

/** Characters of a path besides letters and digits: RFC 3986 section 3.3. */
const outsidePath = /[^a-z0-9\-._~!$&'()*+,;=:@/%]/gi;
const brokenEscape = /%(?![0-9a-f]{2})/gi;
const outsideHost = /[^a-z0-9.-]/gi;

/**
 * Host and port with `_` for their punctuation, as in `localhost_8443`: a colon in the first segment of a relative reference would end a scheme
 * (RFC 3986 section 4.2). Never empty.
 */
export function hostSegment(url: string): string {
  return (webAddress(url)?.host ?? (url || "_")).replaceAll(outsideHost, "_");
}

/** Relative reference without leading slash, for example `www.example.org/shop`; a start page is `www.example.org/`. Without the query. */
export function locationPath(url: string): string {
  const path = webAddress(url)?.pathname ?? "/";
  return hostSegment(url) + path.replaceAll(brokenEscape, "%25").replaceAll(outsidePath, encodeURIComponent);
}

/** Parsed http or https URL; null for any other text. */
function webAddress(url: string): URL | null {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed : null;
}

/** Path of a file in the repository as a relative reference; null for a path that names no file below it. */
export function anchorPath(file: string): string | null {
  const segments = file
    .toWellFormed()
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0 || segments.includes("..")) return null;
  return segments.map(encodeURIComponent).join("/");
}

const hashHexChars = 32;

/**
 * Returns fingerprints of findings: a hash of host, path, query and code, then `:1`, or `:2` for a second one with the same four. The scheme
 * is left out, so that a redirect to https keeps them. Unique within one function.
 */
export function createFingerprints(): (url: string, code: string) => string {
  const counts = new Map<string, number>();
  return (url, code) => {
    const { host, pathname, search } = URL.parse(url) ?? { host: url, pathname: "", search: "" };
    const text = `${host}${pathname}${search}\n${code}`.toWellFormed();
    const hash = createHash("sha256").update(text).digest("hex").slice(0, hashHexChars);
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return `${hash}:${count}`;
  };
}
