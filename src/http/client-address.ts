/** Client address for rate limits: the peer, or the address that a trusted proxy forwards. */
import ipaddr from "ipaddr.js";

/** An IPv6 customer receives at least a /64 and can change the single address freely. */
const ipv6PrefixBits = 64;
/** Entries of X-Forwarded-For that are read, from the right. */
const forwardingHopsMax = 16;
/** Key for a peer without an address (Unix socket). */
const localPeer = "local";

type Ip = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Ip, number];
export type ClientAddressOf = (peer: string | null, forwardedFor: string | null) => string;

/**
 * Returns a function that gives the client's IPv4 address or IPv6 /64. `trustedProxies` are addresses or CIDR ranges.
 * Reads X-Forwarded-For from the right, up to the first hop that is not a trusted proxy.
 * @throws Error naming the entry that is neither an address nor a range.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddressOf {
  const isTrusted = trustOf(trustedProxies);
  return (peer, forwardedFor) => {
    // Fast path: the system already writes IPv4 peers in canonical form.
    if (peer !== null && trustedProxies.length === 0 && !peer.includes(":")) return peer;
    let client = peer === null ? null : parseIp(peer);
    if (client === null) return localPeer;
    if (forwardedFor === null || !isTrusted(client)) return rateLimitKey(client);
    for (const hop of forwardedFor.split(",").slice(-forwardingHopsMax).reverse()) {
      const address = parseIp(withoutPort(hop.trim()));
      // Whatever is to the left of it may come from the client, who would choose an address for each request.
      if (address === null) break;
      client = address;
      if (!isTrusted(address)) break;
    }
    return rateLimitKey(client);
  };
}

/** Whether a peer is a trusted proxy. @throws Error naming the entry that is neither an address nor a range. */
export function createPeerTrust(trustedProxies: readonly string[]): (peer: string | null) => boolean {
  const isTrusted = trustOf(trustedProxies);
  return (peer) => {
    const address = peer === null ? null : parseIp(peer);
    return address !== null && isTrusted(address);
  };
}

function trustOf(trustedProxies: readonly string[]): (address: Ip) => boolean {
  const ranges = trustedProxies.map(parseRange);
  return (address) => ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range as never, bits));
}

function parseRange(text: string): Range {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = parseIp(text);
  if (address === null) throw new Error(`trusted proxy "${text}" is neither an IP address nor a CIDR range`);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Converts IPv4-mapped IPv6 addresses to IPv4, because a dual-stack listener sees IPv4 peers that way. */
function parseIp(text: string): Ip | null {
  if (!text.includes(":")) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null;
  const withoutZone = text.replace(/%.*$/, "");
  return ipaddr.IPv6.isValid(withoutZone) ? ipaddr.process(withoutZone) : null;
}

/** `192.0.2.1:4711` and `[2001:db8::1]:4711` without their ports and brackets. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] ?? "";
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop;
}

function rateLimitKey(address: Ip): string {
  if (address.kind() === "ipv4") return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${ipv6PrefixBits}`).toString();
}
