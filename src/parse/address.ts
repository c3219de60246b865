/**
 * Parses the addresses that operators write in settings: IP addresses, endpoints, origins, contacts, nats-servers and repository paths.
 */
import ipaddr from "ipaddr.js";
import { parseUrlHost } from "./scan-url.ts";

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

/** IP address in its usual form: four decimal parts for IPv4, no brackets for IPv6. Null for anything else. */
export function parseIpText(text: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text;
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  return bare.includes(":") && ipaddr.IPv6.isValid(bare) ? bare : null;
}

/** Network address of a /24 for IPv4 or a /48 for IPv6, such as `192.0.2.0` or `2001:db8:1::`. Other text is unchanged. */
export function truncatedAddress(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const family = ipaddr.parse(text).kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${text}/${family === ipaddr.IPv4 ? 24 : 48}`).toString();
}

/** Ranges of ipaddr.js that no public network routes. Resolvers of networks with NAT64 make up addresses of `rfc6052` (RFC 6147). */
const unroutedRanges: readonly string[] = ["unspecified", "loopback", "linkLocal", "uniqueLocal", "ipv4Mapped", "rfc6052", "multicast"];

/** True for an IPv6 address that the internet can reach. */
export function isRoutableIpv6(text: string): boolean {
  return ipaddr.IPv6.isValid(text) && !unroutedRanges.includes(ipaddr.IPv6.parse(text).range());
}

/** Port 0 to 65535; 0 lets the system choose. Null for anything else. */
function parsePort(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= portMax ? Number(text) : null;
}

/** Address and port, such as `127.0.0.1:8787` or `[::1]:8787`; null for anything else. */
export function parseEndpoint(text: string): Endpoint | null {
  const [, head = "", tail = ""] = /^(.*):(\d+)$/.exec(text) ?? [];
  const address = /^[^[\]:]*$|^\[.*\]$/.test(head) ? parseIpText(head) : null;
  const port = parsePort(tail);
  return address === null || port === null ? null : { address, port };
}

export function endpointText(host: string, port: number): string {
  return `${urlHost(host)}:${port}`;
}

/** Host part of a URL: an IPv6 address gets brackets (RFC 3986 section 3.2.2). */
export function urlHost(address: string): string {
  return address.includes(":") && !address.startsWith("[") ? `[${address}]` : address;
}

/** Resolver as `address` or `address:port`, unchanged; null for anything else. */
export function parseResolver(text: string): string | null {
  return parseIpText(text) !== null || parseEndpoint(text) !== null ? text : null;
}

/** Override such as `site.test:443=127.0.0.1:8443`, similar to curl's `--connect-to`, for any host of a scan; null for anything else. */
export function parseConnectTo(text: string): ConnectTo | null {
  const [from = "", to = "", ...rest] = text.split("=");
  const [, head = "", tail = ""] = /^(.*):(\d+)$/.exec(from) ?? [];
  const host = parseUrlHost(head);
  const port = parsePort(tail);
  const endpoint = parseEndpoint(to);
  if (host === null || port === null || endpoint === null || rest.length > 0) return null;
  return { host, port, address: endpoint.address, addressPort: endpoint.port };
}

/** As in the setting. */
export function connectToText({ host, port, address, addressPort }: ConnectTo): string {
  return `${endpointText(host, port)}=${endpointText(address, addressPort)}`;
}

/** Longer than any host (RFC 1035 section 2.3.4: 255) with scheme and port. */
const originCharsMax = 300;

/** Origin such as `https://assay.example.org` as the WHATWG URL standard serializes it: no final slash, no default port. Null for anything else. */
export function parseOrigin(text: string): string | null {
  if (text.length > originCharsMax || !/^https?:\/\/[^/?#\\@\s]+\/?$/i.test(text)) return null;
  return URL.parse(text)?.origin ?? null;
}

/** Longer than any mail address (RFC 5321 section 4.5.3.1.3: 254), and enough for a page. */
const contactCharsMax = 500;

/** Contact URI of RFC 9116 section 2.5.3: `https:`, or `mailto:` also for a bare mail address. Null for anything else. */
export function parseContact(text: string): string | null {
  if (text.length > contactCharsMax || !/^[\x21-\x7e]+$/.test(text)) return null;
  if (/^https:\/\//i.test(text)) return URL.parse(text)?.href ?? null;
  const [, address] = /^(?:mailto:)?([^@?:/<>"%]+@[^@?:/<>"%]+)$/i.exec(text) ?? [];
  return address === undefined ? null : `mailto:${address}`;
}

export interface NatsUrl {
  /** DNS name or IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

const portDefault = 4222;

/** `tls://host[:port]`, or `nats://` with a loopback address; null for anything else. Credentials in a URL would reach logs. */
export function parseNatsUrl(text: string): NatsUrl | null {
  const server = text.length > originCharsMax ? null : parseServerUrl(text, /^(tls|nats):\/\/([^/?#\\@\s]+)\/?$/i);
  if (server === null || (server.scheme !== "tls" && !isLoopback(server.host))) return null;
  return { host: server.host, port: server.port ?? portDefault, tls: server.scheme === "tls" };
}

/** As in the setting. */
export function natsUrlText({ host, port, tls }: NatsUrl): string {
  return `${tls ? "tls" : "nats"}://${endpointText(host, port)}`;
}

/** Parts of a server's URL. `pattern` matches scheme and authority. Null for anything else, and for port 0. */
export function parseServerUrl(
  text: string,
  pattern: RegExp,
): {
  /** Lower case. */
  readonly scheme: string;
  /** DNS name or IP address, IPv6 without brackets. */
  readonly host: string;
  /** Null if the URL names no port. */
  readonly port: number | null;
  /** Text with percent-encoding; empty if absent. */
  readonly user: string;
  readonly password: string;
} | null {
  const [, scheme = "", authority = ""] = pattern.exec(text) ?? [];
  // A special scheme makes the URL parser check and normalise the host.
  const url = authority === "" ? null : URL.parse(`http://${authority}`);
  if (url === null || url.hostname === "" || url.port === "0") return null;
  // The URL parser drops port 80, the default of http.
  const named = url.port !== "" ? url.port : (/:0*(80)$/.exec(authority)?.[1] ?? null);
  return {
    scheme: scheme.toLowerCase(),
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: named === null ? null : Number(named),
    user: url.username,
    password: url.password,
  };
}

function isLoopback(host: string): boolean {
  const address = parseIpText(host);
  if (address === null) return host === "localhost";
  return address.startsWith("127.") || address === "::1";
}

const pathCharsMax = 1_024;

/** Relative path inside a repository; null if it is absolute, leaves its folder, or has characters that a URL path cannot contain. */
export function parseRepositoryPath(text: string): string | null {
  const parts = text.split("/");
  // A backslash does not separate parts of a URL. A colon in the first part would make it a scheme.
  const isPath = text.length <= pathCharsMax && /^[^\\\p{Cc}\p{Cf}\u2028\u2029]+$/u.test(text) && !parts[0]?.includes(":");
  return isPath && parts.every((part) => part !== "" && part !== "." && part !== "..") ? text : null;
}
