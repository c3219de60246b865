/** Checks that security.txt is valid and current. */
import { type Found, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import {
  foundSecurityTxt,
  parseInternetDate,
  parseSecurityTxt,
  type SecurityTxtDefect,
  securityTxtValues,
  suggestedExpiry,
} from "assay/check/parsers";

type Code =
  | "security.security-txt.expires-missing"
  | "security.security-txt.expires-repeated"
  | "security.security-txt.expires-malformed"
  | "security.security-txt.expires-past"
  | "security.security-txt.line-malformed"
  | "security.security-txt.line-unended"
  | "security.security-txt.encoding"
  | "security.security-txt.signature-malformed"
  | "security.security-txt.uri-http"
  | "security.security-txt.uri-invalid"
  | "security.security-txt.languages-invalid"
  | "security.security-txt.languages-repeated"
  | "security.security-txt.canonical-mismatch";

const definition = { severity: "low", riskLevel: "low", effort: "low" } as const;

export default registerCheck({
  key: "security-txt-valid",
  weight: 1,
  area: "disclosure",
  standards: ["RFC 9116 section 2.5", "RFC 9116 section 4"],
  appliesTo: ["public-name"],
  reads: ["securityTxt"],
  findings: {
    "security.security-txt.expires-missing": definition,
    "security.security-txt.expires-repeated": definition,
    "security.security-txt.expires-malformed": definition,
    "security.security-txt.expires-past": definition,
    "security.security-txt.line-malformed": definition,
    "security.security-txt.line-unended": definition,
    "security.security-txt.encoding": definition,
    "security.security-txt.signature-malformed": definition,
    "security.security-txt.uri-http": definition,
    "security.security-txt.uri-invalid": definition,
    "security.security-txt.languages-invalid": definition,
    "security.security-txt.languages-repeated": definition,
    "security.security-txt.canonical-mismatch": definition,
  },
  judge({ subject, securityTxt }) {
    const found = foundSecurityTxt(securityTxt);
    if (found.at === "nowhere") return notApplicable();
    if (found.at === "unknown" || found.attempt.truncated) return notChecked();
    const { url, finalUrl, body } = found.attempt;
    const file = parseSecurityTxt(body);
    const faults: Found<Code>[] = [
      ...expiresFaults(securityTxtValues(file, "expires"), subject.scannedAt),
      ...canonicalFaults(securityTxtValues(file, "canonical"), [url, finalUrl]),
      ...defectFaults(file.defects),
    ];
    const languages = securityTxtValues(file, "preferred-languages").length;
    // RFC 9116 section 2.5.8 allows the field at most once.
    if (languages > 1) faults.push({ code: "security.security-txt.languages-repeated", values: { total: languages } });
    const expires = suggestedExpiry(subject.scannedAt);
    return violatedBy(faults.map(({ code, values }) => ({ code, values: { expires, ...values, fileUrl: finalUrl } })));
  },
});

/** RFC 9116 section 2.5.5: exactly once, and not in the past. The distance to the future is only a recommendation. */
function expiresFaults(values: readonly string[], now: string): Found<Code>[] {
  const [value, ...others] = values;
  if (value === undefined) return [{ code: "security.security-txt.expires-missing" }];
  if (others.length > 0) return [{ code: "security.security-txt.expires-repeated", values: { total: values.length } }];
  const expiresMs = parseInternetDate(value);
  if (expiresMs === null) return [{ code: "security.security-txt.expires-malformed", values: { value } }];
  return expiresMs < Date.parse(now) ? [{ code: "security.security-txt.expires-past", values: { value } }] : [];
}

/** RFC 9116 section 2.5.2: if canonical URLs are given, the fetched URL must be one of them. */
function canonicalFaults(values: readonly string[], fetchedFrom: readonly string[]): Found<Code>[] {
  if (values.length === 0 || values.some((value) => fetchedFrom.includes(URL.parse(value)?.href ?? ""))) return [];
  return [{ code: "security.security-txt.canonical-mismatch", values: { canonical: values.join(", ") } }];
}

/** One finding per kind of defect, with its first line and the number of lines. */
function defectFaults(defects: readonly SecurityTxtDefect[]): Found<Code>[] {
  const byKind = Map.groupBy(defects, ({ kind }) => kind);
  return [...byKind].map(([kind, of]) => ({
    code: `security.security-txt.${kind}`,
    values: { line: of[0]?.line ?? 0, text: of[0]?.text ?? "", total: of.length },
  }));
}
