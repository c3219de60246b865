/** Finds the path from a server's certificate to a trusted root that stays valid longest. */
import type { X509Certificate } from "node:crypto";
import { certificatePeriod } from "./certificate.ts";
import { type CertificateChain, isIssuedBy, type RootSet } from "./trust.ts";

interface Issuer {
  readonly certificate: X509Certificate;
  /** Milliseconds since 1970; NaN if the date is unreadable. */
  readonly fromMs: number;
  readonly toMs: number;
}

type Condition = (issuer: Issuer) => boolean;

/**
 * Issuers from the leaf's up to the root, the root included; null without a path. Empty if the leaf itself is trusted. RFC 4158
 * leaves the choice among several paths to the client: the first choice are paths within their dates at `nowMs`. Without one,
 * the result is the path that ended last, so that its dates explain the refusal.
 */
export function longestTrustPath(sent: CertificateChain, roots: RootSet, nowMs: number): readonly X509Certificate[] | null {
  const [leaf] = sent;
  const issuersOf = issuerFinder(sent, roots);
  const ends = [...new Set(allIssuers(leaf, issuersOf).map(({ toMs }) => toMs))].filter((end) => !Number.isNaN(end)).sort((a, b) => b - a);
  const conditions: readonly Condition[] = [
    ...ends.map(
      (end): Condition =>
        ({ fromMs, toMs }) =>
          fromMs <= nowMs && toMs >= end,
    ),
    ...ends.map(
      (end): Condition =>
        ({ toMs }) =>
          toMs >= end,
    ),
    () => true,
  ];
  for (const condition of conditions) {
    const path = findPath(leaf, roots, (certificate) => issuersOf(certificate).filter(condition));
    if (path !== null) return path;
  }
  return null;
}

type FindIssuers = (certificate: X509Certificate) => readonly Issuer[];

/** Roots first, then the certificates that were sent. Every signature is verified once. */
function issuerFinder(sent: CertificateChain, roots: RootSet): FindIssuers {
  const issuers = new Map<X509Certificate, Issuer>();
  const found = new Map<X509Certificate, readonly Issuer[]>();
  const issuer = (certificate: X509Certificate) => {
    const known = issuers.get(certificate) ?? { certificate, ...certificatePeriod(certificate) };
    issuers.set(certificate, known);
    return known;
  };
  return (certificate) => {
    const known = found.get(certificate);
    if (known !== undefined) return known;
    const candidates = [
      ...roots.bySubject(certificate.issuer ?? ""),
      ...sent.filter(({ ca, subject }) => ca && subject === certificate.issuer),
    ];
    const result = candidates.filter((other) => other !== certificate && isIssuedBy(certificate, other)).map(issuer);
    found.set(certificate, result);
    return result;
  };
}

function allIssuers(leaf: X509Certificate, issuersOf: FindIssuers): readonly Issuer[] {
  const reached = new Set<Issuer>();
  const visit = (certificate: X509Certificate) => {
    for (const issuer of issuersOf(certificate)) {
      if (reached.has(issuer)) continue;
      reached.add(issuer);
      visit(issuer.certificate);
    }
  };
  visit(leaf);
  return [...reached];
}

/** Depth first; visits every certificate once, because a dead end does not depend on the way to it. */
function findPath(leaf: X509Certificate, roots: RootSet, issuersOf: FindIssuers): readonly X509Certificate[] | null {
  const visited = new Set<X509Certificate>();
  const above = (certificate: X509Certificate): readonly X509Certificate[] | null => {
    visited.add(certificate);
    if (roots.has(certificate)) return [];
    for (const { certificate: issuer } of issuersOf(certificate)) {
      const rest = visited.has(issuer) ? null : above(issuer);
      if (rest !== null) return [issuer, ...rest];
    }
    return null;
  };
  return above(leaf);
}
