/** Parses SMTP TLS reporting records: RFC 8460 section 3. */
import { parseRecordFields } from "./record-fields.ts";
import { parseReportUris, type ReportUri } from "./report-uri.ts";

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
