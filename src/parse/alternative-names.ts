/** Reads the names that a certificate is for out of its own bytes: a text form would have to be told apart from what an attacker wrote into a name. */
import ipaddr from "ipaddr.js";
import { type DerValue, readDer } from "./der.ts";

export interface AlternativeName {
  readonly kind: "dns" | "address";
  /** A DNS name as written, or an address in its usual form (RFC 5952). */
  readonly text: string;
}

const tags = { octetString: 0x04, objectIdentifier: 0x06, sequence: 0x30, extensions: 0xa3, dnsName: 0x82, address: 0x87 } as const;
/** 2.5.29.17 */
const subjectAltName = "551d11";

/** All DNS names and IP addresses of the subjectAltName extension (RFC 5280 section 4.2.1.6); empty without one, or when it cannot be read. */
export function alternativeNames(certificateDer: Uint8Array): readonly AlternativeName[] {
  const certificate = childrenOf(readDer(certificateDer)?.[0]);
  const toBeSigned = childrenOf(certificate[0]);
  const extensions = childrenOf(childrenOf(toBeSigned.find(({ tag }) => tag === tags.extensions))[0]);
  const extension = extensions.map(childrenOf).find(([id]) => id?.tag === tags.objectIdentifier && hex(id.content) === subjectAltName);
  const value = extension?.find(({ tag }) => tag === tags.octetString);
  const names = value === undefined ? [] : childrenOf(readDer(value.content)?.[0]);
  return names.flatMap(readName);
}

function childrenOf(value: DerValue | undefined): readonly DerValue[] {
  if (value === undefined || (value.tag !== tags.sequence && value.tag !== tags.extensions)) return [];
  return readDer(value.content) ?? [];
}

function readName({ tag, content }: DerValue): readonly AlternativeName[] {
  if (tag === tags.dnsName) return [{ kind: "dns", text: Buffer.from(content).toString("latin1") }];
  if (tag !== tags.address || (content.length !== 4 && content.length !== 16)) return [];
  const address = ipaddr.fromByteArray([...content]);
  return [{ kind: "address", text: address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString() }];
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
