/** Checks that browsers accept the HSTS policy and keep it long enough. */
import { finding, findingIf, notApplicable, notChecked, passed, registerCheck, replaceHeader, violatedBy } from "assay/check";
import {
  dayMs,
  hstsHost,
  hstsMaxAgeSecondsMin,
  isCertificateRejected,
  isCertificateUnread,
  parseHsts,
  preloadState,
} from "assay/check/parsers";

/** Browsers ignore the header, so it protects as little as none. */
const ineffective = { severity: "high", riskLevel: "medium", effort: "low", cwe: 319, weight: 10, scoreCap: 87 } as const;

const validHeader = replaceHeader("Strict-Transport-Security", "max-age=31536000");

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
    "security.hsts.directive-repeated": [validHeader],
    "security.hsts.duplicate-header": [validHeader],
    "security.hsts.max-age-missing": [validHeader],
    "security.hsts.max-age-too-short": [validHeader],
    "security.hsts.unparseable": [validHeader],
  },
  judge({ subject, navigation, tls, hstsPreload, headers }) {
    // RFC 6797 section 8.1: browsers process only the first of several fields.
    const [value, ...more] = headers["strict-transport-security"];
    const host = hstsHost(subject, navigation);
    if (value === undefined || host === null || isDisabled(value)) return notApplicable();
    // Browsers keep the policy of their list, whatever a header adds to it. A header that fails must not cost more than none.
    const preload = host === subject.host ? preloadState(subject, hstsPreload) : "absent";
    if (preload === "preloaded") return passed();

    // RFC 6797 section 8.1: browsers reject a policy received with a certificate warning. Only one endpoint is probed, possibly of another
    // host.
    const isRejected = isCertificateRejected(tls, host, subject.scannedAt);
    const found = [
      ...faultsOf(value),
      ...findingIf(more.length > 0, "security.hsts.duplicate-header", { value, count: more.length + 1 }),
      ...findingIf(isRejected, "security.hsts.certificate-not-accepted", { value, hstsHost: host }),
    ];
    const isUndecided = found.length === 0 ? isCertificateUnread(tls) : preload === "unknown";
    return isUndecided ? notChecked() : violatedBy(found);
  },
});

/** RFC 6797 section 6.1.1: zero removes the policy. strict-transport-security reports that. */
function isDisabled(value: string): boolean {
  const policy = parseHsts(value);
  return "maxAgeSeconds" in policy && policy.maxAgeSeconds === 0;
}

function faultsOf(value: string) {
  const parsed = parseHsts(value);
  if ("defect" in parsed) return [finding(codesByDefect[parsed.defect], { value })];
  const { maxAgeSeconds } = parsed;
  const days = Math.floor((maxAgeSeconds * 1_000) / dayMs);
  return findingIf(maxAgeSeconds < hstsMaxAgeSecondsMin, "security.hsts.max-age-too-short", { value, maxAgeSeconds, days });
}

const codesByDefect = {
  syntax: "security.hsts.unparseable",
  "max-age-malformed": "security.hsts.unparseable",
  "max-age-missing": "security.hsts.max-age-missing",
  "repeated-directive": "security.hsts.directive-repeated",
} as const;
