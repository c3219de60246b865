/** Checks that the site sends an HSTS header that does not switch HSTS off. */
import { notApplicable, notChecked, passed, registerCheck, replaceHeader, setHeader, violated } from "assay/check";
import { firstHttpsUrl, hstsHost, parseHsts, preloadListDate, preloadState } from "assay/check/parsers";

const definition = { severity: "high", riskLevel: "medium", effort: "low", cwe: 319, weight: 12, scoreCap: 87 } as const;

export default registerCheck({
  key: "strict-transport-security",
  weight: 6,
  area: "hsts",
  standards: ["RFC 6797 section 7.1", "RFC 6797 section 8.1"],
  appliesTo: ["https"],
  reads: ["navigation"],
  consults: ["hstsPreload"],
  headers: ["strict-transport-security"],
  headersFrom: "first-https",
  findings: {
    "security.missing-header.strict-transport-security": definition,
    "security.hsts.disabled": definition,
  },
  fixes: {
    "security.missing-header.strict-transport-security": [setHeader("Strict-Transport-Security", "max-age=31536000")],
    "security.hsts.disabled": [replaceHeader("Strict-Transport-Security", "max-age=31536000")],
  },
  judge({ subject, navigation, hstsPreload, headers }) {
    const host = hstsHost(subject, navigation);
    if (host === null) return notApplicable();
    const [value] = headers["strict-transport-security"];
    if (value !== undefined) {
      const policy = parseHsts(value);
      // RFC 6797 section 6.1.1: zero removes the policy.
      const isDisabled = "maxAgeSeconds" in policy && policy.maxAgeSeconds === 0;
      return isDisabled ? violated("security.hsts.disabled", { value }) : passed();
    }
    // A preloaded host needs no header. The list was asked about the scanned host only; for another one, the header counts as missing.
    const preload = host === subject.host ? preloadState(subject, hstsPreload) : "absent";
    if (preload !== "absent") return preload === "preloaded" ? passed() : notChecked();
    const answeredAt = firstHttpsUrl(subject, navigation) ?? "";
    return violated("security.missing-header.strict-transport-security", { answeredAt, listDate: preloadListDate(hstsPreload) });
  },
});
