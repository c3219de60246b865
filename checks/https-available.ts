/** Checks that visitors reach an https page. */
import { passed, registerCheck, useCertificate, violated } from "assay/check";
import { isHttps } from "assay/check/parsers";

export default registerCheck({
  key: "https-available",
  weight: 10,
  area: "transport",
  standards: ["RFC 9110 section 4.2.2"],
  reads: ["navigation"],
  // Without https the rows on TLS, HSTS, secure cookies and mixed content do not apply. This finding charges for them.
  findings: {
    "security.transport.no-https": { severity: "critical", riskLevel: "high", effort: "medium", cwe: 319, weight: 30, scoreCap: 20 },
  },
  fixes: [useCertificate("{{host}}", "listen")],
  judge({ navigation: { finalUrl } }) {
    return isHttps(finalUrl) ? passed() : violated("security.transport.no-https", { finalUrl });
  },
});
