/** Checks that the server rejects TLS 1.0 and 1.1, which RFC 8996 deprecates. */
import { modernProtocols, notChecked, passed, registerCheck, violated } from "assay/check";

const legacyVersions = ["1.0", "1.1"] as const;

export default registerCheck({
  key: "tls-legacy-protocols",
  weight: 5,
  area: "transport",
  standards: ["RFC 8996"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.legacy-protocol-accepted": { severity: "high", riskLevel: "medium", effort: "low", cwe: 327 },
  },
  fixes: [modernProtocols],
  judge({ tls: { host, versions } }) {
    const accepted = legacyVersions.filter((version) => versions[version] === "accepted");
    if (accepted.length > 0) {
      const names = accepted.map((version) => `TLS ${version}`).join(", ");
      return violated("security.tls.legacy-protocol-accepted", { tlsHost: host, versions: names });
    }
    return legacyVersions.some((version) => versions[version] === "unknown") ? notChecked() : passed();
  },
});
