/** Checks that the negotiated cipher suite has forward secrecy and authenticated encryption. */
import { findingIf, modernCiphers, modernProtocols, type NavigationFacts, notChecked, registerCheck, violatedBy } from "assay/check";
import { hostOf } from "assay/check/parsers";

type Security = NonNullable<NavigationFacts["security"]>;

export default registerCheck({
  key: "tls-cipher-negotiated",
  weight: 2,
  area: "transport",
  standards: ["RFC 9325 section 4"],
  appliesTo: ["https"],
  reads: ["navigation"],
  findings: {
    "security.tls.forward-secrecy-missing": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 327 },
    "security.tls.authenticated-encryption-missing": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 327 },
  },
  // chromium/hstspreload uses the same rule for modern suites.
  fixes: [modernProtocols, modernCiphers],
  judge({ navigation: { finalUrl, security } }) {
    if (security === null) return notChecked();
    const [forwardSecret, authenticated] = [hasForwardSecrecy(security), hasAuthenticatedEncryption(security)];
    const { protocol, cipher, keyExchange } = security;
    const values = { tlsHost: hostOf(finalUrl) ?? finalUrl, protocol, cipher, keyExchange };
    const found = [
      ...findingIf(forwardSecret === false, "security.tls.forward-secrecy-missing", values),
      ...findingIf(authenticated === false, "security.tls.authenticated-encryption-missing", values),
    ];
    return violatedBy(found, forwardSecret !== null && authenticated !== null);
  },
});

/** TLS 1.3 and QUIC always have it (RFC 8446, RFC 9001); earlier versions depend on the key exchange. Null for an unknown key exchange. */
function hasForwardSecrecy({ protocol, keyExchange }: Security): boolean | null {
  if (protocol === "TLS 1.3" || protocol === "QUIC") return true;
  if (/^(ECDHE|DHE)(_|$)/.test(keyExchange)) return true;
  return keyExchange === "RSA" ? false : null;
}

function hasAuthenticatedEncryption({ cipher }: Security): boolean | null {
  if (/_GCM$|_CCM(_8)?$|^CHACHA20_POLY1305$/.test(cipher)) return true;
  return /CBC|RC4|NULL/.test(cipher) ? false : null;
}
