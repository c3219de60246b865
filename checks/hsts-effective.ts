/** Checks that browsers accept the HSTS policy and keep it long enough. */
import { type Found, notApplicable, notChecked, passed, registerCheck, replaceHeader, violatedBy } from "assay/check";
import {
  dayMs,
  hstsHost,
  hstsMaxAgeSecondsMin,
  isCertificateAccepted,
  isCertificateUnread,
  parseHsts,
  preloadState,
} from "assay/check/parsers";

type Code =
  | "security.hsts.certificate-not-accepted"
  | "security.hsts.directive-repeated"
  | "security.hsts.duplicate-header"
  | "security.hsts.max-age-missing"
  | "security.hsts.max-age-too-short"
  | "security.hsts.unparseable";

/** Browsers ignore the header, so it protects as little as none. */
const ineffective = { severity: "high", riskLevel: "medium", effort: "low", cwe: 319, weight: 10, scoreCap: 87 } as const;

export default registerCheck({
  key: "hsts-effective",
  weight: 4,
  area: "hsts",
  standards: ["RFC 6797 section 6.1", "RFC 6797 section 8.1"],
  appliesTo: ["https"],
  reads: ["navigation"],
  consults: ["tls", "hstsPreload"],
  headers: ["strict-transport-security"],
  headersFrom: "first-https",
  findings: {
    "security.hsts.certificate-not-accepted": ineffective,
    "security.hsts.directive-repeated": ineffective,
    "security.hsts.duplicate-header": { severity: "low", riskLevel: "low", effort: "low", cwe: 319 },
    "security.hsts.max-age-missing": ineffective,
    "security.hsts.max-age-too-short": { severity: "high", riskLevel: "medium", effort: "low", cwe: 319, scoreCap: 87 },
    "security.hsts.unparseable": ineffective,
  },
  fixes: {
    "security.hsts.directive-repeated": [replaceHeader("Strict-Transport-Security", "max-age=31536000")],
    "security.hsts.duplicate-header": [replaceHeader("Strict-Transport-Security", "max-age=31536000")],
    "security.hsts.max-age-missing": [replaceHeader("Strict-Transport-Security", "max-age=31536000")],
    "security.hsts.max-age-too-short": [replaceHeader("Strict-Transport-Security", "max-age=31536000")],
    "security.hsts.unparseable": [replaceHeader("Strict-Transport-Security", "max-age=31536000")],
  },
  judge({ subject, navigation, tls, hstsPreload, headers }) {
    // RFC 6797 section 8.1: browsers process only the first of several fields.
    const [value, ...more] = headers["strict-transport-security"];
    const host = hstsHost(subject, navigation);
    if (value === undefined || host === null || isDisabled(value)) return notApplicable();
    // Browsers keep the policy of their list, whatever a header adds to it. A header that fails must not cost more than none.
    const preload = host === subject.host ? preloadState(subject, hstsPreload) : "absent";
    if (preload === "preloaded") return passed();

    const found: Found<Code>[] = faultsOf(value);
    if (more.length > 0) found.push({ code: "security.hsts.duplicate-header", values: { value, count: more.length + 1 } });
    // RFC 6797 section 8.1: browsers reject a policy received with a certificate warning. Only one endpoint is probed, possibly of another
    // host.
    if (tls.status === "read" && tls.facts.host === host && !isCertificateAccepted(tls.facts, subject.scannedAt))
      found.push({ code: "security.hsts.certificate-not-accepted", values: { value, hstsHost: host } });

    const isUndecided = found.length === 0 ? isCertificateUnread(tls) : preload === "unknown";
    return isUndecided ? notChecked() : violatedBy(found);
  },
});

/** RFC 6797 section 6.1.1: zero removes the policy. strict-transport-security reports that. */
function isDisabled(value: string): boolean {
  const policy = parseHsts(value);
  return "maxAgeSeconds" in policy && policy.maxAgeSeconds === 0;
}

function faultsOf(value: string): Found<Code>[] {
  const parsed = parseHsts(value);
  if ("defect" in parsed) return [{ code: codesByDefect[parsed.defect], values: { value } }];
  const { maxAgeSeconds } = parsed;
  if (maxAgeSeconds < hstsMaxAgeSecondsMin)
    return [
      { code: "security.hsts.max-age-too-short", values: { value, maxAgeSeconds, days: Math.floor((maxAgeSeconds * 1_000) / dayMs) } },
    ];
  return [];
}

const codesByDefect = {
  syntax: "security.hsts.unparseable",
  "max-age-malformed": "security.hsts.unparseable",
  "max-age-missing": "security.hsts.max-age-missing",
  "repeated-directive": "security.hsts.directive-repeated",
} as const;
