/** Does the HSTS policy cover the subdomains too? */
import { notApplicable, passed, registerCheck, violated } from "assay/check";
import { hstsHost, parseHsts } from "assay/check/parsers";

export default registerCheck({
  key: "hsts-include-subdomains",
  weight: 1,
  area: "hsts",
  standards: ["RFC 6797 section 6.1.2"],
  appliesTo: ["https"],
  reads: ["navigation", "page"],
  consults: ["hstsPreload"],
  headers: ["strict-transport-security"],
  headersFrom: "first-https",
  findings: {
    "security.hsts.subdomains-not-included": { severity: "low", riskLevel: "low", effort: "medium" },
  },
  judge({ subject, navigation, page, hstsPreload, headers }) {
    const [value] = headers["strict-transport-security"];
    const host = hstsHost(subject, navigation, page);
    if (value === undefined || host === null) return notApplicable();
    const policy = parseHsts(value);
    // Without a policy in force there is nothing to extend; hsts-effective says so.
    if ("defect" in policy || policy.maxAgeSeconds === 0) return notApplicable();
    if (policy.includeSubDomains) return passed();
    // Entries of the browsers' own list reach down to the subdomains, those of whole top-level domains such as "dev" first of all.
    // What it holds is known of the scanned host only.
    if (host === subject.host && hstsPreload.status === "read" && hstsPreload.facts.hostPreloaded) return notApplicable();
    return violated("security.hsts.subdomains-not-included", { value, hstsHost: host });
  },
});
