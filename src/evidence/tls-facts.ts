/** Facts about TLS endpoints and certificates. */
import { count, type Fact, fields, flag, list, literalOf, orAbsent, orNull, recordOf, text, wholeNumber } from "./fields.ts";
import { url } from "./http-facts.ts";
import * as limits from "./limits.ts";
import { tlsVersions, weakSuiteKinds } from "./limits.ts";

/** Characters of a dotted object identifier of 64 bytes. */
const identifierCharsMax = 320;
/** Key usages of RFC 5280 section 4.2.1.3. */
const keyUsagesMax = 9;
/** The chain and as many roots. */
const pathCertificatesMax = 2 * limits.certificatesMax;
/** Hex characters of a SHA-256. */
const fingerprintCharsMax = 64;
/** Suites or curves of one kind that few hellos find. */
const acceptedMax = 8;
const portMax = 65_535;

const certificateText = text(limits.certificateNameCharsMax);
const identifier = text(identifierCharsMax);
const fingerprint = text(fingerprintCharsMax);
const protocolName = text(limits.protocolCharsMax);

/** What a certificate may be used for (RFC 5280 section 4.2.1). */
const certificateUsage = fields({
  /** True if basicConstraints allow it to issue certificates. */
  authority: flag,
  /** RFC 5280's names, for example `digitalSignature`; null without the extension. */
  keyUsage: orNull(list(identifier, keyUsagesMax)),
  /** RFC 5280's names, for example `serverAuth`, or dotted identifiers; null without the extension. At most `certificateUsagesMax`. */
  extendedKeyUsage: orNull(list(identifier, limits.certificateUsagesMax)),
});
export type CertificateUsage = Fact<typeof certificateUsage>;

const pathFields = {
  subject: certificateText,
  /** ISO 8601, UTC; any text for an unreadable date. */
  validFrom: certificateText,
  validTo: certificateText,
  /** SHA-256 of the DER bytes, lower-case hex without colons. */
  fingerprint,
  /** True for a root that the scan trusts; its own signature is irrelevant. */
  trustAnchor: flag,
};

/** A certificate above the server's own on the path to a root. The root is often not sent, and so not part of the chain. */
const pathCertificate = fields(pathFields);
export type PathCertificate = Fact<typeof pathCertificate>;

const certificateFacts = fields({
  ...pathFields,
  issuer: certificateText,
  /** DNS names and IP addresses of the subjectAltName extension, at most `certificateNamesMax`. */
  names: list(certificateText, limits.certificateNamesMax),
  namesDropped: count,
  /** `rsa`, `rsa-pss`, `ec`, `ed25519`, `ed448` or `dsa`; null for any other kind. */
  keyType: orNull(identifier),
  /** Bits of the modulus, the curve or the prime; null if unknown, for example for a rare curve. */
  keyBits: orNull(count),
  /** OpenSSL's curve name, or the dotted identifier; null for other key types. */
  curve: orNull(identifier),
  /** RSA's public exponent in lower-case hex, usually `10001`, at most `certificateNameCharsMax` characters; null for other key types. */
  rsaExponent: orNull(certificateText),
  /** OpenSSL's name, for example `sha256WithRSAEncryption`, or the dotted identifier; null if unreadable. */
  signatureAlgorithm: orNull(identifier),
  /** Signed hash, for example `sha256`; for RSASSA-PSS from its parameters. Null for an unknown algorithm. */
  signatureHash: orNull(identifier),
  serialNumber: certificateText,
  /** Subject equals issuer, and the key verifies the signature (or key identifiers match, if the runtime cannot verify it). */
  selfSigned: flag,
  /** Absent in evidence of older versions. */
  usage: orAbsent(certificateUsage),
});
export type CertificateFacts = Fact<typeof certificateFacts>;

/** `unknown`: neither a completed hello nor a definite refusal. */
const tlsVersionAnswer = literalOf("accepted", "refused", "unknown");
export type TlsVersionAnswer = Fact<typeof tlsVersionAnswer>;

const endpoint = { host: url, port: wholeNumber(portMax) };

/** One TLS endpoint: the host that served the page, or the scanned host if no page was served. */
export const tls = fields({
  ...endpoint,
  /** Address that was probed. */
  address: text(limits.addressCharsMax),
  negotiated: fields({ protocol: protocolName, cipher: protocolName, alpn: orNull(protocolName) }),
  versions: recordOf(tlsVersions, tlsVersionAnswer),
  /** Leaf first. Empty if the server's certificate could not be read. */
  chain: list(certificateFacts, limits.certificatesMax),
  certificatesDropped: count,
  /** True if the server sent `chain` like this; false if the runtime reported it, which may add a trusted root at the end. */
  chainAsSent: flag,
  /** True if a subjectAltName covers the host (RFC 9525); the common name does not count. */
  hostMatches: flag,
  /** True if the chain leads to a root of the bundled store, the system or the operator's CA files. Dates and names are not considered. */
  trusted: flag,
  /** `public`: a root of the bundled store. `operator`: only a root of the system or the operator's CA files. Null if not trusted. */
  trustedBy: orNull(literalOf("public", "operator")),
  /** OpenSSL's error, for example `DEPTH_ZERO_SELF_SIGNED_CERT`; null if trusted, and without a chain. */
  untrustedBecause: orNull(certificateText),
  /**
   * The path from the issuer of the server's certificate to the root: of several paths the one that stays valid longest. Null
   * without a path. Absent in evidence of older versions.
   */
  path: orAbsent(orNull(list(pathCertificate, pathCertificatesMax))),
});
export type TlsFacts = Fact<typeof tls>;

const others = literalOf("refused", "unknown", "not-asked");
const accepted = list(protocolName, acceptedMax);

const weakSuiteOffer = fields({
  /** OpenSSL's names of accepted suites by time; one or two, because few hellos are sent. */
  accepted,
  /** Answer to a hello with the other suites of this kind; `not-asked` if one accepted suite was enough. */
  others,
});
export type WeakSuiteOffer = Fact<typeof weakSuiteOffer>;

/** Group of a Diffie-Hellman key exchange over a finite field. */
const finiteFieldGroup = fields({
  bits: count,
  /** SHA-256 of the prime's bytes without leading zeros, lower-case hex. */
  primeSha256: fingerprint,
});
export type FiniteFieldGroup = Fact<typeof finiteFieldGroup>;

/** Suites and groups that a server accepts when a hello offers nothing better. */
export const tlsOffers = fields({
  ...endpoint,
  /** Refused without a question by servers of TLS 1.3 alone. */
  weakSuites: recordOf(weakSuiteKinds, weakSuiteOffer),
  /** DHE suites of TLS 1.2 and older. `group` is null unless they are accepted with readable parameters. */
  dhe: fields({ answer: tlsVersionAnswer, group: orNull(finiteFieldGroup) }),
  /** IANA names of accepted curves that are binary or shorter than 224 bits, in TLS 1.2 and older. */
  weakCurves: fields({ accepted, others }),
  /** Hybrid groups with ML-KEM in TLS 1.3; `group` is the IANA name of the accepted one. */
  hybrid: fields({ answer: tlsVersionAnswer, group: orNull(protocolName) }),
});
export type TlsOffersFacts = Fact<typeof tlsOffers>;
