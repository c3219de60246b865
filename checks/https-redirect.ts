/** Checks that port 80 redirects directly to https on the same host. */
import { notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";
import { hostOf, isHttps, isInconclusiveStatus, redirectTarget } from "assay/check/parsers";

export default registerCheck({
  key: "https-redirect",
  weight: 6,
  area: "hsts",
  standards: ["RFC 6797 section 7.2"],
  // The browser's chain does not suffice: browsers skip port 80 on preloaded hosts.
  reads: ["plainHttp"],
  findings: {
    "security.transport.no-https-redirect": { severity: "high", riskLevel: "high", effort: "low" },
    "security.transport.redirect-to-http": { severity: "high", riskLevel: "medium", effort: "low" },
    "security.transport.redirect-to-other-host": { severity: "medium", riskLevel: "medium", effort: "low" },
  },
  judge({ plainHttp: { outcome, answers } }) {
    if (outcome === "custom-port") return notApplicable();
    // Without a server on port 80, nothing is sent in plain text.
    if (outcome === "refused") return passed();
    const [first] = answers;
    if (first === undefined || isInconclusiveStatus(first.status)) return notChecked();

    const target = redirectTarget(first);
    const values = { plainUrl: first.url, status: first.status };
    if (target === null) return violated("security.transport.no-https-redirect", values);
    if (!isHttps(target)) return violated("security.transport.redirect-to-http", { ...values, target });
    // The other host's HSTS policy does not cover this host. Each later visit over http starts in plain text.
    if (hostOf(target) !== hostOf(first.url)) return violated("security.transport.redirect-to-other-host", { ...values, target });
    return passed();
  },
});
