/** Finds the fields of a certificate in its own bytes (RFC 5280 section 4.1): the runtime cannot tell all of them, least of all of rare kinds. */
import { type DerValue, derChildren, derTags, objectIdentifier, readDer } from "./der.ts";

export interface CertificateFields {
  /** AlgorithmIdentifier beside the signature. */
  readonly signatureAlgorithm: DerValue | undefined;
  /** AlgorithmIdentifier under the signature; section 4.1.1.2 wants both alike. */
  readonly signatureAlgorithmSigned: DerValue | undefined;
  /** SubjectPublicKeyInfo. */
  readonly publicKeyInfo: DerValue | undefined;
  readonly extensions: readonly DerValue[];
}

/** A field that cannot be found is undefined, or empty. */
export function certificateFields(certificateDer: Uint8Array): CertificateFields {
  const [toBeSigned, signatureAlgorithm] = derChildren(readDer(certificateDer)?.[0]);
  const signed = derChildren(toBeSigned);
  // The version has a default and may be left out: serial number, signature, issuer, validity, subject, key.
  const serialAt = signed[0]?.tag === derTags.explicit0 ? 1 : 0;
  return {
    signatureAlgorithm,
    signatureAlgorithmSigned: signed[serialAt + 1],
    publicKeyInfo: signed[serialAt + 5],
    extensions: derChildren(derChildren(signed.find(({ tag }) => tag === derTags.explicit3))[0]),
  };
}

/** The value within the extension of that identifier; undefined without one. */
export function extensionValue({ extensions }: CertificateFields, identifier: string): DerValue | undefined {
  const extension = extensions.map(derChildren).find(([id]) => objectIdentifier(id) === identifier);
  const value = extension?.find(({ tag }) => tag === derTags.octetString);
  return value === undefined ? undefined : readDer(value.content)?.[0];
}
