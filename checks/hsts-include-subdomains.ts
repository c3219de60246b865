/** Checks that the HSTS policy covers subdomains. */
import { notApplicable, passed, registerCheck, violated } from "assay/check";
import { hstsHost, parseHsts } from "assay/check/parsers";

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
    "security.hsts.subdomains-not-included": { severity: "low", riskLevel: "low", effort: "medium" },
  },
  judge({ subject, navigation, hstsPreload, headers }) {
    const [value] = headers["strict-transport-security"];
    const host = hstsHost(subject, navigation);
    if (value === undefined || host === null) return notApplicable();
    const policy = parseHsts(value);
    // Without an effective policy there is nothing to extend; hsts-effective reports that.
    if ("defect" in policy || policy.maxAgeSeconds === 0) return notApplicable();
    if (policy.includeSubDomains) return passed();
    // Preload list entries usually cover subdomains, such as those of the top-level domain "dev". The preload status is known only for the
    // scanned host.
    if (host === subject.host && hstsPreload.status === "read" && hstsPreload.facts.hostPreloaded) return notApplicable();
    return violated("security.hsts.subdomains-not-included", { value, hstsHost: host });
  },
});
