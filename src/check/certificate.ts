/** Evaluates certificates at the instant of a scan, as browsers do. */
import type { Reading } from "../evidence/evidence.ts";
import type { CertificateFacts, PathCertificate, TlsFacts } from "../evidence/tls-facts.ts";

export type Validity = "valid" | "expired" | "not-yet-valid";

/** Validity at an ISO 8601 instant; null if a date is unreadable. RFC 5280 section 4.1.2.5: both ends belong to the period. */
export function validityAt(certificate: Pick<CertificateFacts, "validFrom" | "validTo">, at: string): Validity | null {
  const [now, from, to] = [at, certificate.validFrom, certificate.validTo].map((date) => Date.parse(date)) as [number, number, number];
  if (Number.isNaN(now) || Number.isNaN(from) || Number.isNaN(to)) return null;
  if (now < from) return "not-yet-valid";
  return now > to ? "expired" : "valid";
}

/** False if browsers show a certificate warning. An unreadable chain counts as accepted. */
export function isCertificateAccepted(tls: TlsFacts, at: string): boolean {
  const [leaf] = tls.chain;
  if (leaf === undefined) return true;
  if (!tls.trusted || !tls.hostMatches || missingServerUsage(tls) !== null) return false;
  return [leaf, ...issuersOnPath(tls)].every((certificate) => (validityAt(certificate, at) ?? "valid") === "valid");
}

/** True if nothing is known about the certificate: the endpoint was not read, or only its versions. */
export function isCertificateUnread(tls: Reading<TlsFacts>): boolean {
  return tls.status === "failed" || tls.facts.chain.length === 0;
}

/** From the issuer of the server's certificate to the root. Empty without a path, and for evidence that does not contain it. */
export function issuersOnPath({ path }: TlsFacts): readonly PathCertificate[] {
  return path ?? [];
}

/**
 * The usage that TLS servers need and the server's certificate excludes; null if it may be used. Certificates without these
 * extensions allow every usage (RFC 5280 sections 4.2.1.3 and 4.2.1.12).
 */
export function missingServerUsage({ chain: [leaf], negotiated: { cipher } }: TlsFacts): string | null {
  const { keyUsage = null, extendedKeyUsage = null } = leaf?.usage ?? {};
  if (extendedKeyUsage !== null && !extendedKeyUsage.some((usage) => usage === "serverAuth" || usage === "anyExtendedKeyUsage")) {
    return "serverAuth";
  }
  const needed = keyUsageFor(cipher);
  return needed !== null && keyUsage !== null && !keyUsage.includes(needed) ? needed : null;
}

/** RFC 5246 section 7.4.2: the server signs its key share, or uses the key of its certificate itself. Null for an unknown suite. */
function keyUsageFor(cipher: string): string | null {
  if (/^(TLS_|ECDHE-|DHE-)/.test(cipher)) return "digitalSignature";
  if (cipher.startsWith("ECDH-")) return "keyAgreement";
  return cipher.startsWith("0x") ? null : "keyEncipherment";
}

/** Validity period in milliseconds; null if a date is unreadable. RFC 5280 section 4.1.2.5: the last second belongs to it. */
export function lifetimeMs({ validFrom, validTo }: CertificateFacts): number | null {
  const lastedMs = Date.parse(validTo) - Date.parse(validFrom);
  return Number.isNaN(lastedMs) ? null : lastedMs + 1_000;
}

/** False for self-signed certificates and trust anchors: browsers do not verify their signatures. */
export function hasSignatureThatCounts({ selfSigned, trustAnchor }: CertificateFacts): boolean {
  return !selfSigned && !trustAnchor;
}
