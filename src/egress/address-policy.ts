/** Decides which addresses and ports a scan may reach. Pure: it judges addresses and never asks a resolver. */
import ipaddr from "ipaddr.js";
import { type Address, addressText, endpointText, parseAddress } from "./host.ts";
import type { EgressSettings } from "./settings.ts";

export type Judgement = { readonly allowed: true } | { readonly allowed: false; readonly because: string };

export interface AddressPolicy {
  /** May a scan connect to this address at all? `text` is an address in plain form; anything else is refused. */
  judgeAddress(text: string): Judgement;
  /** May a URL name this port? */
  judgePort(port: number): Judgement;
  /** Is this one of the appliance's own doors? Asked for every single connection, since ports differ. */
  judgeEndpoint(address: string, port: number): Judgement;
}

type Cidr = readonly [address: Address, bits: number];
type OwnEndpoint = EgressSettings["ownEndpoints"][number];

const allowed: Judgement = { allowed: true };

/** Web ports: the only ones open without leave. */
const portsAlwaysOpen = [80, 443];

/**
 * Addresses that hand out credentials or configuration of the machine to whoever asks from it. Shut in every profile.
 * `metadata.google.internal` and its like need no entry: what they resolve to is here.
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

/** Ranges that profile `internal` opens on top of public ones, by ipaddr.js's names and ours. */
const internalKinds = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat", "localNat64"]);

/** What a refused range is called in messages; every other one is reserved for special use. */
const kindWords: Readonly<Record<string, string>> = {
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

/** 2000::/3, the only IPv6 space given out for the public internet (RFC 4291 section 2.4). */
const globalUnicast = parseCidr("2000::/3");
/** RFC 8215. */
const localNat64 = parseCidr("64:ff9b:1::/48");
/** RFC 6052 section 2.1. */
const wellKnownNat64 = parseCidr("64:ff9b::/96");
/** RFC 4291 section 2.5.5.1; also holds :: and ::1, which are judged before. */
const ipv4Compatible = parseCidr("::/96");

/**
 * @param localAddresses every address of this machine's interfaces: where an own endpoint on "any address" can be met.
 * @param isBlockedPort whether the appliance listens on that port of this machine just now, besides its own endpoints.
 * @throws Error naming the range, when one of the settings' CIDRs is none. The configuration is checked before, by `parseCidr`.
 */
export function createAddressPolicy(
  settings: EgressSettings,
  localAddresses: readonly string[],
  isBlockedPort: (port: number) => boolean = () => false,
): AddressPolicy {
  const allowCidrs = settings.allowCidrs.map(parseCidr);
  const denyCidrs = settings.denyCidrs.map(parseCidr);
  const local = new Set(localAddresses.map(canonicalText));

  function judgeAddress(text: string): Judgement {
    const address = parseAddress(text);
    if (address === null) return refuse(`${text} is not an address`);
    const readings = [address, ...embeddedIPv4(address)];
    if (readings.some((reading) => matchesAny(reading, metadataCidrs))) {
      return refuse(`${text} is a cloud metadata address, which no setting opens`);
    }
    if (readings.some((reading) => matchesAny(reading, denyCidrs))) return refuse(`${text} is shut by scan.deny_cidrs`);
    if (matchesAny(address, allowCidrs)) return allowed;
    return judgeByProfile(address, text);
  }

  /** Addresses that carry another one are as open as what they carry. */
  function judgeByProfile(address: Address, text: string): Judgement {
    const kind = kindOf(address);
    if (kind === "carrier") {
      const shut = embeddedIPv4(address).find((inner) => !matchesAny(inner, allowCidrs) && !isOpenKind(kindOf(inner)));
      return shut === undefined ? allowed : refuseKind(`${text} leads to ${shut}, which`, kindOf(shut));
    }
    return isOpenKind(kind) ? allowed : refuseKind(text, kind);
  }

  function isOpenKind(kind: string): boolean {
    return kind === "public" || (settings.profile === "internal" && internalKinds.has(kind));
  }

  return {
    judgeAddress,
    judgePort(port) {
      if (!Number.isInteger(port) || port < 1 || port > 65_535) return refuse(`${port} is not a port`);
      if (portsAlwaysOpen.includes(port) || settings.allowPorts === "any" || settings.allowPorts.includes(port)) return allowed;
      return refuse(`port ${port} is shut; scan.allow_ports opens it`);
    },
    judgeEndpoint(text, port) {
      const address = parseAddress(text);
      const readings = address === null ? [] : [address, ...embeddedIPv4(address)];
      const doors = settings.ownEndpoints.filter((door) => door.port === port).concat(isBlockedPort(port) ? [{ address: null, port }] : []);
      const own = doors.some((door) => readings.some((reading) => isOwnEndpoint(door, reading, local)));
      return own ? refuse(`${endpointText(text, port)} is a door of this appliance itself, which no setting opens`) : allowed;
    },
  };
}

/**
 * `10.0.0.0/8`, `fd00::/8` or a single address. Host bits beyond the prefix are ignored.
 * @throws Error when the text is none of these.
 */
export function parseCidr(text: string): Cidr {
  const [addressPart = "", bitsPart, ...rest] = text.split("/");
  const plain = ipaddr.IPv6.isValid(addressPart) && !addressPart.includes("%") ? ipaddr.IPv6.parse(addressPart) : parseAddress(addressPart);
  const bitsMax = plain?.kind() === "ipv4" ? 32 : 128;
  const bits = bitsPart === undefined ? bitsMax : Number(bitsPart);
  if (plain === null || rest.length > 0 || (bitsPart !== undefined && !/^\d{1,3}$/.test(bitsPart)) || bits > bitsMax) {
    throw new Error(`"${text}" is not an address range such as 10.0.0.0/8 or fd00::/8`);
  }
  // Addresses are judged unmapped, so a mapped range must be unmapped as well or it would never match.
  if (plain.kind() === "ipv6" && (plain as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96) {
    return [(plain as ipaddr.IPv6).toIPv4Address(), bits - 96];
  }
  return [plain, bits];
}

function refuse(because: string): Judgement {
  return { allowed: false, because };
}

function refuseKind(text: string, kind: string): Judgement {
  const words = kindWords[kind] ?? "an address reserved for special use";
  const setting = internalKinds.has(kind) ? "profile internal or scan.allow_cidrs opens it" : "scan.allow_cidrs opens it";
  return refuse(`${text} is ${words}; ${setting}`);
}

/** `public`, `carrier` (as open as what it carries), or the name of a special range. */
function kindOf(address: Address): string {
  if (address.kind() === "ipv4") {
    const range = address.range();
    return range === "unicast" ? "public" : range;
  }
  if (matches(address, localNat64)) return "localNat64";
  const range = address.range();
  if (range === "6to4" || range === "teredo" || matches(address, wellKnownNat64)) return "carrier";
  if (range !== "unicast") return range;
  return matches(address, globalUnicast) ? "public" : "reserved";
}

/** Every IPv4 address that routers or translators may read out of an IPv6 address. */
function embeddedIPv4(address: Address): readonly ipaddr.IPv4[] {
  if (address.kind() === "ipv4") return [];
  const bytes = address.toByteArray();
  const at = (...places: readonly number[]) => new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0));
  const last = at(12, 13, 14, 15);
  if (matches(address, wellKnownNat64) || matches(address, ipv4Compatible)) return [last];
  // RFC 6052 section 2.2: which of the forms is in use below the local prefix is only known to that network.
  if (matches(address, localNat64)) return [at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12), last];
  const range = address.range();
  // RFC 3056 section 2.
  if (range === "6to4") return [at(2, 3, 4, 5)];
  // RFC 4380 section 4: the server's address, and the client's with every bit turned.
  if (range === "teredo") return [at(4, 5, 6, 7), new ipaddr.IPv4(last.toByteArray().map((byte) => byte ^ 0xff))];
  // RFC 2765 section 2.1, ::ffff:0:a.b.c.d.
  return range === "rfc6145" ? [last] : [];
}

function isOwnEndpoint(door: OwnEndpoint, address: Address, local: ReadonlySet<string>): boolean {
  const text = addressText(address);
  const range = address.range();
  // Connecting to 0.0.0.0 or :: reaches this machine.
  if (range === "unspecified") return true;
  const doorAddress = door.address === null ? null : canonicalText(door.address);
  if (doorAddress === null || doorAddress === "0.0.0.0" || doorAddress === "::") return range === "loopback" || local.has(text);
  return doorAddress === text;
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
