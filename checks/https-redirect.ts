/** Checks that port 80 redirects directly to https on the same host. */
import { notApplicable, notChecked, passed, redirectToHttps, registerCheck, violated } from "assay/check";
import { hostOf, isHttps, isInconclusiveStatus, redirectsAmong, redirectTarget } from "assay/check/parsers";

export default registerCheck({
  key: "https-redirect",
  weight: 6,
  area: "hsts",
  standards: ["RFC 6797 section 7.2"],
  // The browser's chain does not suffice: browsers skip port 80 on preloaded hosts.
  reads: ["plainHttp"],
  findings: {
    "security.transport.no-https-redirect": { severity: "high", riskLevel: "high", effort: "low", cwe: 319 },
    "security.transport.redirect-to-http": { severity: "high", riskLevel: "medium", effort: "low", cwe: 319 },
    "security.transport.redirect-late": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 319, weight: 3 },
    "security.transport.redirect-to-other-host": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 319, weight: 3 },
    "security.transport.plain-http-error": { severity: "low", riskLevel: "low", effort: "low", weight: 1 },
  },
  fixes: [redirectToHttps],
  judge({ plainHttp: { outcome, answers, stoppedBecause } }) {
    if (outcome === "custom-port") return notApplicable();
    // Without a server on port 80, nothing is sent in plain text.
    if (outcome === "refused") return passed();
    const [first] = answers;
    if (first === undefined || isInconclusiveStatus(first.status)) return notChecked();

    const target = redirectTarget(first);
    const values = { plainUrl: first.url, status: first.status };
    // An error page shows nothing of the site, but an attacker on the network can still answer in its place.
    if (target === null && first.status >= 400) return violated("security.transport.plain-http-error", values);
    if (target === null) return violated("security.transport.no-https-redirect", values);
    if (!isHttps(target)) {
      const secure = redirectsAmong(answers).find(({ to }) => isHttps(to));
      if (secure !== undefined) return violated("security.transport.redirect-late", { ...values, target, secureUrl: secure.to });
      return stoppedBecause === "connection-failed" ? notChecked() : violated("security.transport.redirect-to-http", { ...values, target });
    }
    // The other host's HSTS policy does not cover this host. Each later visit over http starts in plain text.
    if (hostOf(target) !== hostOf(first.url)) return violated("security.transport.redirect-to-other-host", { ...values, target });
    return passed();
  },
});
