/** Facts about TLS endpoints and certificates. */

export type TlsVersion = "1.0" | "1.1" | "1.2" | "1.3";
/** `unknown`: neither a completed hello nor a definite refusal. */
export type TlsVersionAnswer = "accepted" | "refused" | "unknown";

export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  /** DNS names and IP addresses of the subjectAltName extension, at most `certificateNamesMax`. */
  readonly names: readonly string[];
  readonly namesDropped: number;
  /** ISO 8601, UTC. */
  readonly validFrom: string;
  readonly validTo: string;
  /** `rsa`, `rsa-pss`, `ec`, `ed25519`, `ed448` or `dsa`; null for any other kind. */
  readonly keyType: string | null;
  /** Bits of the modulus, the curve or the prime; null if unknown, for example for a rare curve. */
  readonly keyBits: number | null;
  /** OpenSSL's curve name, or the dotted identifier; null for other key types. */
  readonly curve: string | null;
  /** RSA's public exponent in lower-case hex, usually `10001`, at most `certificateNameCharsMax` characters; null for other key types. */
  readonly rsaExponent: string | null;
  /** OpenSSL's name, for example `sha256WithRSAEncryption`, or the dotted identifier; null if unreadable. */
  readonly signatureAlgorithm: string | null;
  /** Signed hash, for example `sha256`; for RSASSA-PSS from its parameters. Null for an unknown algorithm. */
  readonly signatureHash: string | null;
  readonly serialNumber: string;
  /** SHA-256 of the DER bytes, lower-case hex without colons. */
  readonly fingerprint: string;
  /** Subject equals issuer, and the key verifies the signature (or key identifiers match, if the runtime cannot verify it). */
  readonly selfSigned: boolean;
  /** True for a root that the scan trusts; its own signature is irrelevant. */
  readonly trustAnchor: boolean;
  /** Absent in evidence of older versions. */
  readonly usage?: CertificateUsage;
}

/** What a certificate may be used for (RFC 5280 section 4.2.1). */
export interface CertificateUsage {
  /** True if basicConstraints allow it to issue certificates. */
  readonly authority: boolean;
  /** RFC 5280's names, for example `digitalSignature`; null without the extension. */
  readonly keyUsage: readonly string[] | null;
  /** RFC 5280's names, for example `serverAuth`, or dotted identifiers; null without the extension. At most `certificateUsagesMax`. */
  readonly extendedKeyUsage: readonly string[] | null;
}

/** A certificate above the server's own on the path to a root. The root is often not sent, and so not part of the chain. */
export type PathCertificate = Pick<CertificateFacts, "subject" | "validFrom" | "validTo" | "fingerprint" | "trustAnchor">;

/** One TLS endpoint: the host that served the page, or the scanned host if no page was served. */
export interface TlsFacts {
  readonly host: string;
  readonly port: number;
  /** Address that was probed. */
  readonly address: string;
  readonly negotiated: { readonly protocol: string; readonly cipher: string; readonly alpn: string | null };
  readonly versions: Readonly<Record<TlsVersion, TlsVersionAnswer>>;
  /** Leaf first. Empty if the server's certificate could not be read. */
  readonly chain: readonly CertificateFacts[];
  readonly certificatesDropped: number;
  /** True if the server sent `chain` like this; false if the runtime reported it, which may add a trusted root at the end. */
  readonly chainAsSent: boolean;
  /** True if a subjectAltName covers the host (RFC 9525); the common name does not count. */
  readonly hostMatches: boolean;
  /** True if the chain leads to a root of the bundled store, the system or the operator's CA files. Dates and names are not considered. */
  readonly trusted: boolean;
  /** `public`: a root of the bundled store. `operator`: only a root of the system or the operator's CA files. Null if not trusted. */
  readonly trustedBy: "public" | "operator" | null;
  /** OpenSSL's error, for example `DEPTH_ZERO_SELF_SIGNED_CERT`; null if trusted, and without a chain. */
  readonly untrustedBecause: string | null;
  /**
   * The path from the issuer of the server's certificate to the root: of several paths the one that stays valid longest. Null
   * without a path. Absent in evidence of older versions.
   */
  readonly path?: readonly PathCertificate[] | null;
}

/**
 * Kind of a weak suite of TLS 1.2 and older. Each suite has one kind, the first that applies. `null`: without encryption. `anonymous`:
 * without certificate. `export`: keys of at most 56 bits, so also DES. `smallBlock`: blocks of 64 bits, as in 3DES and IDEA. `staticKey`:
 * key exchange without forward secrecy. `cbc`: CBC mode with blocks of 128 bits.
 */
export type WeakSuiteKind = "null" | "anonymous" | "export" | "rc4" | "smallBlock" | "staticKey" | "cbc";

export interface WeakSuiteOffer {
  /** OpenSSL's names of accepted suites by time; one or two, because few hellos are sent. */
  readonly accepted: readonly string[];
  /** Answer to a hello with the other suites of this kind; `not-asked` if one accepted suite was enough. */
  readonly others: "refused" | "unknown" | "not-asked";
}

/** Group of a Diffie-Hellman key exchange over a finite field. */
export interface FiniteFieldGroup {
  readonly bits: number;
  /** SHA-256 of the prime's bytes without leading zeros, lower-case hex. */
  readonly primeSha256: string;
}

/** Suites and groups that a server accepts when a hello offers nothing better. */
export interface TlsOffersFacts {
  readonly host: string;
  readonly port: number;
  /** Refused without a question by servers of TLS 1.3 alone. */
  readonly weakSuites: Readonly<Record<WeakSuiteKind, WeakSuiteOffer>>;
  /** DHE suites of TLS 1.2 and older. `group` is null unless they are accepted with readable parameters. */
  readonly dhe: { readonly answer: TlsVersionAnswer; readonly group: FiniteFieldGroup | null };
  /** IANA names of accepted curves that are binary or shorter than 224 bits, in TLS 1.2 and older. */
  readonly weakCurves: { readonly accepted: readonly string[]; readonly others: "refused" | "unknown" | "not-asked" };
  /** Hybrid groups with ML-KEM in TLS 1.3; `group` is the IANA name of the accepted one. */
  readonly hybrid: { readonly answer: TlsVersionAnswer; readonly group: string | null };
}
