/** Checks that the certificate chain leads to a trusted authority, and that the certificate is meant for servers. */
import { type CertificateFacts, findingIf, notChecked, registerCheck, type TlsFacts, useCertificate, violatedBy } from "assay/check";
import { missingServerUsage } from "assay/check/parsers";

const untrusted = { severity: "critical", riskLevel: "high", effort: "low", cwe: 295, scoreCap: 20 } as const;

export default registerCheck({
  key: "tls-trust-chain",
  weight: 10,
  area: "transport",
  standards: ["RFC 5280 section 6", "CA/Browser Forum Baseline Requirements 7.1.2.7"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.certificate-self-signed": untrusted,
    "security.tls.root-not-trusted": untrusted,
    "security.tls.chain-incomplete": untrusted,
    "security.tls.chain-invalid": untrusted,
    "security.tls.certificate-not-for-servers": untrusted,
    "security.tls.certificate-is-authority": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 295, weight: 4 },
  },
  fixes: {
    "security.tls.certificate-self-signed": [useCertificate("{{tlsHost}}")],
    "security.tls.chain-incomplete": [useCertificate("{{tlsHost}}")],
    "security.tls.certificate-not-for-servers": [useCertificate("{{tlsHost}}")],
    "security.tls.certificate-is-authority": [useCertificate("{{tlsHost}}")],
  },
  judge({ tls }) {
    const [leaf] = tls.chain;
    // The runtime returns no certificate for rare key types that it cannot read.
    if (leaf === undefined) return notChecked();
    const { usage, subject } = leaf;
    const needed = missingServerUsage(tls);
    const usages = (needed === "serverAuth" ? usage?.extendedKeyUsage : usage?.keyUsage) ?? [];
    const code = codeOf(tls.untrustedBecause);
    // The runtime reports an unsuitable usage as well.
    const isUntrusted = !tls.trusted && !(code === "security.tls.chain-invalid" && needed !== null);
    // A self-signed certificate is replaced anyway.
    const isAuthority = usage?.authority === true && (tls.trusted || code !== "security.tls.certificate-self-signed");
    return violatedBy([
      ...findingIf(needed !== null, "security.tls.certificate-not-for-servers", {
        tlsHost: tls.host,
        subject,
        needed: needed ?? "",
        usages: usages.join(", "),
      }),
      ...findingIf(isUntrusted, code, chainValues(tls, leaf)),
      ...findingIf(isAuthority, "security.tls.certificate-is-authority", { tlsHost: tls.host, subject }),
    ]);
  },
});

/** Finding code by OpenSSL's X509_V_ERR_* code. */
function codeOf(untrustedBecause: string | null) {
  switch (untrustedBecause) {
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return "security.tls.certificate-self-signed";
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return "security.tls.root-not-trusted";
    // A missing intermediate is indistinguishable from a private authority that withholds its root.
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return "security.tls.chain-incomplete";
    default:
      return "security.tls.chain-invalid";
  }
}

function chainValues({ host, port, untrustedBecause, chain, certificatesDropped, chainAsSent }: TlsFacts, leaf: CertificateFacts) {
  const addedByRuntime = !chainAsSent && chain.at(-1)?.trustAnchor === true ? 1 : 0;
  return {
    tlsHost: host,
    tlsPort: port,
    subject: leaf.subject,
    issuer: lastIssuer(chain, leaf),
    count: chain.length + certificatesDropped - addedByRuntime,
    because: untrustedBecause ?? "",
  };
}

/** Issuer of the last certificate to which the leaf leads: servers send chains in any order, and unrelated certificates too. */
function lastIssuer(chain: readonly CertificateFacts[], leaf: CertificateFacts): string {
  const rest = new Set(chain);
  let last = leaf;
  for (let next: CertificateFacts | undefined = leaf; next !== undefined; next = [...rest].find(({ subject }) => subject === last.issuer)) {
    last = next;
    rest.delete(next);
  }
  return last.issuer;
}
