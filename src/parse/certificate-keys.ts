/** Reads the public key and the signature algorithm from a certificate's DER bytes. */
import { certificateFields } from "./certificate-fields.ts";
import { type DerValue, derChildren, derTags, objectIdentifier, readDer } from "./der.ts";

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

/** Null if unknownKey, or if the outer algorithm differs from the signed one (RFC 5280 section 4.1.1.2). */
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
  const digits =
    exponent?.tag === derTags.integer
      ? Buffer.from(exponent.content)
          .toString("hex")
          .replace(/^0+(?=.)/, "")
      : "";
  return { bits: integerBits(modulus), rsaExponent: digits === "" ? null : digits };
}

/** Length of a positive integer in bits; null for any other value. */
function integerBits(value: DerValue | undefined): number | null {
  if (value?.tag !== derTags.integer || (value.content[0] ?? 0xff) >= 0x80) return null;
  const first = value.content.findIndex((byte) => byte !== 0);
  if (first < 0) return 0;
  return 8 * (value.content.length - first) - (Math.clz32(value.content[first] ?? 0) - 24);
}

function namedCurve(parameters: DerValue | undefined): Pick<CertificateKey, "bits" | "curve"> {
  const dotted = objectIdentifier(parameters);
  const [curve = dotted, bits = null] = curves.get(dotted ?? "") ?? [];
  return { curve, bits };
}
