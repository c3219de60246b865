/**
 * Generates certificates for tests, valid ones and all kinds of invalid ones, including the DER encoding.
 *
 *     const identity = siteIdentity("site.test");                 // leaf and intermediate, below the test root
 *     const expired = siteIdentity("site.test", { flaw: "expired" });
 *     const leaf = testAuthority().intermediate.issue({ names: ["*.site.test", "127.0.0.1"], key: "rsa-2048" });
 *
 * Trust `testAuthority().root.pem` (for example in `caPems`) to trust all valid ones.
 */
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import { dayMs } from "../../src/base/units.ts";

export type KeyKind = "ec-p224" | "ec-p256" | "ec-p384" | "rsa-1024" | "rsa-2048" | "rsa-3072" | "rsa-4096" | "ed25519";
export type HashName = "md5" | "sha1" | "sha224" | "sha256" | "sha384";

export interface CertificateOptions {
  readonly commonName?: string;
  /** DNS names and IP addresses of the subjectAltName extension, which is omitted if empty. */
  readonly names?: readonly string[];
  readonly validFrom?: Date;
  readonly validTo?: Date;
  readonly key?: KeyKind;
  /** SubjectPublicKeyInfo (DER) instead of that key's, for key types that the runtime cannot generate. */
  readonly publicKeyInfo?: Buffer;
  /** Hash of the certificate's signature. */
  readonly hash?: HashName;
  /** Signs with RSASSA-PSS if the issuer has an RSA key. */
  readonly pss?: boolean;
  /** Whether it may issue others. */
  readonly authority?: boolean;
  /** Private key in place of a new one: two certificates with one key and name are cross-signed twins. */
  readonly privateKeyPem?: string;
  /** Bit string of the key usage extension (DER); null leaves it out. */
  readonly keyUsage?: Buffer | null;
  /** Object identifiers of the extended key usage extension; null leaves it out. */
  readonly extendedKeyUsage?: readonly string[] | null;
}

export interface IssuedCertificate {
  readonly pem: string;
  readonly der: Buffer;
  readonly privateKeyPem: string;
  /** Issues a certificate below this one. */
  issue(options: CertificateOptions): IssuedCertificate;
}

/** Certificate chain and key of a server. */
export interface ServerIdentity {
  /** Certificates from the leaf to the last intermediate. */
  readonly certificateChainPem: string;
  readonly privateKeyPem: string;
}

export type Flaw = "expired" | "not-yet-valid" | "wrong-host" | "self-signed" | "unknown-root" | "missing-intermediate" | "no-names";

const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs);

/** The identity of a server for this host, valid except for the flaw. `options` override the options of the leaf. */
export function siteIdentity(host: string, { flaw, ...options }: CertificateOptions & { readonly flaw?: Flaw } = {}): ServerIdentity {
  const leafOptions: CertificateOptions = { commonName: host, names: [host], ...flawed[flaw ?? "none"], ...options };
  const { intermediate } = flaw === "unknown-root" ? untrustedAuthority() : testAuthority();
  const leaf = flaw === "self-signed" ? selfSigned(leafOptions) : intermediate.issue(leafOptions);
  const alone = flaw === "self-signed" || flaw === "missing-intermediate";
  return { certificateChainPem: alone ? leaf.pem : leaf.pem + intermediate.pem, privateKeyPem: leaf.privateKeyPem };
}

const flawed: Partial<Record<Flaw | "none", CertificateOptions>> = {
  expired: { validFrom: daysFromNow(-100), validTo: daysFromNow(-10) },
  "not-yet-valid": { validFrom: daysFromNow(10), validTo: daysFromNow(100) },
  "wrong-host": { commonName: "other.test", names: ["other.test"] },
  "no-names": { names: [] },
};

export interface Authority {
  readonly root: IssuedCertificate;
  readonly intermediate: IssuedCertificate;
}

/** The authority whose root tests trust. Created once. */
export const testAuthority = once(() => makeAuthority("Assay test"));
/** An authority that tests never trust. */
export const untrustedAuthority = once(() => makeAuthority("Strange"));

export function makeAuthority(name: string): Authority {
  const root = selfSigned({ commonName: `${name} root`, authority: true, validTo: daysFromNow(3_650) });
  return { root, intermediate: root.issue({ commonName: `${name} issuing CA`, authority: true, validTo: daysFromNow(1_000) }) };
}

export function selfSigned(options: CertificateOptions): IssuedCertificate {
  const key = keyOf(options);
  return makeCertificate(options, key, { name: distinguishedName(options), key });
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Issuer {
  readonly name: Buffer;
  readonly key: KeyPair;
}

/** Cached, because RSA keys take long to generate. */
const rsaKeys = new Map<KeyKind, KeyPair>();

function keyOf({ privateKeyPem, key = "ec-p256" }: CertificateOptions): KeyPair {
  if (privateKeyPem === undefined) return newKey(key);
  return { publicKey: createPublicKey(privateKeyPem), privateKey: createPrivateKey(privateKeyPem) };
}

function newKey(kind: KeyKind): KeyPair {
  if (kind === "ed25519") return generateKeyPairSync("ed25519");
  if (kind === "ec-p224") return generateKeyPairSync("ec", { namedCurve: "secp224r1" });
  if (kind === "ec-p256") return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  if (kind === "ec-p384") return generateKeyPairSync("ec", { namedCurve: "secp384r1" });
  const key = rsaKeys.get(kind) ?? generateKeyPairSync("rsa", { modulusLength: Number(kind.slice("rsa-".length)) });
  rsaKeys.set(kind, key);
  return key;
}

/** RFC 5280 section 4.1. */
function makeCertificate(options: CertificateOptions, key: KeyPair, issuer: Issuer): IssuedCertificate {
  const subject = distinguishedName(options);
  const algorithm = signatureAlgorithm(issuer.key.privateKey, options);
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x4a]), randomBytes(15)])),
    algorithm.identifier,
    issuer.name,
    sequence(time(options.validFrom ?? daysFromNow(-1)), time(options.validTo ?? daysFromNow(90))),
    subject,
    options.publicKeyInfo ?? key.publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions(options, key, issuer))),
  );
  const der = sequence(toBeSigned, algorithm.identifier, bitString(algorithm.sign(toBeSigned)));
  return {
    pem: pemText(der),
    der,
    privateKeyPem: key.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    issue: (below) => makeCertificate(below, keyOf(below), { name: subject, key }),
  };
}

function extensions(options: CertificateOptions, key: KeyPair, issuer: Issuer): readonly Buffer[] {
  const { authority, names = [] } = options;
  const { keyUsage = authority ? certificateSign : digitalSignatureAndKeyEncipherment } = options;
  const { extendedKeyUsage = authority ? null : [serverAuth] } = options;
  const all = [
    extension("2.5.29.19", sequence(...(authority ? [boolean(true)] : [])), true),
    extension("2.5.29.14", octetString(keyIdentifier(key))),
    extension("2.5.29.35", sequence(tlv(0x80, keyIdentifier(issuer.key)))),
  ];
  if (keyUsage !== null) all.push(extension("2.5.29.15", keyUsage, true));
  if (extendedKeyUsage !== null) all.push(extension("2.5.29.37", sequence(...extendedKeyUsage.map(objectIdentifier))));
  if (names.length > 0) all.push(extension("2.5.29.17", sequence(...names.map(generalName))));
  return all;
}

const serverAuth = "1.3.6.1.5.5.7.3.1";
/** Bits of KeyUsage, RFC 5280 section 4.2.1.3. The first one also has digitalSignature. */
const certificateSign = Buffer.from([0x03, 0x02, 0x01, 0x86]);
const digitalSignatureAndKeyEncipherment = Buffer.from([0x03, 0x02, 0x05, 0xa0]);

function keyIdentifier({ publicKey }: KeyPair): Buffer {
  return createHash("sha1")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest();
}

interface SignatureAlgorithm {
  readonly identifier: Buffer;
  sign(bytes: Buffer): Buffer;
}

function signatureAlgorithm(key: KeyObject, { hash = "sha256", pss = false }: CertificateOptions): SignatureAlgorithm {
  if (key.asymmetricKeyType === "ed25519") {
    return { identifier: sequence(objectIdentifier("1.3.101.112")), sign: (bytes) => sign(null, bytes, key) };
  }
  if (key.asymmetricKeyType === "rsa") return pss ? rsassaPss(key, hash) : rsaPkcs1(key, hash);
  const tail = { md5: "1", sha1: "1", sha224: "3.1", sha256: "3.2", sha384: "3.3" }[hash];
  return { identifier: sequence(objectIdentifier(`1.2.840.10045.4.${tail}`)), sign: (bytes) => sign(hash, bytes, key) };
}

function rsaPkcs1(key: KeyObject, hash: HashName): SignatureAlgorithm {
  const last = { md5: 4, sha1: 5, sha224: 14, sha256: 11, sha384: 12 }[hash];
  return { identifier: sequence(objectIdentifier(`1.2.840.113549.1.1.${last}`), tlv(0x05)), sign: (bytes) => sign(hash, bytes, key) };
}

/** RFC 4055 section 3.1: omits parameters with the default values (SHA-1). */
function rsassaPss(key: KeyObject, hash: HashName): SignatureAlgorithm {
  const saltLength = createHash(hash).digest().length;
  const hashed = sequence(objectIdentifier(hashIdentifiers[hash]), tlv(0x05));
  const masked = sequence(objectIdentifier("1.2.840.113549.1.1.8"), hashed);
  const parameters = hash === "sha1" ? [] : [explicit(0, hashed), explicit(1, masked), explicit(2, integer(Buffer.from([saltLength])))];
  return {
    identifier: sequence(objectIdentifier("1.2.840.113549.1.1.10"), sequence(...parameters)),
    sign: (bytes) => sign(hash, bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }),
  };
}

const hashIdentifiers: Readonly<Record<HashName, string>> = {
  md5: "1.2.840.113549.2.5",
  sha1: "1.3.14.3.2.26",
  sha224: "2.16.840.1.101.3.4.2.4",
  sha256: "2.16.840.1.101.3.4.2.1",
  sha384: "2.16.840.1.101.3.4.2.2",
};

function distinguishedName({ commonName = "" }: CertificateOptions): Buffer {
  if (commonName === "") return sequence();
  return sequence(tlv(0x31, sequence(objectIdentifier("2.5.4.3"), tlv(0x0c, Buffer.from(commonName)))));
}

function generalName(name: string): Buffer {
  return isIP(name) === 0 ? tlv(0x82, Buffer.from(name)) : tlv(0x87, addressBytes(name));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const [before, after] = [head, tail].map((part) => part.split(":").filter((group) => group !== "")) as [string[], string[]];
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}

function extension(oid: string, value: Buffer, critical = false): Buffer {
  return sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value));
}

function pemText(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** DER encoding, X.690: tag, length and value. */
function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  if (value.length < 0x80) return Buffer.concat([Buffer.from([tag, value.length]), value]);
  const hex = value.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, value]);
}

const sequence = (...parts: readonly Buffer[]) => tlv(0x30, ...parts);
const explicit = (number: number, part: Buffer) => tlv(0xa0 | number, part);
const integer = (bytes: Buffer) => tlv(0x02, bytes);
const boolean = (value: boolean) => tlv(0x01, Buffer.from([value ? 0xff : 0]));
const octetString = (bytes: Buffer) => tlv(0x04, bytes);
const bitString = (bytes: Buffer) => tlv(0x03, Buffer.from([0]), bytes);

/** RFC 5280 section 4.1.2.5: two-digit years from 1950 to 2049, four-digit years otherwise. */
function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, "");
  const year = date.getUTCFullYear();
  return year >= 1_950 && year < 2_050 ? tlv(0x17, Buffer.from(text.slice(2))) : tlv(0x18, Buffer.from(text));
}

function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tlv(0x06, Buffer.from([40 * first + second, ...rest.flatMap(base128)]));
}

function base128(number: number): readonly number[] {
  const bytes = [number & 0x7f];
  for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) bytes.unshift(0x80 | (left & 0x7f));
  return bytes;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
