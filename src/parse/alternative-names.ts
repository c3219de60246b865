/** Reads a certificate's alternative names from its DER bytes. A text form would mix separators with text that an attacker chose. */
import ipaddr from "ipaddr.js";
import { certificateFields, extensionValue } from "./certificate-fields.ts";
import { type DerValue, derChildren } from "./der.ts";

export interface AlternativeName {
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
  const address = ipaddr.fromByteArray([...content]);
  return [{ kind: "address", text: address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString() }];
}
