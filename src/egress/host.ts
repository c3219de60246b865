/** Reads a host as a browser reads it, so that no spelling of an address can pass for a name. */
import ipaddr from "ipaddr.js";
import { fitsDns } from "../parse/dns-name.ts";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type Host =
  | { readonly kind: "address"; readonly text: string; readonly address: Address }
  | { readonly kind: "name"; readonly text: string };

/**
 * A host as it stands in a URL (IPv6 with or without brackets), or null when it is none. Octal, hexadecimal, short and
 * single-number IPv4, full-width digits, percent-encoding and IDN all end in one form, because the URL parser of the
 * runtime does the reading (URL standard section 3.5). A single trailing dot is dropped; zone identifiers are no host.
 */
export function parseHost(text: string): Host | null {
  // A URL parser drops tabs and line breaks and ends the host at these; a host that needs that is not one.
  if (text === "" || /[\s/\\?#@]/.test(text)) return null;
  const bracketed = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  if (!bracketed.startsWith("[") && bracketed.includes(":")) return null;
  if (bracketed.startsWith("[") && !bracketed.endsWith("]")) return null;
  const parsed = URL.parse(`http://${bracketed}/`);
  if (parsed === null) return null;
  const hostname = parsed.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const address = parseAddress(hostname);
  if (address !== null) return { kind: "address", text: addressText(address), address };
  return fitsDns(hostname) ? { kind: "name", text: hostname } : null;
}

/** An address in its plain form only (dotted quad, or IPv6 text without zone), IPv4-mapped ones as the IPv4 they are; else null. */
export function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  // RFC 4291 section 2.5.5.2: the kernel connects to the IPv4 address, so that is what it is.
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** The one spelling of an address used in messages, pins and evidence. RFC 5952 for IPv6. */
export function addressText(address: Address): string {
  return address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}

/** `host:port` with brackets where IPv6 needs them. */
export function endpointText(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The port that a URL is asked at: its own, or that of its scheme. */
export function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
