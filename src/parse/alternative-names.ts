/** Reads the names that a certificate is for out of its own bytes: a text form would have to be told apart from what an attacker wrote into a name. */
import ipaddr from "ipaddr.js";
import { certificateFields, extensionValue } from "./certificate-fields.ts";
import { type DerValue, derChildren } from "./der.ts";

export interface AlternativeName {
  readonly kind: "dns" | "address";
  /** A DNS name as written, or an address in its usual form (RFC 5952). */
  readonly text: string;
}

/** Tags of GeneralName. */
const tags = { dnsName: 0x82, address: 0x87 } as const;
const subjectAltName = "2.5.29.17";

/** All DNS names and IP addresses of the subjectAltName extension (RFC 5280 section 4.2.1.6); empty without one, or when it cannot be read. */
export function alternativeNames(certificateDer: Uint8Array): readonly AlternativeName[] {
  return derChildren(extensionValue(certificateFields(certificateDer), subjectAltName)).flatMap(readName);
}

function readName({ tag, content }: DerValue): readonly AlternativeName[] {
  if (tag === tags.dnsName) return [{ kind: "dns", text: Buffer.from(content).toString("latin1") }];
  if (tag !== tags.address || (content.length !== 4 && content.length !== 16)) return [];
  const address = ipaddr.fromByteArray([...content]);
  return [{ kind: "address", text: address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString() }];
}
