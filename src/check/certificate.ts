/** Puts the instant of a scan against a certificate, and tells whether a browser would accept a connection without a warning. */
import type { CertificateFacts, TlsFacts } from "../evidence/facts.ts";

export type Validity = "valid" | "expired" | "not-yet-valid";

/** RFC 5280 section 4.1.2.5: both ends belong to the period. Null when a date cannot be read. */
export function validityAt(certificate: CertificateFacts, at: string): Validity | null {
  const [now, from, to] = [at, certificate.validFrom, certificate.validTo].map((date) => Date.parse(date)) as [number, number, number];
  if (Number.isNaN(now) || Number.isNaN(from) || Number.isNaN(to)) return null;
  if (now < from) return "not-yet-valid";
  return now > to ? "expired" : "valid";
}

/** False when a browser warns before it lets anybody in. A certificate that could not be read is not held against the server. */
export function isCertificateAccepted(tls: TlsFacts, at: string): boolean {
  const [leaf] = tls.chain;
  if (leaf === undefined) return true;
  return tls.trusted && tls.hostMatches && (validityAt(leaf, at) ?? "valid") === "valid";
}

/** From the first to the last instant, in milliseconds, or null when a date cannot be read. RFC 5280 section 4.1.2.5: the last second belongs to it. */
export function lifetimeMs({ validFrom, validTo }: CertificateFacts): number | null {
  const lastedMs = Date.parse(validTo) - Date.parse(validFrom);
  return Number.isNaN(lastedMs) ? null : lastedMs + 1_000;
}

/** A root is believed because it is known, not because it signed itself: neither the signature of an anchor nor a certificate's own counts. */
export function hasSignatureThatCounts({ selfSigned, trustAnchor }: CertificateFacts): boolean {
  return !selfSigned && !trustAnchor;
}
