/** Checks that the HSTS policy covers subdomains. */
import {
  type HstsPreloadFacts,
  notApplicable,
  notChecked,
  passed,
  type Reading,
  registerCheck,
  replaceHeader,
  violated,
} from "assay/check";
import { hstsHost, parseHsts, preloadState } from "assay/check/parsers";

export default registerCheck({
  key: "hsts-include-subdomains",
  weight: 1,
  area: "hsts",
  standards: ["RFC 6797 section 6.1.2"],
  appliesTo: ["https"],
  reads: ["navigation"],
  consults: ["hstsPreload"],
  headers: ["strict-transport-security"],
  headersFrom: "first-https",
  findings: {
    "security.hsts.subdomains-not-included": { severity: "low", riskLevel: "low", effort: "medium", cwe: 319 },
  },
  fixes: [replaceHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains")],
  judge({ subject, navigation, hstsPreload, headers }) {
    const [value] = headers["strict-transport-security"];
    const host = hstsHost(subject, navigation);
    if (value === undefined || host === null) return notApplicable();
    const policy = parseHsts(value);
    // Without an effective policy there is nothing to extend; hsts-effective reports that.
    if ("defect" in policy || policy.maxAgeSeconds === 0) return notApplicable();
    if (policy.includeSubDomains) return passed();
    // Most entries of the preload list cover subdomains. The list was asked about the scanned host only.
    if (host === subject.host && !isOwnEntryOnly(hstsPreload)) {
      const preload = preloadState(subject, hstsPreload);
      if (preload !== "absent") return preload === "preloaded" ? notApplicable() : notChecked();
    }
    return violated("security.hsts.subdomains-not-included", { value, hstsHost: host });
  },
});

function isOwnEntryOnly(hstsPreload: Reading<HstsPreloadFacts>): boolean {
  return hstsPreload.status === "read" && hstsPreload.facts.subdomainsPreloaded === false;
}
