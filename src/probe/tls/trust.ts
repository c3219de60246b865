/** Root stores, and paths from a server's certificate to a trusted root. */

import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { rootCertificates, type SecureContext } from "node:tls";
import { tryOr } from "../../base/try-or.ts";
import { weakHashName } from "../../check/tls.ts";
import { verifyingContext } from "../../egress/http-client.ts";
import { certificateSignature } from "../../parse/certificate.ts";
import { certificatePeriod, isSelfSigned, isSignedBy } from "./certificate.ts";

// Trusted roots, and the reason why no path leads to them. Checks neither dates nor names.

export interface TrustAnchors {
  /** Context for handshakes. */
  readonly context: SecureContext;
  readonly public: RootSet;
  readonly all: RootSet;
}

export type CertificateChain = readonly [X509Certificate, ...X509Certificate[]];

interface RootSet {
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
    context: verifyingContext(own, "TLSv1"),
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

function certificatesIn(pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g) ?? [];
  return blocks.filter((block) => tryOr(() => new X509Certificate(block).raw.length > 0, false));
}

type PathError =
  | "DEPTH_ZERO_SELF_SIGNED_CERT"
  | "SELF_SIGNED_CERT_IN_CHAIN"
  | "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
  | "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"
  | "INVALID_CA"
  | "CERT_SIGNATURE_FAILURE";

/** Reason why no path leads to a root; null if there is one (RFC 5280 section 6, RFC 4158). Quadratic, so for short lists. */
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

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && isSignedBy(certificate, issuer);
}

// Finds the path from a server's certificate to a trusted root that stays valid longest.

interface Issuer {
  readonly certificate: X509Certificate;
  /** Milliseconds since 1970; NaN if the date is unreadable. */
  readonly fromMs: number;
  readonly toMs: number;
  /** True if browsers refuse its signature. */
  readonly isWeak: boolean;
}

/**
 * Issuers from the leaf's up to the root, the root included; null without a path. Empty if the leaf itself is trusted. RFC 4158
 * leaves the choice among several paths to the client: the first choice are paths with strong signatures, and within their dates at
 * `nowMs`. Without one, the result is the path that ended last, so that its dates explain the refusal.
 */
export function longestTrustPath(sent: CertificateChain, roots: RootSet, nowMs: number): readonly X509Certificate[] | null {
  const [leaf] = sent;
  const issuersOf = issuerFinder(sent, roots);
  const ends = [...new Set(allIssuers(leaf, issuersOf).map(({ toMs }) => toMs))].filter((end) => !Number.isNaN(end)).sort((a, b) => b - a);
  const pathOf = (condition: (issuer: Issuer) => boolean) =>
    findPath(leaf, roots, (certificate) => issuersOf(certificate).filter(condition));
  const hasBegun = ({ fromMs }: Issuer) => fromMs <= nowMs;
  for (const isUsable of [(issuer: Issuer) => hasBegun(issuer) && !issuer.isWeak, hasBegun, () => true]) {
    for (const end of ends) {
      const path = pathOf((issuer) => isUsable(issuer) && issuer.toMs >= end);
      if (path !== null) return path;
    }
  }
  return pathOf(() => true);
}

type FindIssuers = (certificate: X509Certificate) => readonly Issuer[];

/** Roots first, then the certificates that were sent. Every signature is verified once. */
function issuerFinder(sent: CertificateChain, roots: RootSet): FindIssuers {
  const issuers = new Map<X509Certificate, Issuer>();
  const found = new Map<X509Certificate, readonly Issuer[]>();
  const issuer = (certificate: X509Certificate) => {
    const known = issuers.get(certificate) ?? { certificate, ...certificatePeriod(certificate), isWeak: isWeak(certificate, roots) };
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

/** Browsers do not verify the signature of a root. */
function isWeak(certificate: X509Certificate, roots: RootSet): boolean {
  return !roots.has(certificate) && weakHashName(certificateSignature(certificate.raw)?.hash ?? null) !== null;
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

// Reads root certificates that the operating system trusts in addition to the bundled ones.

/** Files with all roots, by distribution; the first existing file is used. */
const bundleFiles: readonly string[] = [
  "/etc/ssl/certs/ca-certificates.crt", // Debian, Ubuntu, Arch, Gentoo
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, Red Hat
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem", // openSUSE
  "/etc/ssl/cert.pem", // Alpine, the BSDs
];
/** Enough for thousands of roots. Larger files are ignored. */
const bundleBytesMax = 16 * 1024 ** 2;

/** `sslCertFile` (SSL_CERT_FILE) replaces the default files, as in OpenSSL. An unreadable file counts as empty. */
export function systemRoots(sslCertFile: string | undefined): readonly string[] {
  const text = systemRootsFile(sslCertFile)?.text ?? "";
  const bundled = new Set(rootCertificates.map(fingerprint));
  return certificatesIn(text).filter((pem) => !bundled.has(fingerprint(pem)));
}

/** The file that `systemRoots` reads; null if none can be read. */
function systemRootsFile(sslCertFile: string | undefined): { readonly file: string; readonly text: string } | null {
  for (const file of sslCertFile === undefined || sslCertFile === "" ? bundleFiles : [sslCertFile]) {
    try {
      if (statSync(file).size <= bundleBytesMax) return { file, text: readFileSync(file, "latin1") };
    } catch {}
  }
  return null;
}

function fingerprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}

export interface RootStore {
  readonly certificates: number;
  /** Day on which the newest certificate was issued, `YYYY-MM-DD`: the store is at least as new. Null without certificates. */
  readonly newest: string | null;
}

/** Mozilla's roots, as the runtime carries them. */
export function bundledRootStore(): RootStore {
  return rootStoreOf(rootCertificates);
}

/** Roots of this machine; null if there is no readable file. Parameter as for `systemRoots`. */
export function systemRootStore(sslCertFile: string | undefined): (RootStore & { readonly file: string }) | null {
  const found = systemRootsFile(sslCertFile);
  return found === null ? null : { file: found.file, ...rootStoreOf(certificatesIn(found.text)) };
}

/** Certificates of a PEM text. */
export function rootStoreIn(pem: string): RootStore {
  return rootStoreOf(certificatesIn(pem));
}

function rootStoreOf(pems: readonly string[]): RootStore {
  const issued = pems.map((pem) => Date.parse(new X509Certificate(pem).validFrom)).filter(Number.isFinite);
  return { certificates: pems.length, newest: issued.length === 0 ? null : new Date(Math.max(...issued)).toISOString().slice(0, 10) };
}
