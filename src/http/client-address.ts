/** Who is calling, as an address to count requests by: the peer, or what a trusted proxy says of it. */
import ipaddr from "ipaddr.js";

/** An IPv6 customer is given a /64 at least, so single addresses are free to change. */
const ipv6PrefixBits = 64;
/** Entries of a forwarding chain that are looked at, from the right. */
const forwardingHopsMax = 16;
/** Stands for a peer without an address: a Unix socket. */
const localPeer = "local";

type Ip = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Ip, number];
export type CallingAddress = (peer: string | null, forwardedFor: string | null) => string;

/**
 * Reads proxies as addresses or CIDR ranges and gives a function that names the caller: an IPv4 address or an IPv6 /64.
 * X-Forwarded-For counts only while whoever wrote it is trusted: from the right, the first hop that is no trusted proxy.
 * @throws Error naming the entry that is neither an address nor a range.
 */
export function createCallingAddress(trustedProxies: readonly string[]): CallingAddress {
  const isTrusted = trustOf(trustedProxies);
  return (peer, forwardedFor) => {
    // The usual case needs no parsing: the system writes IPv4 peers in the one form that they are counted by.
    if (peer !== null && trustedProxies.length === 0 && !peer.includes(":")) return peer;
    let caller = peer === null ? null : parseAddress(peer);
    if (caller === null) return localPeer;
    if (forwardedFor === null || !isTrusted(caller)) return countedAs(caller);
    for (const hop of forwardedFor.split(",").slice(-forwardingHopsMax).reverse()) {
      const address = parseAddress(withoutPort(hop.trim()));
      if (address === null) break;
      caller = address;
      if (!isTrusted(address)) break;
    }
    return countedAs(caller);
  };
}

/** Whether a peer, as the system names it, is a proxy that is believed. @throws Error naming the entry that is neither an address nor a range. */
export function createPeerTrust(trustedProxies: readonly string[]): (peer: string | null) => boolean {
  const isTrusted = trustOf(trustedProxies);
  return (peer) => {
    const address = peer === null ? null : parseAddress(peer);
    return address !== null && isTrusted(address);
  };
}

function trustOf(trustedProxies: readonly string[]): (address: Ip) => boolean {
  const ranges = trustedProxies.map(parseRange);
  return (address) => ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range as never, bits));
}

function parseRange(given: string): Range {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(given) || ipaddr.IPv6.isValidCIDR(given)) return ipaddr.parseCIDR(given);
  const address = parseAddress(given);
  if (address === null) throw new Error(`trusted proxy "${given}" is neither an IP address nor a CIDR range`);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** IPv4-mapped IPv6 addresses come out as IPv4: a dual-stack listener sees every IPv4 peer that way. */
function parseAddress(text: string): Ip | null {
  const withoutZone = text.replace(/%.*$/, "");
  const strict = withoutZone.includes(":") ? ipaddr.IPv6.isValid(withoutZone) : ipaddr.IPv4.isValidFourPartDecimal(withoutZone);
  return strict ? ipaddr.process(withoutZone) : null;
}

/** `192.0.2.1:4711` and `[2001:db8::1]:4711` without their ports and brackets. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] ?? "";
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop;
}

function countedAs(address: Ip): string {
  if (address.kind() === "ipv4") return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${ipv6PrefixBits}`).toString();
}
