/** Converts a certificate to facts. */

import { type KeyObject, X509Certificate } from "node:crypto";
import { tryOr } from "../../base/try-or.ts";
import { certificateNameCharsMax, certificateNamesMax } from "../../evidence/limits.ts";
import { boundedList, boundedText } from "../../evidence/redact.ts";
import type { CertificateFacts, PathCertificate } from "../../evidence/tls-facts.ts";
import { alternativeNames, certificateKey, certificateSignature, certificateUsage } from "../../parse/certificate.ts";

export function readCertificate(der: Uint8Array): X509Certificate | null {
  // Bun 1.4 rejects DER of some hundred kilobytes (thousands of names), but accepts the same as PEM.
  const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE-----\n`;
  return tryOr(() => new X509Certificate(pem), null);
}

export function certificateFacts(certificate: X509Certificate, trustAnchor: boolean): CertificateFacts {
  const { names, namesDropped } = boundedList("names", alternativeNames(certificate.raw), certificateNamesMax);
  const key = certificateKey(certificate.raw);
  const signature = certificateSignature(certificate.raw);
  return {
    ...pathCertificate(certificate, trustAnchor),
    issuer: distinguishedName(certificate.issuer),
    names: names.map(({ text }) => short(text)),
    namesDropped,
    keyType: key.type,
    keyBits: key.bits,
    curve: key.curve,
    rsaExponent: key.rsaExponent === null ? null : short(key.rsaExponent),
    signatureAlgorithm: signature?.algorithm ?? null,
    signatureHash: signature?.hash ?? null,
    serialNumber: short(certificate.serialNumber),
    selfSigned: isSelfSigned(certificate),
    usage: certificateUsage(certificate.raw),
  };
}

/** The part of a certificate's facts that explains a path. */
export function pathCertificate(certificate: X509Certificate, trustAnchor: boolean): PathCertificate {
  return {
    subject: distinguishedName(certificate.subject),
    validFrom: isoDate(certificate.validFrom),
    validTo: isoDate(certificate.validTo),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    trustAnchor,
  };
}

/** Validity period in milliseconds since 1970; NaN for an unreadable date. */
export function certificatePeriod({ validFrom, validTo }: X509Certificate): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: Date.parse(isoDate(validFrom)), toMs: Date.parse(isoDate(validTo)) };
}

/** Whether subject and issuer are equal and its own key verifies the signature. A signature that cannot be verified counts as valid here. */
export function isSelfSigned(certificate: X509Certificate): boolean {
  if (certificate.subject !== certificate.issuer) return false;
  return isSignedBy(certificate, certificate) || (!isVerifiable(certificate) && certificate.checkIssued(certificate));
}

/** BoringSSL cannot verify DSA, curves other than NIST's, hashes older than SHA-1, or RSASSA-PSS below SHA-256. */
function isVerifiable(certificate: X509Certificate): boolean {
  const signature = certificateSignature(certificate.raw);
  const hashes = signature?.algorithm === "rsassaPss" ? ["sha256", "sha384", "sha512"] : ["sha1", "sha224", "sha256", "sha384", "sha512"];
  const keyType = publicKeyOf(certificate)?.asymmetricKeyType ?? "";
  return ["rsa", "ec", "ed25519"].includes(keyType) && hashes.includes(signature?.hash ?? "");
}

export function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  const key = publicKeyOf(issuer);
  return key !== null && tryOr(() => certificate.verify(key), false);
}

function publicKeyOf(certificate: X509Certificate): KeyObject | null {
  return tryOr(() => certificate.publicKey, null);
}

function distinguishedName(lines: string | undefined): string {
  return short((lines ?? "").split("\n").join(", "));
}

function short(text: string): string {
  return boundedText(text, certificateNameCharsMax).text;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** OpenSSL's date format. `new Date` would read the year 49 as 2049. */
const datePattern = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (\d{1,4}) GMT$/;

/** Date in ISO 8601; a text that is not a date is returned as it is, and checks recognise it. */
function isoDate(text: string): string {
  const [, month = "", day = "", time = "", year = ""] = datePattern.exec(text) ?? [];
  const twoDigits = (number: number | string) => String(number).padStart(2, "0");
  const date = new Date(`${year.padStart(4, "0")}-${twoDigits(months.indexOf(month) + 1)}-${twoDigits(day)}T${time}Z`);
  return Number.isNaN(date.getTime()) ? short(text) : date.toISOString();
}
