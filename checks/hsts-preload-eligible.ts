/** Checks that the domain meets the requirements of the browsers' HSTS preload list (chromium/hstspreload). */
import {
  finding,
  findingIf,
  notApplicable,
  notChecked,
  type PlainHttpFacts,
  passed,
  type Reading,
  redirectToHttps,
  registerCheck,
  replaceHeader,
  violatedBy,
} from "assay/check";
import {
  browserRedirects,
  hostOf,
  hstsHost,
  isCertificateRejected,
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

const preloadHeader = replaceHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload", { optional: true });
const note = { severity: "info", riskLevel: "low", effort: "low", cwe: 319 } as const;

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
    "security.hsts.preload-certificate-not-accepted": note,
    "security.hsts.preload-header-invalid": note,
    "security.hsts.preload-max-age-too-short": note,
    "security.hsts.preload-no-same-host-redirect": note,
    "security.hsts.preload-not-requested": { ...note, effort: "medium" },
    "security.hsts.preload-redirect-chain": note,
    "security.hsts.preload-redirect-downgrade": note,
    "security.hsts.preload-without-subdomains": { ...note, effort: "medium" },
  },
  fixes: {
    "security.hsts.preload-header-invalid": [preloadHeader],
    "security.hsts.preload-max-age-too-short": [preloadHeader],
    "security.hsts.preload-no-same-host-redirect": [redirectToHttps],
    "security.hsts.preload-not-requested": [preloadHeader],
    "security.hsts.preload-redirect-chain": [redirectToHttps],
    "security.hsts.preload-without-subdomains": [preloadHeader],
  },
  judge({ subject, navigation, hstsPreload, plainHttp, tls, headers }) {
    // The list accepts only registrable domains.
    if (subject.host !== subject.registrableDomain) return notApplicable();
    const preload = preloadState(subject, hstsPreload);
    if (preload === "preloaded") return passed();

    const host = hstsHost(subject, navigation);
    // If another host answered first over https, this domain's own header is unknown.
    const fields = host === null || host === subject.host ? headers["strict-transport-security"] : null;
    const found = [
      ...(fields === null ? [] : headerFaults(fields, preloadListDate(hstsPreload))),
      ...redirectFaults(plainHttp, browserRedirects(navigation)),
      ...findingIf(isCertificateRejected(tls, subject.host, subject.scannedAt), "security.hsts.preload-certificate-not-accepted"),
    ];
    if (found.length === 0 && (fields === null || !isTestable(plainHttp) || isCertificateUnread(tls))) return notChecked();
    // A domain that may be on the list already needs nothing.
    if (found.length > 0 && preload === "unknown") return notChecked();
    // Other faults are irrelevant to a site that does not request preloading.
    const notRequested = found.filter(({ code }) => code === "security.hsts.preload-not-requested");
    return violatedBy(notRequested.length > 0 ? notRequested : found);
  },
});

function headerFaults(fields: readonly string[], listDate: string) {
  const [value] = fields;
  if (value === undefined) return [finding("security.hsts.preload-not-requested", { listDate })];
  const policy = parseHsts(value);
  if ("defect" in policy || fields.length > 1) return [finding("security.hsts.preload-header-invalid", { value, count: fields.length })];
  if (!policy.preload) return [finding("security.hsts.preload-not-requested", { listDate })];
  const { maxAgeSeconds, includeSubDomains } = policy;
  return [
    ...findingIf(maxAgeSeconds < maxAgeSecondsMin, "security.hsts.preload-max-age-too-short", { maxAgeSeconds }),
    ...findingIf(!includeSubDomains, "security.hsts.preload-without-subdomains", { value }),
  ];
}

function isTestable(plainHttp: Reading<PlainHttpFacts>): boolean {
  if (plainHttp.status === "failed") return false;
  const { outcome, answers, stoppedBecause } = plainHttp.facts;
  return outcome !== "custom-port" && stoppedBecause === null && !answers.some((answer) => isInconclusiveStatus(answer.status));
}

/** Without a server on port 80 no redirect is required. */
function redirectFaults(plainHttp: Reading<PlainHttpFacts>, byBrowser: readonly Redirect[]) {
  const answers = plainHttp.status === "read" ? plainHttp.facts.answers : [];
  const byPlainHttp = redirectsAmong(answers);
  const [start] = answers;
  const target = byPlainHttp[0]?.to;
  const isDirect = target !== undefined && isHttps(target) && hostOf(target) === hostOf(start?.url ?? "");
  const isMissing = start !== undefined && !isInconclusiveStatus(start.status) && !isDirect;
  const insecure = [...byBrowser, ...byPlainHttp].find(({ from, to }) => isHttps(from) && !isHttps(to));
  const count = Math.max(byBrowser.length, byPlainHttp.length);
  return [
    ...findingIf(isMissing, "security.hsts.preload-no-same-host-redirect", { target: target ?? start?.url ?? "" }),
    ...findingIf(insecure !== undefined, "security.hsts.preload-redirect-downgrade", { ...insecure }),
    ...findingIf(count > redirectsMax, "security.hsts.preload-redirect-chain", { count }),
  ];
}
