/** Trusted roots, and why no path leads from a server's certificate to one of them; checks neither dates nor names. */
import { X509Certificate } from "node:crypto";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { isSelfSigned, isSignedBy } from "./certificate.ts";

export interface TrustAnchors {
  /** For handshakes; cached, because reading all roots takes some milliseconds. */
  readonly context: SecureContext;
  readonly public: RootSet;
  readonly all: RootSet;
}

export type CertificateChain = readonly [X509Certificate, ...X509Certificate[]];

export interface RootSet {
  has(certificate: X509Certificate): boolean;
  bySubject(subject: string): readonly X509Certificate[];
}

let latest: { readonly key: string; readonly anchors: TrustAnchors } | null = null;

/** The bundled roots and `caPems`, of which each may hold several certificates. Skips unreadable ones. */
export function trustAnchors(caPems: readonly string[]): TrustAnchors {
  const key = caPems.join("\n");
  if (latest?.key !== key) latest = { key, anchors: readAnchors(caPems) };
  return latest.anchors;
}

function readAnchors(caPems: readonly string[]): TrustAnchors {
  bundled ??= rootCertificates.map((pem) => new X509Certificate(pem));
  const own = caPems.flatMap(certificatesIn);
  return {
    // Includes old versions, so that a server without newer ones can be assessed.
    context: createSecureContext({ ca: [...rootCertificates, ...own], minVersion: "TLSv1" }),
    public: rootSet(bundled),
    all: rootSet([...bundled, ...own.map((pem) => new X509Certificate(pem))]),
  };
}

let bundled: readonly X509Certificate[] | null = null;

function rootSet(roots: readonly X509Certificate[]): RootSet {
  const certificates = Map.groupBy(roots, ({ subject }) => subject);
  const fingerprints = new Set(roots.map(({ fingerprint256 }) => fingerprint256));
  return {
    has: ({ fingerprint256 }) => fingerprints.has(fingerprint256),
    bySubject: (subject) => certificates.get(subject) ?? [],
  };
}

export function certificatesIn(pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g) ?? [];
  return blocks.filter((block) => {
    try {
      return new X509Certificate(block).raw.length > 0;
    } catch {
      return false;
    }
  });
}

type PathError =
  | "DEPTH_ZERO_SELF_SIGNED_CERT"
  | "SELF_SIGNED_CERT_IN_CHAIN"
  | "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
  | "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"
  | "INVALID_CA"
  | "CERT_SIGNATURE_FAILURE";

/** Null if a path leads from the first certificate to a root (RFC 5280 section 6, RFC 4158). Quadratic, so for short lists. */
export function pathError(sent: CertificateChain, roots: RootSet): PathError | null {
  const [leaf] = sent;
  const visited = new Set<X509Certificate>();

  function errorAbove(certificate: X509Certificate): PathError | null {
    visited.add(certificate);
    if (roots.has(certificate)) return null;
    if (roots.bySubject(certificate.issuer ?? "").some((anchor) => isIssuedBy(certificate, anchor))) return null;
    if (isSelfSigned(certificate)) return certificate === leaf ? "DEPTH_ZERO_SELF_SIGNED_CERT" : "SELF_SIGNED_CERT_IN_CHAIN";
    let error: PathError = sent.length === 1 ? "UNABLE_TO_VERIFY_LEAF_SIGNATURE" : "UNABLE_TO_GET_ISSUER_CERT_LOCALLY";
    for (const candidate of sent.filter((other) => other.subject === certificate.issuer && !visited.has(other))) {
      const found = errorThrough(certificate, candidate);
      if (found === null) return null;
      error = found;
    }
    return error;
  }

  function errorThrough(certificate: X509Certificate, issuer: X509Certificate): PathError | null {
    if (!issuer.ca) return "INVALID_CA";
    return isIssuedBy(certificate, issuer) ? errorAbove(issuer) : "CERT_SIGNATURE_FAILURE";
  }

  return errorAbove(leaf);
}

export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && isSignedBy(certificate, issuer);
}
