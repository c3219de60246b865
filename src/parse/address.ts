/** Reads addresses and endpoints as operators write them in settings. */
import ipaddr from "ipaddr.js";

const portMax = 65_535;

interface Endpoint {
  /** IP address, IPv6 without brackets. */
  readonly address: string;
  readonly port: number;
}

interface ConnectTo {
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly addressPort: number;
}

/** An IP address in its usual form, four decimal parts for IPv4; null for anything else. Takes IPv6 with or without brackets. */
export function parseIpText(text: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text;
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  return bare.includes(":") && ipaddr.IPv6.isValid(bare) ? bare : null;
}

/** An address without its last part, as in `192.0.2.0` and `2001:db8:1::`: a /24 of IPv4, a /48 of IPv6. What is no address stays as it is. */
export function truncatedAddress(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const family = ipaddr.parse(text).kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${text}/${family === ipaddr.IPv4 ? 24 : 48}`).toString();
}

/** A port from 0, which asks the system for a free one, to 65535. */
function parsePort(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= portMax ? Number(text) : null;
}

/** `127.0.0.1:8787`, `[::1]:8787`. */
export function parseEndpoint(text: string): Endpoint | null {
  const [, head = "", tail = ""] = /^(.*):(\d+)$/.exec(text) ?? [];
  const address = /^[^[\]:]*$|^\[.*\]$/.test(head) ? parseIpText(head) : null;
  const port = parsePort(tail);
  return address === null || port === null ? null : { address, port };
}

/** `address` or `address:port` of a resolver, as it was written. */
export function parseResolver(text: string): string | null {
  return parseIpText(text) !== null || parseEndpoint(text) !== null ? text : null;
}

/** `site.test:443=127.0.0.1:8443`, in the manner of curl's `--connect-to`. */
export function parseConnectTo(text: string): ConnectTo | null {
  const [from = "", to = "", ...rest] = text.split("=");
  const [, host, tail = ""] = /^([a-z0-9.-]+|\[[0-9a-f:]+\]):(\d+)$/i.exec(from) ?? [];
  const port = parsePort(tail);
  const endpoint = parseEndpoint(to);
  if (host === undefined || port === null || endpoint === null || rest.length > 0) return null;
  return { host: host.toLowerCase(), port, address: endpoint.address, addressPort: endpoint.port };
}
