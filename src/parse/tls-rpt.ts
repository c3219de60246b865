/** Reads records of SMTP TLS reporting, RFC 8460 section 3. */
import { parseRecordFields } from "./record-fields.ts";
import { parseReportUris, type ReportUri } from "./report-uri.ts";

export interface TlsRptRecord {
  /** Where reports may go: by mail or by https, and at least one. */
  readonly rua: readonly ReportUri[];
}

/** `syntax`: not of the grammar. `rua-missing`: it names no place. `rua-invalid`: none of its places can be sent to. */
export type TlsRptDefect = "syntax" | "rua-missing" | "rua-invalid";

/** Compared with case; what begins otherwise is passed over. */
const versionForm = /^v=TLSRPTv1[\t ]*(?:;|$)/;

/** Null for a text that is no such record. */
export function parseTlsRpt(text: string): TlsRptRecord | { readonly defect: TlsRptDefect } | null {
  const version = versionForm.exec(text);
  if (version === null) return null;
  const fields = parseRecordFields(text.slice(version[0].length));
  if (fields === null) return { defect: "syntax" };
  const [list, ...others] = fields.get("rua") ?? [];
  if (list === undefined) return { defect: "rua-missing" };
  if (others.length > 0) return { defect: "syntax" };
  const rua = parseReportUris(list).filter(({ kind }) => kind === "mailto" || kind === "https");
  return rua.length === 0 ? { defect: "rua-invalid" } : { rua };
}

/** A text that is meant as such a record, whether or not it is one. */
export function isMeantAsTlsRpt(text: string): boolean {
  return /\bv[\t ]*=[\t ]*"?tls-?rpt/i.test(text);
}
