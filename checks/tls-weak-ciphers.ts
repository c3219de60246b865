/** Checks that the server accepts no weak cipher suite of TLS 1.2 and older, apart from the one that browsers negotiate. */
import {
  findingIf,
  modernCiphers,
  modernProtocols,
  type NavigationFacts,
  registerCheck,
  violated,
  violatedBy,
  type WeakSuiteKind,
} from "assay/check";
import { weakSuiteKinds } from "assay/check/parsers";

const codes = {
  null: "security.tls.cipher-null-offered",
  anonymous: "security.tls.cipher-anonymous-offered",
  export: "security.tls.cipher-export-offered",
  rc4: "security.tls.cipher-rc4-offered",
  smallBlock: "security.tls.cipher-small-block-offered",
  staticKey: "security.tls.cipher-static-key-offered",
  cbc: "security.tls.cipher-cbc-offered",
} as const satisfies Readonly<Record<WeakSuiteKind, string>>;

export default registerCheck({
  key: "tls-weak-ciphers",
  weight: 4,
  area: "transport",
  standards: ["RFC 9325 sections 4.1 and 4.2", "RFC 7465", "CVE-2016-2183"],
  appliesTo: ["https"],
  reads: ["tlsOffers"],
  consults: ["navigation"],
  findings: {
    // Capped: no browser offers them, but a server that needs neither secrecy nor identity must not be called good.
    "security.tls.cipher-null-offered": { severity: "high", riskLevel: "medium", effort: "low", cwe: 319, weight: 10, scoreCap: 79 },
    "security.tls.cipher-anonymous-offered": { severity: "high", riskLevel: "medium", effort: "low", cwe: 322, weight: 10, scoreCap: 79 },
    "security.tls.cipher-export-offered": { severity: "high", riskLevel: "medium", effort: "low", cwe: 326, weight: 8 },
    "security.tls.cipher-rc4-offered": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 327 },
    "security.tls.cipher-small-block-offered": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 327, weight: 3 },
    "security.tls.cipher-static-key-offered": { severity: "low", riskLevel: "low", effort: "low", cwe: 327, weight: 1 },
    "security.tls.cipher-cbc-offered": { severity: "low", riskLevel: "low", effort: "low", cwe: 327, weight: 1 },
    "security.tls.cipher-weak-negotiated-only": { severity: "info", riskLevel: "low", effort: "low", cwe: 327, weight: 0 },
  },
  fixes: [modernProtocols, modernCiphers],
  judge({ tlsOffers: { host, weakSuites }, navigation }) {
    const security = navigation.status === "read" ? navigation.facts.security : null;
    // The negotiated suite is charged by tls-cipher-negotiated.
    const negotiated = security === null ? null : negotiatedSuite(security);
    const found = weakSuiteKinds.flatMap((kind) => {
      const others = weakSuites[kind].accepted.filter((name) => name !== negotiated);
      return findingIf(others.length > 0, codes[kind], { tlsHost: host, suites: others.join(", ") });
    });
    const complete = weakSuiteKinds.every((kind) => weakSuites[kind].others !== "unknown");
    const isAccepted = weakSuiteKinds.some((kind) => weakSuites[kind].accepted.length > 0);
    if (found.length > 0 || !complete || !isAccepted) return violatedBy(found, complete);
    return violated("security.tls.cipher-weak-negotiated-only", { tlsHost: host, suites: negotiated ?? "" });
  },
});

/** Chromium's names of the key exchange and the cipher, which it offers in CBC mode with SHA-1 only. */
const suitesOfBrowser: Readonly<Record<string, string>> = {
  "RSA AES_128_GCM": "AES128-GCM-SHA256",
  "RSA AES_256_GCM": "AES256-GCM-SHA384",
  "RSA AES_128_CBC": "AES128-SHA",
  "RSA AES_256_CBC": "AES256-SHA",
  "ECDHE_RSA AES_128_CBC": "ECDHE-RSA-AES128-SHA",
  "ECDHE_RSA AES_256_CBC": "ECDHE-RSA-AES256-SHA",
  "ECDHE_ECDSA AES_128_CBC": "ECDHE-ECDSA-AES128-SHA",
  "ECDHE_ECDSA AES_256_CBC": "ECDHE-ECDSA-AES256-SHA",
};

/** OpenSSL's name of the weak suite that the browser negotiated; null for any other suite. */
function negotiatedSuite({ keyExchange, cipher }: NonNullable<NavigationFacts["security"]>): string | null {
  return suitesOfBrowser[`${keyExchange} ${cipher}`] ?? null;
}
