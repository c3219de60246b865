/** Checks that security.txt is valid and current. */
import { finding, findingIf, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import {
  foundSecurityTxt,
  parseInternetDate,
  parseSecurityTxt,
  type SecurityTxtDefect,
  securityTxtValues,
  suggestedExpiry,
  unsafeHops,
} from "assay/check/parsers";

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
    if (found.at === "unknown") return notChecked();
    const { refused, isUnread } = unsafeHops(found.attempt);
    // Clients that check certificates get no file from there.
    if (refused !== null) return notApplicable();
    if (found.attempt.truncated) return notChecked();
    const { url, finalUrl, body } = found.attempt;
    const file = parseSecurityTxt(body);
    const languages = securityTxtValues(file, "preferred-languages").length;
    const faults = [
      ...expiresFaults(securityTxtValues(file, "expires"), subject.scannedAt),
      ...canonicalFaults(securityTxtValues(file, "canonical"), [url, finalUrl]),
      ...defectFaults(file.defects),
      // RFC 9116 section 2.5.8 allows the field at most once.
      ...findingIf(languages > 1, "security.security-txt.languages-repeated", { total: languages }),
    ];
    const expires = suggestedExpiry(subject.scannedAt);
    const told = faults.map(({ code, values }) => finding(code, { expires, ...values, fileUrl: finalUrl }));
    return violatedBy(told, !isUnread);
  },
});

/** RFC 9116 section 2.5.5: exactly once, and not in the past. The distance to the future is only a recommendation. */
function expiresFaults(values: readonly string[], now: string) {
  const [value, ...others] = values;
  if (value === undefined) return [finding("security.security-txt.expires-missing")];
  if (others.length > 0) return [finding("security.security-txt.expires-repeated", { total: values.length })];
  const expiresMs = parseInternetDate(value);
  if (expiresMs === null) return [finding("security.security-txt.expires-malformed", { value })];
  return findingIf(expiresMs < Date.parse(now), "security.security-txt.expires-past", { value });
}

/** RFC 9116 section 2.5.2: if canonical URLs are given, the fetched URL must be one of them. */
function canonicalFaults(values: readonly string[], fetchedFrom: readonly string[]) {
  const isMismatch = values.length > 0 && !values.some((value) => fetchedFrom.includes(URL.parse(value)?.href ?? ""));
  return findingIf(isMismatch, "security.security-txt.canonical-mismatch", { canonical: values.join(", ") });
}

/** One finding per kind of defect, with its first line and the number of lines. */
function defectFaults(defects: readonly SecurityTxtDefect[]) {
  const byKind = Map.groupBy(defects, ({ kind }) => kind);
  return [...byKind].map(([kind, [first, ...others]]) =>
    finding(`security.security-txt.${kind}`, { line: first?.line ?? 0, text: first?.text ?? "", total: 1 + others.length }),
  );
}
