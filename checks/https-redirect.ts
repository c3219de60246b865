/** Does port 80 lead to https on the same host at once? */
import { notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";
import { hostOf, isHttps, redirectTarget, saysNothingOfSite } from "assay/check/parsers";

export default registerCheck({
  key: "https-redirect",
  weight: 6,
  area: "hsts",
  standards: ["RFC 6797 section 7.2"],
  // Not the browser's chain: on a preloaded host the browser never asks port 80.
  reads: ["plainHttp"],
  findings: {
    "security.transport.no-https-redirect": { severity: "high", riskLevel: "high", effort: "low" },
    "security.transport.redirect-to-http": { severity: "high", riskLevel: "medium", effort: "low" },
    "security.transport.redirect-to-other-host": { severity: "medium", riskLevel: "medium", effort: "low" },
  },
  judge({ plainHttp: { outcome, answers } }) {
    if (outcome === "custom-port") return notApplicable();
    // Nothing listens, so nothing is served in plain text.
    if (outcome === "refused") return passed();
    const [first] = answers;
    if (first === undefined || saysNothingOfSite(first.status)) return notChecked();

    const target = redirectTarget(first);
    const values = { plainUrl: first.url, status: first.status };
    if (target === null) return violated("security.transport.no-https-redirect", values);
    if (!isHttps(target)) return violated("security.transport.redirect-to-http", { ...values, target });
    // HSTS of the other host does not cover this one, so each later visit by http starts in plain text again.
    if (hostOf(target) !== hostOf(first.url)) return violated("security.transport.redirect-to-other-host", { ...values, target });
    return passed();
  },
});
