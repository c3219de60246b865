/** Reads from a certificate's DER bytes what it may be used for. */
import { certificateUsagesMax } from "../evidence/limits.ts";
import type { CertificateUsage } from "../evidence/tls-facts.ts";
import { certificateFields, extensionValue } from "./certificate-fields.ts";
import { type DerValue, derChildren, derTags, objectIdentifier } from "./der.ts";

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

/** Known usages come first, so that a long list loses only unknown ones. */
function readExtendedKeyUsage(value: DerValue | undefined): CertificateUsage["extendedKeyUsage"] {
  if (value?.tag !== derTags.sequence) return null;
  const identifiers = new Set(derChildren(value).map((child) => objectIdentifier(child) ?? "?"));
  const known = [...extendedKeyUsages].filter(([identifier]) => identifiers.has(identifier)).map(([, name]) => name);
  const others = [...identifiers].filter((identifier) => !extendedKeyUsages.has(identifier));
  return [...known, ...others].slice(0, certificateUsagesMax);
}
