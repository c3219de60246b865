/** Does the cipher suite that the browser agreed upon with the server have forward secrecy and authenticated encryption? */
import { type Found, type NavigationFacts, notChecked, registerCheck, violatedBy } from "assay/check";
import { hostOf } from "assay/check/parsers";

type Security = NonNullable<NavigationFacts["security"]>;
type Code = "security.tls.forward-secrecy-missing" | "security.tls.authenticated-encryption-missing";

export default registerCheck({
  key: "tls-cipher-negotiated",
  weight: 2,
  area: "transport",
  standards: ["RFC 9325 section 4"],
  appliesTo: ["https"],
  reads: ["navigation"],
  findings: {
    "security.tls.forward-secrecy-missing": { severity: "medium", riskLevel: "medium", effort: "low" },
    "security.tls.authenticated-encryption-missing": { severity: "medium", riskLevel: "medium", effort: "low" },
  },
  // The rule by which chromium/hstspreload takes a suite for a current one.
  judge({ navigation: { finalUrl, security } }) {
    if (security === null) return notChecked();
    const [secret, authenticated] = [hasForwardSecrecy(security), hasAuthenticatedEncryption(security)];
    const { protocol, cipher, keyExchange } = security;
    const values = { tlsHost: hostOf(finalUrl) ?? finalUrl, protocol, cipher, keyExchange };
    const found: Found<Code>[] = [];
    if (secret === false) found.push({ code: "security.tls.forward-secrecy-missing", values });
    if (authenticated === false) found.push({ code: "security.tls.authenticated-encryption-missing", values });
    if (found.length === 0 && (secret === null || authenticated === null)) return notChecked();
    return violatedBy(found);
  },
});

/** RFC 8446 and RFC 9001 know nothing else; before, the key exchange tells. Null for one that Chromium has no name for here. */
function hasForwardSecrecy({ protocol, keyExchange }: Security): boolean | null {
  if (protocol === "TLS 1.3" || protocol === "QUIC") return true;
  if (/^(ECDHE|DHE)(_|$)/.test(keyExchange)) return true;
  return keyExchange === "RSA" ? false : null;
}

function hasAuthenticatedEncryption({ cipher }: Security): boolean | null {
  if (/_GCM$|_CCM(_8)?$|^CHACHA20_POLY1305$/.test(cipher)) return true;
  return /CBC|RC4|NULL/.test(cipher) ? false : null;
}
