/** Parses a host like a browser, so that no spelling of an address bypasses the SSRF guard. */
import ipaddr from "ipaddr.js";
import { urlHost } from "../parse/address.ts";
import { fitsDns } from "../parse/dns.ts";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type Host =
  | { readonly kind: "address"; readonly text: string; readonly address: Address }
  | { readonly kind: "name"; readonly text: string };

/**
 * Parses a host of a URL, IPv6 with or without brackets; null when invalid. The runtime's URL parser normalises octal,
 * hexadecimal, short and single-number IPv4, full-width digits, percent-encoding and IDN (URL standard section 3.5).
 * Drops a single trailing dot and rejects zone identifiers.
 */
export function parseHost(text: string): Host | null {
  // A URL parser would drop tabs and line breaks, and end the host at the other characters.
  if (text === "" || /[\s/\\?#@]/.test(text)) return null;
  const bracketed = urlHost(text);
  if (!bracketed.startsWith("[") && bracketed.includes(":")) return null;
  if (bracketed.startsWith("[") && !bracketed.endsWith("]")) return null;
  const parsed = URL.parse(`http://${bracketed}/`);
  if (parsed === null) return null;
  const hostname = parsed.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const address = parseAddress(hostname);
  if (address !== null) return { kind: "address", text: addressText(address), address };
  return fitsDns(hostname) ? { kind: "name", text: hostname } : null;
}

/** Parses a dotted quad or an IPv6 address without zone, else null. IPv4-mapped addresses become IPv4. */
export function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  // RFC 4291 section 2.5.5.2: the kernel connects to the IPv4 address.
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Canonical text of an address for messages, pinned addresses and evidence; RFC 5952 for IPv6. */
export function addressText(address: Address): string {
  return address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}

export function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
