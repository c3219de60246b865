/** Evaluates certificates at the instant of a scan, as browsers do. */
import type { CertificateFacts, TlsFacts } from "../evidence/tls-facts.ts";

export type Validity = "valid" | "expired" | "not-yet-valid";

/** Validity at an ISO 8601 instant; null if a date is unreadable. RFC 5280 section 4.1.2.5: both ends belong to the period. */
export function validityAt(certificate: CertificateFacts, at: string): Validity | null {
  const [now, from, to] = [at, certificate.validFrom, certificate.validTo].map((date) => Date.parse(date)) as [number, number, number];
  if (Number.isNaN(now) || Number.isNaN(from) || Number.isNaN(to)) return null;
  if (now < from) return "not-yet-valid";
  return now > to ? "expired" : "valid";
}

/** False if browsers show a certificate warning. An unreadable chain counts as accepted. */
export function isCertificateAccepted(tls: TlsFacts, at: string): boolean {
  const [leaf] = tls.chain;
  if (leaf === undefined) return true;
  return tls.trusted && tls.hostMatches && (validityAt(leaf, at) ?? "valid") === "valid";
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
