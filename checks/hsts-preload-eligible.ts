/** Checks that the domain meets the requirements of the browsers' HSTS preload list (chromium/hstspreload). */
import {
  type Found,
  notApplicable,
  notChecked,
  type PlainHttpFacts,
  passed,
  type Reading,
  redirectToHttps,
  registerCheck,
  replaceHeader,
  violated,
  violatedBy,
} from "assay/check";
import {
  browserRedirects,
  hostOf,
  hstsHost,
  isCertificateAccepted,
  isCertificateUnread,
  isHttps,
  isInconclusiveStatus,
  parseHsts,
  preloadListDate,
  preloadState,
  type Redirect,
  redirectsAmong,
} from "assay/check/parsers";

/** One year. */
const maxAgeSecondsMin = 31_536_000;
const redirectsMax = 3;

type Code =
  | "security.hsts.preload-certificate-not-accepted"
  | "security.hsts.preload-header-invalid"
  | "security.hsts.preload-max-age-too-short"
  | "security.hsts.preload-no-same-host-redirect"
  | "security.hsts.preload-not-requested"
  | "security.hsts.preload-redirect-chain"
  | "security.hsts.preload-redirect-downgrade"
  | "security.hsts.preload-without-subdomains";

export default registerCheck({
  key: "hsts-preload-eligible",
  // Preloading is optional, and it cannot be undone quickly.
  weight: 0,
  area: "hsts",
  standards: ["hstspreload.org: submission requirements"],
  appliesTo: ["public-name"],
  reads: ["navigation"],
  consults: ["hstsPreload", "plainHttp", "tls"],
  headers: ["strict-transport-security"],
  headersFrom: "first-https",
  findings: {
    "security.hsts.preload-certificate-not-accepted": { severity: "info", riskLevel: "low", effort: "low", cwe: 319 },
    "security.hsts.preload-header-invalid": { severity: "info", riskLevel: "low", effort: "low", cwe: 319 },
    "security.hsts.preload-max-age-too-short": { severity: "info", riskLevel: "low", effort: "low", cwe: 319 },
    "security.hsts.preload-no-same-host-redirect": { severity: "info", riskLevel: "low", effort: "low", cwe: 319 },
    "security.hsts.preload-not-requested": { severity: "info", riskLevel: "low", effort: "medium", cwe: 319 },
    "security.hsts.preload-redirect-chain": { severity: "info", riskLevel: "low", effort: "low", cwe: 319 },
    "security.hsts.preload-redirect-downgrade": { severity: "info", riskLevel: "low", effort: "low", cwe: 319 },
    "security.hsts.preload-without-subdomains": { severity: "info", riskLevel: "low", effort: "medium", cwe: 319 },
  },
  fixes: {
    "security.hsts.preload-header-invalid": [
      replaceHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload", { optional: true }),
    ],
    "security.hsts.preload-max-age-too-short": [
      replaceHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload", { optional: true }),
    ],
    "security.hsts.preload-no-same-host-redirect": [redirectToHttps],
    "security.hsts.preload-not-requested": [
      replaceHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload", { optional: true }),
    ],
    "security.hsts.preload-redirect-chain": [redirectToHttps],
    "security.hsts.preload-without-subdomains": [
      replaceHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload", { optional: true }),
    ],
  },
  judge({ subject, navigation, hstsPreload, plainHttp, tls, headers }) {
    // The list accepts only registrable domains.
    if (subject.host !== subject.registrableDomain) return notApplicable();
    const preload = preloadState(subject, hstsPreload);
    if (preload === "preloaded") return passed();

    const host = hstsHost(subject, navigation);
    // If another host answered first over https, this domain's own header is unknown.
    const fields = host === null || host === subject.host ? headers["strict-transport-security"] : null;
    const found = [...(fields === null ? [] : headerFaults(fields)), ...redirectFaults(plainHttp, browserRedirects(navigation))];
    if (tls.status === "read" && tls.facts.host === subject.host && !isCertificateAccepted(tls.facts, subject.scannedAt))
      found.push({ code: "security.hsts.preload-certificate-not-accepted" });

    if (found.length === 0 && (fields === null || !isTestable(plainHttp) || isCertificateUnread(tls))) return notChecked();
    // A domain that may be on the list already needs nothing.
    if (found.length > 0 && preload === "unknown") return notChecked();
    // Other faults are irrelevant to a site that does not request preloading.
    if (found.some(({ code }) => code === "security.hsts.preload-not-requested"))
      return violated("security.hsts.preload-not-requested", { listDate: preloadListDate(hstsPreload) });
    return violatedBy(found);
  },
});

function headerFaults(fields: readonly string[]): Found<Code>[] {
  const [value] = fields;
  if (value === undefined) return [{ code: "security.hsts.preload-not-requested" }];
  const policy = parseHsts(value);
  if ("defect" in policy || fields.length > 1)
    return [{ code: "security.hsts.preload-header-invalid", values: { value, count: fields.length } }];
  if (!policy.preload) return [{ code: "security.hsts.preload-not-requested" }];
  const found: Found<Code>[] = [];
  if (policy.maxAgeSeconds < maxAgeSecondsMin)
    found.push({ code: "security.hsts.preload-max-age-too-short", values: { maxAgeSeconds: policy.maxAgeSeconds } });
  if (!policy.includeSubDomains) found.push({ code: "security.hsts.preload-without-subdomains", values: { value } });
  return found;
}

function isTestable(plainHttp: Reading<PlainHttpFacts>): boolean {
  if (plainHttp.status === "failed") return false;
  const { outcome, answers, stoppedBecause } = plainHttp.facts;
  return outcome !== "custom-port" && stoppedBecause === null && !answers.some((answer) => isInconclusiveStatus(answer.status));
}

/** Without a server on port 80 no redirect is required. */
function redirectFaults(plainHttp: Reading<PlainHttpFacts>, byBrowser: readonly Redirect[]): Found<Code>[] {
  const answers = plainHttp.status === "read" ? plainHttp.facts.answers : [];
  const byPlainHttp = redirectsAmong(answers);
  const found: Found<Code>[] = [];
  const [start] = answers;
  const target = byPlainHttp[0]?.to;
  if (
    start !== undefined &&
    !isInconclusiveStatus(start.status) &&
    (target === undefined || !isHttps(target) || hostOf(target) !== hostOf(start.url))
  )
    found.push({ code: "security.hsts.preload-no-same-host-redirect", values: { target: target ?? start.url } });
  const insecure = [...byBrowser, ...byPlainHttp].find(({ from, to }) => isHttps(from) && !isHttps(to));
  const count = Math.max(byBrowser.length, byPlainHttp.length);
  if (insecure !== undefined) found.push({ code: "security.hsts.preload-redirect-downgrade", values: { ...insecure } });
  if (count > redirectsMax) found.push({ code: "security.hsts.preload-redirect-chain", values: { count } });
  return found;
}
