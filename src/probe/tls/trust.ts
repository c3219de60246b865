/** Builds the path from a server's certificate to a root that is trusted; dates and names are left to others. */
import { X509Certificate } from "node:crypto";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { isSelfSigned, isSignedBy } from "./certificate.ts";

/** The roots that a scan trusts. */
export interface TrustAnchors {
  /** For handshakes: made once, because reading all roots takes some milliseconds. */
  readonly context: SecureContext;
  /** The bundled ones alone. */
  readonly public: RootSet;
  /** The bundled ones and the operator's. */
  readonly all: RootSet;
}

export interface RootSet {
  has(certificate: X509Certificate): boolean;
  named(subject: string): readonly X509Certificate[];
}

let latest: { readonly key: string; readonly anchors: TrustAnchors } | null = null;

/** The bundled roots and these; a PEM text may hold several certificates, and what cannot be read is left out. */
export function trustAnchors(caPems: readonly string[]): TrustAnchors {
  const key = caPems.join("\n");
  if (latest?.key !== key) latest = { key, anchors: readAnchors(caPems) };
  return latest.anchors;
}

function readAnchors(caPems: readonly string[]): TrustAnchors {
  bundled ??= rootCertificates.map((pem) => new X509Certificate(pem));
  const own = caPems.flatMap(certificatesIn);
  return {
    // Old versions too: a server that has nothing else is to be seen, not to be turned away.
    context: createSecureContext({ ca: [...rootCertificates, ...own], minVersion: "TLSv1" }),
    public: rootSet(bundled),
    all: rootSet([...bundled, ...own.map((pem) => new X509Certificate(pem))]),
  };
}

let bundled: readonly X509Certificate[] | null = null;

function rootSet(roots: readonly X509Certificate[]): RootSet {
  const bySubject = Map.groupBy(roots, ({ subject }) => subject);
  const fingerprints = new Set(roots.map(({ fingerprint256 }) => fingerprint256));
  return {
    has: ({ fingerprint256 }) => fingerprints.has(fingerprint256),
    named: (subject) => bySubject.get(subject) ?? [],
  };
}

/** The certificates of a PEM text, each by itself; what cannot be read is left out. */
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

/** What OpenSSL calls the ways in which a path can fail. */
type PathFault =
  | "DEPTH_ZERO_SELF_SIGNED_CERT"
  | "SELF_SIGNED_CERT_IN_CHAIN"
  | "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
  | "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"
  | "INVALID_CA"
  | "CERT_SIGNATURE_FAILURE";

/**
 * Why no path leads from the leaf to one of the roots, or null when one does (RFC 5280 section 6, RFC 4158). `sent` has the leaf
 * first; the order of the others does not matter, and useless ones do no harm. Few are expected: each may be tried below each.
 */
export function pathFault(sent: readonly [X509Certificate, ...X509Certificate[]], roots: RootSet): PathFault | null {
  const [leaf] = sent;
  const visited = new Set<X509Certificate>();

  function faultAbove(certificate: X509Certificate): PathFault | null {
    visited.add(certificate);
    if (roots.has(certificate)) return null;
    if (roots.named(certificate.issuer ?? "").some((anchor) => isIssuedBy(certificate, anchor))) return null;
    if (isSelfSigned(certificate)) return certificate === leaf ? "DEPTH_ZERO_SELF_SIGNED_CERT" : "SELF_SIGNED_CERT_IN_CHAIN";
    let fault: PathFault = sent.length === 1 ? "UNABLE_TO_VERIFY_LEAF_SIGNATURE" : "UNABLE_TO_GET_ISSUER_CERT_LOCALLY";
    for (const candidate of sent.filter((other) => other.subject === certificate.issuer && !visited.has(other))) {
      const found = faultThrough(certificate, candidate);
      if (found === null) return null;
      fault = found;
    }
    return fault;
  }

  function faultThrough(certificate: X509Certificate, issuer: X509Certificate): PathFault | null {
    if (!issuer.ca) return "INVALID_CA";
    return isIssuedBy(certificate, issuer) ? faultAbove(issuer) : "CERT_SIGNATURE_FAILURE";
  }

  return faultAbove(leaf);
}

/** The name, the key identifiers and the signature fit. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && isSignedBy(certificate, issuer);
}
