/** Checks that researchers find a contact in /.well-known/security.txt. */
import { finding, findingIf, notChecked, redirectPath, registerCheck, setPathType, violated, violatedBy } from "assay/check";
import {
  charsetOfMediaType,
  foundSecurityTxt,
  hostOf,
  isPlainText,
  parseSecurityTxt,
  securityTxtValues,
  suggestedExpiry,
  unsafeHops,
} from "assay/check/parsers";

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
    "security.security-txt.certificate-not-accepted": { ...definition, weight: 3 },
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
    const place = foundSecurityTxt(securityTxt);
    if (place.at === "unknown") return notChecked();
    if (place.at === "nowhere") return violated("security.security-txt.missing", values);
    const { url, finalUrl, contentType, body, truncated } = place.attempt;
    const { refused, plain, isUnread } = unsafeHops(place.attempt);
    const refusedAt = { ...values, fileUrl: url, refusedUrl: refused ?? "", refusedHost: hostOf(refused ?? "") ?? "" };
    const untrusted = findingIf(refused !== null, "security.security-txt.certificate-not-accepted", refusedAt);
    if (place.at === "root") {
      return violatedBy([finding("security.security-txt.wrong-place", { ...values, fileUrl: url }), ...untrusted]);
    }
    const redirected = findingIf(plain !== null, "security.security-txt.redirect-to-http", { ...values, fileUrl: plain ?? "" });
    // Clients that check certificates stop here: what the file says is nothing that the site vouches for.
    if (refused !== null) return violatedBy([...untrusted, ...redirected]);

    const hasContact = securityTxtValues(parseSecurityTxt(body), "contact").length > 0;
    const file = { ...values, fileUrl: finalUrl };
    const typed = { ...file, contentType: contentType ?? "-" };
    const isText = isPlainText(contentType);
    const found = [
      ...redirected,
      ...findingIf(!isText, "security.security-txt.content-type", typed),
      ...findingIf(isText && !isUtf8(contentType ?? ""), "security.security-txt.charset", typed),
      ...findingIf(!hasContact && !truncated, "security.security-txt.contact-missing", file),
    ];
    return violatedBy(found, hasContact && !isUnread);
  },
});

/** RFC 9116 section 3 requires UTF-8, which is also the default; US-ASCII is a subset. */
function isUtf8(contentType: string): boolean {
  const charset = charsetOfMediaType(contentType);
  return charset === null || /^(?:utf-?8|us-ascii)$/i.test(charset);
}
