/** Finds certificate fields in DER bytes (RFC 5280 section 4.1). The runtime does not expose all of them, especially for rare key types. */
import { type DerValue, derChildren, derTags, objectIdentifier, readDer } from "./der.ts";

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
