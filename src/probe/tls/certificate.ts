/** Turns a certificate into facts. */
import { type KeyObject, X509Certificate } from "node:crypto";
import { boundedText } from "../../evidence/bound.ts";
import type { CertificateFacts } from "../../evidence/facts.ts";
import { certificateNameCharsMax, certificateNamesMax } from "../../evidence/limits.ts";
import { alternativeNames } from "../../parse/alternative-names.ts";
import { certificateKey, certificateSignature } from "../../parse/certificate-keys.ts";

/** Null for bytes that the runtime does not take for a certificate. */
export function readCertificate(der: Uint8Array): X509Certificate | null {
  try {
    // Bun 1.4 takes no DER beyond some hundred kilobytes, which thousands of names add up to; it takes the same as PEM.
    return new X509Certificate(`-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE-----\n`);
  } catch {
    return null;
  }
}

export function certificateFacts(certificate: X509Certificate, trustAnchor: boolean): CertificateFacts {
  const names = alternativeNames(certificate.raw);
  const key = certificateKey(certificate.raw);
  const signature = certificateSignature(certificate.raw);
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    names: names.slice(0, certificateNamesMax).map(({ text }) => short(text)),
    namesDropped: Math.max(0, names.length - certificateNamesMax),
    validFrom: isoDate(certificate.validFrom),
    validTo: isoDate(certificate.validTo),
    keyType: key.type,
    keyBits: key.bits,
    curve: key.curve,
    rsaExponent: key.rsaExponent === null ? null : short(key.rsaExponent),
    signatureAlgorithm: signature?.algorithm ?? null,
    signatureHash: signature?.hash ?? null,
    serialNumber: short(certificate.serialNumber),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    selfSigned: isSelfSigned(certificate),
    trustAnchor,
  };
}

/** Its issuer has its own name, and its own key made the signature, or at least claims to where this runtime cannot verify it. */
export function isSelfSigned(certificate: X509Certificate): boolean {
  if (certificate.subject !== certificate.issuer) return false;
  return isSignedBy(certificate, certificate) || (!isVerifiable(certificate) && certificate.checkIssued(certificate));
}

/** BoringSSL verifies no DSA, no curve but NIST's, no hash older than SHA-1, and RSASSA-PSS from SHA-256 on. */
function isVerifiable(certificate: X509Certificate): boolean {
  const signature = certificateSignature(certificate.raw);
  const hashes = signature?.algorithm === "rsassaPss" ? ["sha256", "sha384", "sha512"] : ["sha1", "sha224", "sha256", "sha384", "sha512"];
  const keyType = publicKeyOf(certificate)?.asymmetricKeyType ?? "";
  return ["rsa", "ec", "ed25519"].includes(keyType) && hashes.includes(signature?.hash ?? "");
}

export function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  const key = publicKeyOf(issuer);
  try {
    return key !== null && certificate.verify(key);
  } catch {
    return false;
  }
}

function publicKeyOf(certificate: X509Certificate): KeyObject | null {
  try {
    return certificate.publicKey;
  } catch {
    return null;
  }
}

/** The runtime gives one part to a line. */
function distinguishedName(lines: string | undefined): string {
  return short((lines ?? "").split("\n").join(", "));
}

function short(text: string): string {
  return boundedText(text, certificateNameCharsMax).text;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** As OpenSSL writes it. `new Date` would take the year 49 for 2049. */
const dateForm = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (\d{1,4}) GMT$/;

/** The runtime's own text when it is no date: nobody can judge it then, and the checks see that. */
function isoDate(text: string): string {
  const [, month = "", day = "", time = "", year = ""] = dateForm.exec(text) ?? [];
  const twoDigits = (number: number | string) => String(number).padStart(2, "0");
  const date = new Date(`${year.padStart(4, "0")}-${twoDigits(months.indexOf(month) + 1)}-${twoDigits(day)}T${time}Z`);
  return Number.isNaN(date.getTime()) ? short(text) : date.toISOString();
}
