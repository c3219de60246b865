/** Checks that the certificate covers the host. */
import { notChecked, passed, registerCheck, useCertificate, violated } from "assay/check";

/** Enough to recognize the certificate's owner. */
const namesQuotedMax = 5;

export default registerCheck({
  key: "tls-hostname-match",
  weight: 10,
  area: "transport",
  standards: ["RFC 9525"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.certificate-name-mismatch": { severity: "critical", riskLevel: "high", effort: "low", cwe: 297, scoreCap: 20 },
    "security.tls.certificate-without-names": { severity: "critical", riskLevel: "high", effort: "low", cwe: 297, scoreCap: 20 },
  },
  fixes: {
    "security.tls.certificate-name-mismatch": [useCertificate("{{tlsHost}}", "name")],
  },
  judge({ tls: { host, hostMatches, chain } }) {
    if (hostMatches) return passed();
    const [leaf] = chain;
    if (leaf === undefined) return notChecked();
    // RFC 9525 section 2: the common name does not count, and browsers ignore it.
    if (leaf.names.length === 0) return violated("security.tls.certificate-without-names", { tlsHost: host, subject: leaf.subject });
    const count = leaf.names.length + leaf.namesDropped;
    const names = leaf.names.slice(0, namesQuotedMax).join(", ") + (count > namesQuotedMax ? ", ..." : "");
    return violated("security.tls.certificate-name-mismatch", { tlsHost: host, names, count });
  },
});
