/** Parses MTA-STS records and policy files (RFC 8461 sections 3.1, 3.2 and 4.1), and TLS reporting records (RFC 8460 section 3). */
import { parseRecordFields, parseReportUris, type ReportUri } from "./record-fields.ts";

/** Reason why senders ignore a record: not of the grammar, no id, or an invalid id. */
export type MtaStsRecordDefect = "syntax" | "id-missing" | "id-invalid";

/** Case-sensitive; senders ignore texts with another prefix. */
const recordVersionPattern = /^v=STSv1[\t ]*(?:;|$)/;
const idPattern = /^[a-z0-9]{1,32}$/i;

/** Id of the record or its defect; null for a text that is not an MTA-STS record. */
export function parseMtaStsRecord(text: string): { readonly id: string } | { readonly defect: MtaStsRecordDefect } | null {
  const version = recordVersionPattern.exec(text);
  if (version === null) return null;
  const fields = parseRecordFields(text.slice(version[0].length));
  if (fields === null) return { defect: "syntax" };
  const [id, ...others] = fields.get("id") ?? [];
  if (id === undefined) return { defect: "id-missing" };
  if (others.length > 0) return { defect: "syntax" };
  return idPattern.test(id) ? { id } : { defect: "id-invalid" };
}

export function isMeantAsMtaSts(text: string): boolean {
  return /\bv[\t ]*=[\t ]*"?sts/i.test(text);
}

type MtaStsMode = "enforce" | "testing" | "none";

export interface MtaStsPolicy {
  readonly mode: MtaStsMode;
  readonly maxAgeSeconds: number;
  /** Lower-case host names, optionally with a leading `*.`. Empty only in mode `none`. */
  readonly mx: readonly string[];
}

/** Reason why senders ignore a policy, and the line or key with the defect. */
export interface MtaStsPolicyDefect {
  readonly kind:
    | "line-malformed"
    | "version-missing"
    | "version-unknown"
    | "mode-missing"
    | "mode-unknown"
    | "max-age-missing"
    | "max-age-malformed"
    | "max-age-out-of-range"
    | "mx-missing"
    | "mx-malformed";
  readonly text: string;
}

/** RFC 8461 section 3.2. A lifetime of 0 seconds expires at once. */
const maxAgeSecondsMin = 1;
const maxAgeSecondsMax = 31_557_600;
const linePattern = /^([a-z0-9][a-z0-9_.-]{0,31}):[\t ]*(\S.*)?$/i;
const mxPattern = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Case-sensitive keys and modes. Unknown keys are ignored; the first of repeated keys counts, except for mx (RFC 8461 section 3.2). */
export function parseMtaStsPolicy(file: string): MtaStsPolicy | { readonly defects: readonly MtaStsPolicyDefect[] } {
  const { first, mx, defects } = readLines(file);
  const mode = modeOf(first.get("mode"));
  const maxAge = first.get("max_age");
  for (const kind of [versionDefect(first.get("version")), modeDefect(first.get("mode")), maxAgeDefect(maxAge)]) {
    if (kind !== null) defects.push(kind);
  }
  if (mx.length === 0 && mode !== "none") defects.push({ kind: "mx-missing", text: "mx" });
  for (const pattern of mx) if (!mxPattern.test(pattern)) defects.push({ kind: "mx-malformed", text: pattern });
  return defects.length > 0 || mode === null ? { defects } : { mode, maxAgeSeconds: Number(maxAge), mx };
}

interface Lines {
  readonly first: ReadonlyMap<string, string>;
  readonly mx: readonly string[];
  readonly defects: MtaStsPolicyDefect[];
}

function readLines(file: string): Lines {
  const first = new Map<string, string>();
  const mx = new Set<string>();
  const defects: MtaStsPolicyDefect[] = [];
  for (const written of file.split("\n")) {
    const line = written.trimEnd();
    // The grammar allows an empty line only at the end, but known readers accept it anywhere.
    if (line === "") continue;
    const [matched, key = "", value = ""] = linePattern.exec(line) ?? [];
    if (matched === undefined) defects.push({ kind: "line-malformed", text: line });
    // RFC 8461 section 3.2: an SMTP Domain has no trailing dot; names are case-insensitive.
    else if (key === "mx") mx.add(value.toLowerCase());
    else if (!first.has(key)) first.set(key, value);
  }
  return { first, mx: [...mx], defects };
}

function versionDefect(version: string | undefined): MtaStsPolicyDefect | null {
  if (version === undefined) return { kind: "version-missing", text: "version" };
  return version === "STSv1" ? null : { kind: "version-unknown", text: version };
}

function modeOf(mode: string | undefined): MtaStsMode | null {
  return mode === "enforce" || mode === "testing" || mode === "none" ? mode : null;
}

function modeDefect(mode: string | undefined): MtaStsPolicyDefect | null {
  if (mode === undefined) return { kind: "mode-missing", text: "mode" };
  return modeOf(mode) === null ? { kind: "mode-unknown", text: mode } : null;
}

function maxAgeDefect(maxAge: string | undefined): MtaStsPolicyDefect | null {
  if (maxAge === undefined) return { kind: "max-age-missing", text: "max_age" };
  if (!/^\d{1,10}$/.test(maxAge)) return { kind: "max-age-malformed", text: maxAge };
  const isInRange = Number(maxAge) >= maxAgeSecondsMin && Number(maxAge) <= maxAgeSecondsMax;
  return isInRange ? null : { kind: "max-age-out-of-range", text: maxAge };
}

/** RFC 8461 section 4.1: `*.` matches exactly one left-most label. `host` is in lower case without a trailing dot. */
export function isMailHostCovered(host: string, mx: readonly string[]): boolean {
  const above = host.slice(host.indexOf(".") + 1);
  return mx.includes(host) || (above !== host && host.indexOf(".") > 0 && mx.includes(`*.${above}`));
}

// Parses SMTP TLS reporting records: RFC 8460 section 3.

interface TlsRptRecord {
  /** Report destinations, mailto or https; at least one. */
  readonly rua: readonly ReportUri[];
}

/** `syntax`: not of the grammar. `rua-missing`: no destination. `rua-invalid`: no usable destination. */
export type TlsRptDefect = "syntax" | "rua-missing" | "rua-invalid";

/** Case-sensitive; senders ignore texts with another prefix. */
const versionPattern = /^v=TLSRPTv1[\t ]*(?:;|$)/;

/** Record or its defect; null for a text that is not a TLS reporting record. */
export function parseTlsRpt(text: string): TlsRptRecord | { readonly defect: TlsRptDefect } | null {
  const version = versionPattern.exec(text);
  if (version === null) return null;
  const fields = parseRecordFields(text.slice(version[0].length));
  if (fields === null) return { defect: "syntax" };
  const [list, ...others] = fields.get("rua") ?? [];
  if (list === undefined) return { defect: "rua-missing" };
  if (others.length > 0) return { defect: "syntax" };
  const rua = parseReportUris(list).filter(({ kind }) => kind === "mailto" || kind === "https");
  return rua.length === 0 ? { defect: "rua-invalid" } : { rua };
}

/** True for a text that looks like a TLS reporting record, valid or not. */
export function isMeantAsTlsRpt(text: string): boolean {
  return /\bv[\t ]*=[\t ]*"?tls-?rpt/i.test(text);
}
