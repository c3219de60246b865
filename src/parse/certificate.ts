/**
 * Finds fields of a certificate in its DER bytes: RFC 5280 section 4.1. The runtime does not expose all fields, especially for rare key
 * types.
 */
import ipaddr from "ipaddr.js";
import { certificateUsagesMax } from "../evidence/limits.ts";
import type { CertificateUsage } from "../evidence/tls-facts.ts";
import { type DerValue, derChildren, derTags, objectIdentifier, readDer } from "./der.ts";
import { bitLength } from "./server-key-exchange.ts";
import { isRegistrySuffix } from "./site.ts";

interface CertificateFields {
  /** AlgorithmIdentifier outside the signed part. */
  readonly signatureAlgorithm: DerValue | undefined;
  /** AlgorithmIdentifier inside the signed part. RFC 5280 section 4.1.1.2 requires both to be equal. */
  readonly signatureAlgorithmSigned: DerValue | undefined;
  readonly publicKeyInfo: DerValue | undefined;
  readonly extensions: readonly DerValue[];
}

/** Missing fields are undefined; without extensions the list is empty. */
export function certificateFields(certificateDer: Uint8Array): CertificateFields {
  const [toBeSigned, signatureAlgorithm] = derChildren(readDer(certificateDer)?.[0]);
  const signed = derChildren(toBeSigned);
  // The version is optional. Order after it: serial number, signature, issuer, validity, subject, key.
  const serialAt = signed[0]?.tag === derTags.explicit0 ? 1 : 0;
  return {
    signatureAlgorithm,
    signatureAlgorithmSigned: signed[serialAt + 1],
    publicKeyInfo: signed[serialAt + 5],
    extensions: derChildren(derChildren(signed.find(({ tag }) => tag === derTags.explicit3))[0]),
  };
}

/** Value inside the extension with that object identifier; undefined if absent or unreadable. */
export function extensionValue({ extensions }: CertificateFields, identifier: string): DerValue | undefined {
  const extension = extensions.map(derChildren).find(([id]) => objectIdentifier(id) === identifier);
  const value = extension?.find(({ tag }) => tag === derTags.octetString);
  return value === undefined ? undefined : readDer(value.content)?.[0];
}

// Reads the public key and the signature algorithm from a certificate's DER bytes.

interface CertificateKey {
  /** `rsa`, `rsa-pss`, `ec`, `ed25519`, `ed448` or `dsa`; null for any other kind. */
  readonly type: string | null;
  /** Bits of the modulus, of the curve's field, or of DSA's prime; null if unknown. */
  readonly bits: number | null;
  /** OpenSSL's curve name, or the dotted identifier. Null for other key types and explicit curve parameters (RFC 5480 forbids those). */
  readonly curve: string | null;
  /** RSA's public exponent in lower-case hex without leading zeros; null for other kinds. */
  readonly rsaExponent: string | null;
}

const unknownKey: CertificateKey = { type: null, bits: null, curve: null, rsaExponent: null };

/** RFC 3279 section 2.3, RFC 4055 section 1.2, RFC 5480 section 2.1, RFC 8410 section 3. */
const keyTypes = new Map([
  ["1.2.840.113549.1.1.1", "rsa"],
  ["1.2.840.113549.1.1.10", "rsa-pss"],
  ["1.2.840.10045.2.1", "ec"],
  ["1.2.840.10040.4.1", "dsa"],
  ["1.3.101.112", "ed25519"],
  ["1.3.101.113", "ed448"],
]);

const edwardsBits: Readonly<Record<string, number>> = { ed25519: 256, ed448: 456 };

/** SEC 2 and RFC 5639. */
const curves = new Map<string, readonly [name: string, bits: number]>([
  ["1.2.840.10045.3.1.1", ["prime192v1", 192]],
  ["1.2.840.10045.3.1.7", ["prime256v1", 256]],
  ["1.3.132.0.8", ["secp160r1", 160]],
  ["1.3.132.0.10", ["secp256k1", 256]],
  ["1.3.132.0.32", ["secp224k1", 224]],
  ["1.3.132.0.33", ["secp224r1", 224]],
  ["1.3.132.0.34", ["secp384r1", 384]],
  ["1.3.132.0.35", ["secp521r1", 521]],
  ["1.3.36.3.3.2.8.1.1.7", ["brainpoolP256r1", 256]],
  ["1.3.36.3.3.2.8.1.1.11", ["brainpoolP384r1", 384]],
  ["1.3.36.3.3.2.8.1.1.13", ["brainpoolP512r1", 512]],
]);

/** RFC 3279 section 2.2, RFC 4055, RFC 5758, RFC 8410 section 6, and older identifiers of OIW. */
const signatureAlgorithms = new Map<string, readonly [name: string, hash: string]>([
  ["1.2.840.113549.1.1.2", ["md2WithRSAEncryption", "md2"]],
  ["1.2.840.113549.1.1.3", ["md4WithRSAEncryption", "md4"]],
  ["1.2.840.113549.1.1.4", ["md5WithRSAEncryption", "md5"]],
  ["1.3.14.3.2.3", ["md5WithRSA", "md5"]],
  ["1.2.840.113549.1.1.5", ["sha1WithRSAEncryption", "sha1"]],
  ["1.3.14.3.2.29", ["sha1WithRSA", "sha1"]],
  ["1.2.840.113549.1.1.14", ["sha224WithRSAEncryption", "sha224"]],
  ["1.2.840.113549.1.1.11", ["sha256WithRSAEncryption", "sha256"]],
  ["1.2.840.113549.1.1.12", ["sha384WithRSAEncryption", "sha384"]],
  ["1.2.840.113549.1.1.13", ["sha512WithRSAEncryption", "sha512"]],
  ["1.2.840.10045.4.1", ["ecdsa-with-SHA1", "sha1"]],
  ["1.2.840.10045.4.3.1", ["ecdsa-with-SHA224", "sha224"]],
  ["1.2.840.10045.4.3.2", ["ecdsa-with-SHA256", "sha256"]],
  ["1.2.840.10045.4.3.3", ["ecdsa-with-SHA384", "sha384"]],
  ["1.2.840.10045.4.3.4", ["ecdsa-with-SHA512", "sha512"]],
  ["1.2.840.10040.4.3", ["dsaWithSHA1", "sha1"]],
  ["1.3.14.3.2.27", ["dsaWithSHA1-old", "sha1"]],
  ["2.16.840.1.101.3.4.3.1", ["dsa_with_SHA224", "sha224"]],
  ["2.16.840.1.101.3.4.3.2", ["dsa_with_SHA256", "sha256"]],
  // Both hash internally: SHA-512 and SHAKE256 (RFC 8032 section 5).
  ["1.3.101.112", ["ED25519", "sha512"]],
  ["1.3.101.113", ["ED448", "shake256"]],
]);

/** RSASSA-PSS: its parameters name the hash. */
const rsassaPss = "1.2.840.113549.1.1.10";

/** RFC 4055 section 2.1 and the hashes of RFC 3279. */
const hashes = new Map([
  ["1.2.840.113549.2.2", "md2"],
  ["1.2.840.113549.2.4", "md4"],
  ["1.2.840.113549.2.5", "md5"],
  ["1.3.14.3.2.26", "sha1"],
  ["2.16.840.1.101.3.4.2.4", "sha224"],
  ["2.16.840.1.101.3.4.2.1", "sha256"],
  ["2.16.840.1.101.3.4.2.2", "sha384"],
  ["2.16.840.1.101.3.4.2.3", "sha512"],
]);

/** Key type and size. A field is null if the certificate cannot be read that far. */
export function certificateKey(certificateDer: Uint8Array): CertificateKey {
  const [algorithm, bits] = derChildren(certificateFields(certificateDer).publicKeyInfo);
  const [identifier, parameters] = derChildren(algorithm);
  const type = keyTypes.get(objectIdentifier(identifier) ?? "") ?? null;
  switch (type) {
    case "rsa":
    case "rsa-pss":
      return { ...unknownKey, type, ...rsaNumbers(bits) };
    case "ec":
      return { ...unknownKey, type, ...namedCurve(parameters) };
    case "dsa":
      return { ...unknownKey, type, bits: integerBits(derChildren(parameters)[0]) };
    default:
      return { ...unknownKey, type, bits: edwardsBits[type ?? ""] ?? null };
  }
}

/** Signature algorithm; null if unknown, or if the outer algorithm differs from the signed one (RFC 5280 section 4.1.1.2). */
export function certificateSignature(certificateDer: Uint8Array): {
  /** OpenSSL's algorithm name, or the dotted identifier. */
  readonly algorithm: string;
  /** Signed hash, such as `sha256`; null for an unknown algorithm. */
  readonly hash: string | null;
} | null {
  const { signatureAlgorithm, signatureAlgorithmSigned } = certificateFields(certificateDer);
  if (signatureAlgorithm === undefined || signatureAlgorithmSigned === undefined) return null;
  if (!Buffer.from(signatureAlgorithm.content).equals(signatureAlgorithmSigned.content)) return null;
  const [identifier, parameters] = derChildren(signatureAlgorithm);
  const dotted = objectIdentifier(identifier);
  if (dotted === null) return null;
  if (dotted === rsassaPss) return { algorithm: "rsassaPss", hash: pssHash(parameters) };
  const [algorithm = dotted, hash = null] = signatureAlgorithms.get(dotted) ?? [];
  return { algorithm, hash };
}

/** RFC 4055 section 3.1: the hash is the first parameter; SHA-1 is the default. */
function pssHash(parameters: DerValue | undefined): string | null {
  if (parameters?.tag !== derTags.sequence || readDer(parameters.content) === null) return null;
  const hash = derChildren(parameters).find(({ tag }) => tag === derTags.explicit0);
  if (hash === undefined) return "sha1";
  return hashes.get(objectIdentifier(derChildren(derChildren(hash)[0])[0]) ?? "") ?? null;
}

/** RFC 8017 section A.1.1, inside a bit string. */
function rsaNumbers(bits: DerValue | undefined): Pick<CertificateKey, "bits" | "rsaExponent"> {
  const key = bits?.tag === derTags.bitString && bits.content[0] === 0 ? readDer(bits.content.subarray(1)) : null;
  const [modulus, exponent] = derChildren(key?.[0]);
  const digits = exponent?.tag === derTags.integer ? Buffer.from(exponent.content).toString("hex") : "";
  return { bits: integerBits(modulus), rsaExponent: digits.replace(/^0+(?=.)/, "") || null };
}

/** Length of a positive integer in bits; null for any other value. */
function integerBits(value: DerValue | undefined): number | null {
  if (value?.tag !== derTags.integer || (value.content[0] ?? 0xff) >= 0x80) return null;
  const first = value.content.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : bitLength(value.content.subarray(first));
}

function namedCurve(parameters: DerValue | undefined): Pick<CertificateKey, "bits" | "curve"> {
  const dotted = objectIdentifier(parameters);
  const [curve = dotted, bits = null] = curves.get(dotted ?? "") ?? [];
  return { curve, bits };
}

// Key usages of a certificate.

const extensions = { basicConstraints: "2.5.29.19", keyUsage: "2.5.29.15", extendedKeyUsage: "2.5.29.37" } as const;

/** Bits of KeyUsage in order (RFC 5280 section 4.2.1.3). */
const keyUsages = [
  "digitalSignature",
  "contentCommitment",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
];

/** RFC 5280 section 4.2.1.12. */
const extendedKeyUsages = new Map([
  ["2.5.29.37.0", "anyExtendedKeyUsage"],
  ["1.3.6.1.5.5.7.3.1", "serverAuth"],
  ["1.3.6.1.5.5.7.3.2", "clientAuth"],
  ["1.3.6.1.5.5.7.3.3", "codeSigning"],
  ["1.3.6.1.5.5.7.3.4", "emailProtection"],
  ["1.3.6.1.5.5.7.3.8", "timeStamping"],
  ["1.3.6.1.5.5.7.3.9", "OCSPSigning"],
]);

/** An extension that is absent or unreadable limits nothing. */
export function certificateUsage(certificateDer: Uint8Array): CertificateUsage {
  const fields = certificateFields(certificateDer);
  return {
    authority: isAuthority(extensionValue(fields, extensions.basicConstraints)),
    keyUsage: readKeyUsage(extensionValue(fields, extensions.keyUsage)),
    extendedKeyUsage: readExtendedKeyUsage(extensionValue(fields, extensions.extendedKeyUsage)),
  };
}

/** RFC 5280 section 4.2.1.9: `cA` is the first value, and false if absent. */
function isAuthority(value: DerValue | undefined): boolean {
  const [cA] = derChildren(value);
  return cA?.tag === derTags.boolean && cA.content.length === 1 && cA.content[0] !== 0;
}

/** The first byte of a bit string counts its unused bits; the first bit is the highest one. */
function readKeyUsage(value: DerValue | undefined): CertificateUsage["keyUsage"] {
  if (value?.tag !== derTags.bitString) return null;
  const bits = value.content.subarray(1);
  return keyUsages.filter((_, at) => ((bits[at >> 3] ?? 0) & (0x80 >> (at & 7))) !== 0);
}

/** Sorts known usages first, so that a cut list loses only unknown ones. */
function readExtendedKeyUsage(value: DerValue | undefined): CertificateUsage["extendedKeyUsage"] {
  if (value?.tag !== derTags.sequence) return null;
  const identifiers = new Set(derChildren(value).map((child) => objectIdentifier(child) ?? "?"));
  const known = [...extendedKeyUsages].filter(([identifier]) => identifiers.has(identifier)).map(([, name]) => name);
  const others = [...identifiers].filter((identifier) => !extendedKeyUsages.has(identifier));
  return [...known, ...others].slice(0, certificateUsagesMax);
}

// Reads a certificate's alternative names from its DER bytes. A text form would mix separators with text that an attacker chose.

interface AlternativeName {
  readonly kind: "dns" | "address";
  /** A DNS name as written, or an address in its usual form (RFC 5952). */
  readonly text: string;
}

const tags = { dnsName: 0x82, address: 0x87 } as const;
const subjectAltName = "2.5.29.17";

/** DNS names and IP addresses of the subjectAltName extension (RFC 5280 section 4.2.1.6). Empty if absent or unreadable. */
export function alternativeNames(certificateDer: Uint8Array): readonly AlternativeName[] {
  return derChildren(extensionValue(certificateFields(certificateDer), subjectAltName)).flatMap(readName);
}

function readName({ tag, content }: DerValue): readonly AlternativeName[] {
  if (tag === tags.dnsName) return [{ kind: "dns", text: Buffer.from(content).toString("latin1") }];
  if (tag !== tags.address || (content.length !== 4 && content.length !== 16)) return [];
  return [{ kind: "address", text: addressText(ipaddr.fromByteArray([...content])) }];
}

// Matches certificate names against a host by RFC 9525 section 6, as strictly as browsers do.

/** True if a name covers `host` (ASCII form, IPv6 without brackets). The common name does not count. */
export function namesCoverHost(names: readonly AlternativeName[], host: string): boolean {
  if (ipaddr.isValid(host)) return names.some(({ kind, text }) => kind === "address" && text === addressText(ipaddr.parse(host)));
  const name = host.toLowerCase().replace(/\.$/, "");
  return names.some(({ kind, text }) => kind === "dns" && dnsNameCovers(text.toLowerCase(), name));
}

function dnsNameCovers(presented: string, name: string): boolean {
  if (!presented.includes("*")) return presented === name;
  // RFC 9525 section 6.3: the asterisk must be the complete left-most label and matches exactly one label.
  const base = presented.slice("*.".length);
  if (!presented.startsWith("*.") || base.includes("*") || !base.includes(".") || name.indexOf(".") < 1) return false;
  // RFC 9525 section 7.1 leaves this to policy; browsers reject wildcards for a whole suffix such as `*.co.uk`.
  return name.slice(name.indexOf(".") + 1) === base && !isRegistrySuffix(base);
}

function addressText(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}
