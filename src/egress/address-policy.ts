/** Address policy of the SSRF guard: which addresses and ports a scan may reach. Never asks a resolver. */
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { endpointText } from "../parse/address.ts";
import { type Address, addressText, parseAddress, parseHost, portOf } from "./host.ts";
import type { EgressSettings } from "./settings.ts";

// SSRF guard for ports that the appliance opens during scans (proxies, browser control), shared by all threads.

let blocked = new Uint8Array(new SharedArrayBuffer(0x1_0000));

export function blockedPorts(): SharedArrayBuffer {
  return blocked.buffer as SharedArrayBuffer;
}

/** Replaces this thread's ports by the memory of another thread, so that both see the same ones. */
export function shareBlockedPorts(memory: SharedArrayBuffer): void {
  blocked = new Uint8Array(memory);
}

export function blockPort(port: number): void {
  blocked[port] = 1;
}

/** Called once the listener is closed. A killed thread leaves its few ports blocked, which does no harm. */
export function unblockPort(port: number): void {
  blocked[port] = 0;
}

export function isBlockedPort(port: number): boolean {
  return blocked[port] === 1;
}

export type PolicyDecision = { readonly allowed: true } | { readonly allowed: false; readonly because: string };

export type AddressPolicy = ReturnType<typeof createAddressPolicy>;

type Cidr = readonly [address: Address, bits: number];
type OwnEndpoint = EgressSettings["ownEndpoints"][number];

const allowed: PolicyDecision = { allowed: true };

const scanCidrsSetting = "scan.allow_cidrs";

/** Web ports; every other one needs `scan.allow_ports`. */
const portsAlwaysOpen = [80, 443];

/**
 * Cloud metadata services, which give credentials to every client on the machine. Blocked in every profile;
 * only `sensitiveAddresses` lets a setting open one.
 * Names such as `metadata.google.internal` need no entry, because they resolve to these addresses.
 */
const metadataCidrs: readonly Cidr[] = [
  "169.254.169.254/32", // AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, OpenStack and most others
  "169.254.170.0/24", // AWS container credentials (.2) and EKS pod identity (.23)
  "169.254.42.42/32", // Scaleway
  "169.254.0.23/32", // Tencent
  "100.100.100.200/32", // Alibaba
  "168.63.129.16/32", // Azure wire server, a public-looking address that only Azure machines can reach
  "192.0.0.192/32", // Oracle, former generation
  "fd00:ec2::254/128", // AWS
  "fd00:ec2::23/128", // AWS EKS pod identity
  "fd20:ce::254/128", // Google
  "fd00:42::42/128", // Scaleway
  "fe80::a9fe:a9fe/128", // OpenStack
].map(parseCidr);

/** Private address ranges that profile `internal` opens, by the names of ipaddr.js and of `rangeOf`. */
const internalRanges = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat", "localNat64"]);

/** Names of refused ranges in messages. Ranges that are not listed are reserved for special use. */
const rangeNames: Readonly<Record<string, string>> = {
  unspecified: "the unspecified address, which means this machine",
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private (unique local) address",
  carrierGradeNat: "a carrier-grade NAT address",
  linkLocal: "a link-local address",
  deprecatedSiteLocal: "a site-local address",
  multicast: "a multicast address",
  broadcast: "the broadcast address",
  localNat64: "a local NAT64 address",
};

/** The only IPv6 space assigned to the public internet (RFC 4291 section 2.4). */
const globalUnicast = parseCidr("2000::/3");
/** RFC 8215. */
const localNat64 = parseCidr("64:ff9b:1::/48");
/** RFC 6052 section 2.1. */
const wellKnownNat64 = parseCidr("64:ff9b::/96");
/** RFC 4291 section 2.5.5.1; also holds :: and ::1, which `rangeOf` recognises first. */
const ipv4Compatible = parseCidr("::/96");

/**
 * @param interfaceAddresses addresses of this machine, where an own endpoint on "any address" is reachable. `by-exact-entry` holds for them.
 * @param isBlockedPort whether the appliance listens on that local port now, in addition to its own endpoints.
 * @throws Error naming an invalid CIDR of the settings. The configuration is validated earlier with `parseCidr`.
 */
export function createAddressPolicy(
  settings: EgressSettings,
  interfaceAddresses: readonly string[],
  isBlockedPort: (port: number) => boolean = () => false,
) {
  const allowCidrs = settings.allowCidrs.map(parseCidr);
  const denyCidrs = settings.denyCidrs.map(parseCidr);
  const allowedBy = settings.allowCidrsSetting ?? scanCidrsSetting;
  const local = new Set(interfaceAddresses.map(canonicalText));

  function authorizeAddress(text: string): PolicyDecision {
    const address = parseAddress(text);
    if (address === null) return refuse(`${text} is not an address`);
    const candidates = [address, ...embeddedIPv4(address)];
    const because = settings.sensitiveAddresses === undefined ? metadataRefusal(candidates) : exactRefusal(candidates);
    if (because !== null) return refuse(`${text} is ${because}`);
    if (candidates.some((candidate) => matchesAny(candidate, denyCidrs))) return refuse(`${text} is blocked by scan.deny_cidrs`);
    if (matchesAny(address, allowCidrs)) return allowed;
    return authorizeByProfile(address, text);
  }

  /** End of a sentence about the first sensitive address that lacks an exact entry; null if there is no such address. */
  function exactRefusal(candidates: readonly Address[]): string | null {
    const exact = allowCidrs.filter(isSingleAddress);
    const names = candidates
      .filter((candidate) => !matchesAny(candidate, exact))
      .map((candidate) => sensitiveName(candidate, candidates, local));
    const name = names.find((found) => found !== null);
    return name === undefined ? null : `${name}; only an entry for that address alone in ${allowedBy} opens it`;
  }

  /** An address that embeds an IPv4 address is as open as the embedded one. */
  function authorizeByProfile(address: Address, text: string): PolicyDecision {
    const range = rangeOf(address);
    if (range === "embedded") {
      const blocked = embeddedIPv4(address).find((inner) => !matchesAny(inner, allowCidrs) && !isOpenRange(rangeOf(inner)));
      return blocked === undefined ? allowed : refuseRange(`${text} leads to ${blocked}, which`, rangeOf(blocked), allowedBy);
    }
    return isOpenRange(range) ? allowed : refuseRange(text, range, allowedBy);
  }

  function isOpenRange(range: string): boolean {
    return range === "public" || (settings.profile === "internal" && internalRanges.has(range));
  }

  return {
    authorizeAddress,
    authorizePort(port: number): PolicyDecision {
      if (!Number.isInteger(port) || port < 1 || port > 65_535) return refuse(`${port} is not a port`);
      if (portsAlwaysOpen.includes(port) || settings.allowPorts === "any" || settings.allowPorts.includes(port)) return allowed;
      return refuse(`port ${port} is blocked; scan.allow_ports opens it`);
    },
    /** Refuses the appliance's own listeners. Called for every connection, because ports differ. */
    authorizeEndpoint(text: string, port: number): PolicyDecision {
      const address = parseAddress(text);
      const candidates = address === null ? [] : [address, ...embeddedIPv4(address)];
      const endpoints = settings.ownEndpoints
        .filter((own) => own.port === port)
        .concat(isBlockedPort(port) ? [{ address: null, port }] : []);
      const isOwn = endpoints.some((own) => candidates.some((candidate) => isOwnEndpoint(own, candidate, local)));
      return isOwn ? refuse(`${endpointText(text, port)} belongs to this appliance itself, which no setting opens`) : allowed;
    },
  };
}

export function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a single address; ignores host bits. @throws Error for any other text. */
export function parseCidr(text: string): Cidr {
  const [addressPart = "", bitsPart, ...rest] = text.split("/");
  const plain = ipaddr.IPv6.isValid(addressPart) && !addressPart.includes("%") ? ipaddr.IPv6.parse(addressPart) : parseAddress(addressPart);
  const bitsMax = plain?.kind() === "ipv4" ? 32 : 128;
  const bits = bitsPart === undefined ? bitsMax : Number(bitsPart);
  if (plain === null || rest.length > 0 || (bitsPart !== undefined && !/^\d{1,3}$/.test(bitsPart)) || bits > bitsMax) {
    throw new Error(`"${text}" is not an address range such as 10.0.0.0/8 or fd00::/8`);
  }
  // `parseAddress` unmaps IPv4-mapped addresses, so a mapped range would never match one.
  if (plain.kind() === "ipv6" && (plain as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96) {
    return [(plain as ipaddr.IPv6).toIPv4Address(), bits - 96];
  }
  return [plain, bits];
}

function refuse(because: string): PolicyDecision {
  return { allowed: false, because };
}

/** `allowedBy`: the setting that opens it. The profile is a setting of scans alone. */
function refuseRange(text: string, range: string, allowedBy: string): PolicyDecision {
  const name = rangeNames[range] ?? "an address reserved for special use";
  const remedy = internalRanges.has(range) && allowedBy === scanCidrsSetting ? `profile internal or ${allowedBy}` : allowedBy;
  return refuse(`${text} is ${name}; ${remedy} opens it`);
}

function metadataRefusal(candidates: readonly Address[]): string | null {
  return candidates.some(isMetadata) ? "a cloud metadata address, which no setting opens" : null;
}

/** Name of a sensitive address in messages; null for others. Connecting to the unspecified address reaches this machine. */
function sensitiveName(candidate: Address, [address]: readonly Address[], local: ReadonlySet<string>): string | null {
  if (isMetadata(candidate)) return "a cloud metadata address";
  const range = candidate.range();
  const isThisMachine = range === "loopback" || (range === "unspecified" && candidate === address);
  if (isThisMachine) return rangeNames[range] ?? null;
  // Services of this machine answer on its own addresses as on loopback, even behind a firewall.
  return local.has(addressText(candidate)) ? "an address of this machine" : null;
}

function isMetadata(address: Address): boolean {
  return matchesAny(address, metadataCidrs);
}

function isSingleAddress([network, bits]: Cidr): boolean {
  return bits === (network.kind() === "ipv4" ? 32 : 128);
}

/** `public`, `embedded` (the embedded IPv4 address decides), or the name of a special range. */
function rangeOf(address: Address): string {
  if (address.kind() === "ipv4") {
    const range = address.range();
    return range === "unicast" ? "public" : range;
  }
  if (matches(address, localNat64)) return "localNat64";
  const range = address.range();
  if (range === "6to4" || range === "teredo" || matches(address, wellKnownNat64)) return "embedded";
  if (range !== "unicast") return range;
  return matches(address, globalUnicast) ? "public" : "reserved";
}

/** IPv4 addresses that routers and translators may extract from an IPv6 address. */
function embeddedIPv4(address: Address): readonly ipaddr.IPv4[] {
  if (address.kind() === "ipv4") return [];
  const bytes = address.toByteArray();
  const at = (...offsets: readonly number[]) => new ipaddr.IPv4(offsets.map((offset) => bytes[offset] ?? 0));
  const last = at(12, 13, 14, 15);
  if (matches(address, wellKnownNat64) || matches(address, ipv4Compatible)) return [last];
  // RFC 6052 section 2.2: only the local network knows which of these forms it uses.
  if (matches(address, localNat64)) return [at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12), last];
  const range = address.range();
  // RFC 3056 section 2.
  if (range === "6to4") return [at(2, 3, 4, 5)];
  // RFC 4380 section 4: the server's address, and the client's with every bit inverted.
  if (range === "teredo") return [at(4, 5, 6, 7), new ipaddr.IPv4(last.toByteArray().map((byte) => byte ^ 0xff))];
  // RFC 2765 section 2.1, ::ffff:0:a.b.c.d.
  return range === "rfc6145" ? [last] : [];
}

function isOwnEndpoint(own: OwnEndpoint, address: Address, local: ReadonlySet<string>): boolean {
  const text = addressText(address);
  const range = address.range();
  // Connecting to 0.0.0.0 or :: reaches this machine.
  if (range === "unspecified") return true;
  const ownAddress = own.address === null ? null : canonicalText(own.address);
  if (ownAddress === null || ownAddress === "0.0.0.0" || ownAddress === "::") return range === "loopback" || local.has(text);
  return ownAddress === text;
}

function canonicalText(text: string): string {
  const address = parseAddress(text);
  return address === null ? text : addressText(address);
}

function matchesAny(address: Address, cidrs: readonly Cidr[]): boolean {
  return cidrs.some((cidr) => matches(address, cidr));
}

function matches(address: Address, [network, bits]: Cidr): boolean {
  if (address.kind() === "ipv4" && network.kind() === "ipv4") return (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits);
  if (address.kind() === "ipv6" && network.kind() === "ipv6") return (address as ipaddr.IPv6).match(network as ipaddr.IPv6, bits);
  return false;
}

// First SSRF check of a URL, before any DNS query: refuses a blocked port or a blocked literal address.

/** False for a URL that a scan would certainly refuse; the scan authorizes every address again. @throws Error for an invalid range. */
export function createTargetPrecheck(settings: EgressSettings): (url: string) => boolean {
  // Ports that the appliance opens for a scan are known to that scan only.
  const policy = createAddressPolicy(settings, localAddresses(), () => false);

  return (text) => {
    const url = new URL(text);
    const host = parseHost(url.hostname);
    const port = portOf(url);
    if (host === null) return true;
    // The operator mapped this host and port.
    if (settings.connectTo.some((to) => to.port === port && parseHost(to.host)?.text === host.text)) return true;
    if (!policy.authorizePort(port).allowed) return false;
    return host.kind === "name" || (policy.authorizeAddress(host.text).allowed && policy.authorizeEndpoint(host.text, port).allowed);
  };
}
