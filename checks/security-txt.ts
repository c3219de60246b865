/** Checks that researchers find a contact in /.well-known/security.txt. */
import { type Found, notChecked, redirectPath, registerCheck, setPathType, violated, violatedBy } from "assay/check";
import {
  charsetOfMediaType,
  foundSecurityTxt,
  isHttps,
  isPlainText,
  parseSecurityTxt,
  securityTxtValues,
  suggestedExpiry,
} from "assay/check/parsers";

type Code =
  | "security.security-txt.missing"
  | "security.security-txt.wrong-place"
  | "security.security-txt.redirect-to-http"
  | "security.security-txt.content-type"
  | "security.security-txt.charset"
  | "security.security-txt.contact-missing";

const definition = { severity: "low", riskLevel: "low", effort: "low" } as const;

export default registerCheck({
  key: "security-txt",
  weight: 2,
  area: "disclosure",
  standards: ["RFC 9116 section 3"],
  appliesTo: ["public-name"],
  reads: ["securityTxt"],
  findings: {
    "security.security-txt.missing": { ...definition, weight: 3 },
    "security.security-txt.wrong-place": definition,
    "security.security-txt.redirect-to-http": definition,
    "security.security-txt.content-type": definition,
    "security.security-txt.charset": definition,
    "security.security-txt.contact-missing": definition,
  },
  fixes: {
    "security.security-txt.wrong-place": [redirectPath("/security.txt", "/.well-known/security.txt")],
    "security.security-txt.content-type": [setPathType("/.well-known/security.txt", "text/plain; charset=utf-8")],
    "security.security-txt.charset": [setPathType("/.well-known/security.txt", "text/plain; charset=utf-8")],
  },
  judge({ subject, securityTxt }) {
    const values = { registrableDomain: subject.registrableDomain ?? subject.host, expires: suggestedExpiry(subject.scannedAt) };
    const found = foundSecurityTxt(securityTxt);
    if (found.at === "unknown") return notChecked();
    if (found.at === "nowhere") return violated("security.security-txt.missing", values);
    const { url, finalUrl, contentType, body, truncated } = found.attempt;
    if (found.at === "root") return violated("security.security-txt.wrong-place", { ...values, fileUrl: url });

    const faults: Found<Code>[] = [];
    const tell = (code: Code, more = {}) => faults.push({ code, values: { ...values, fileUrl: finalUrl, ...more } });
    if (!isHttps(finalUrl)) tell("security.security-txt.redirect-to-http");
    if (!isPlainText(contentType)) tell("security.security-txt.content-type", { contentType: contentType ?? "-" });
    else if (!isUtf8(contentType ?? "")) tell("security.security-txt.charset", { contentType: contentType ?? "-" });
    const hasContact = securityTxtValues(parseSecurityTxt(body), "contact").length > 0;
    if (!hasContact && !truncated) tell("security.security-txt.contact-missing");
    return faults.length === 0 && !hasContact ? notChecked() : violatedBy(faults);
  },
});

/** RFC 9116 section 3 requires UTF-8, which is also the default; US-ASCII is a subset. */
function isUtf8(contentType: string): boolean {
  const charset = charsetOfMediaType(contentType);
  return charset === null || /^(?:utf-?8|us-ascii)$/i.test(charset);
}
