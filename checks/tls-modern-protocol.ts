/** Checks that the server supports TLS 1.2 or 1.3. */
import { modernProtocols, notChecked, passed, registerCheck, violated } from "assay/check";

const modernVersions = ["1.2", "1.3"] as const;

export default registerCheck({
  key: "tls-modern-protocol",
  weight: 5,
  area: "transport",
  standards: ["RFC 9325 section 3.1.1"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.modern-protocol-missing": { severity: "high", riskLevel: "high", effort: "medium", cwe: 327 },
  },
  fixes: [modernProtocols],
  judge({ tls: { host, negotiated, versions } }) {
    if (modernVersions.some((version) => versions[version] === "accepted")) return passed();
    if (modernVersions.some((version) => versions[version] === "unknown")) return notChecked();
    return violated("security.tls.modern-protocol-missing", { tlsHost: host, negotiated: negotiated.protocol });
  },
});
