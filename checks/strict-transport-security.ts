/** Checks that the site sends an HSTS header. */
import { notApplicable, passed, registerCheck, violated } from "assay/check";
import { firstHttpsUrl, hstsHost } from "assay/check/parsers";

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
    "security.missing-header.strict-transport-security": { severity: "high", riskLevel: "medium", effort: "low" },
  },
  judge({ subject, navigation, hstsPreload, headers }) {
    const host = hstsHost(subject, navigation);
    if (host === null) return notApplicable();
    if (headers["strict-transport-security"].length > 0) return passed();
    // A preloaded host needs no header. The preload status is known only for the scanned host. If it is unknown the header still counts as
    // missing, because not every browser has the list.
    if (host === subject.host && hstsPreload.status === "read" && hstsPreload.facts.hostPreloaded) return passed();
    const answeredAt = firstHttpsUrl(subject, navigation) ?? "";
    return violated("security.missing-header.strict-transport-security", { answeredAt });
  },
});
