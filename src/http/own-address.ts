/** Under which address a visitor reached this server: what its links are made with, and what the origin of its forms is held against. */
import { registrableDomainOf } from "../parse/site.ts";
import { createPeerTrust } from "./client-address.ts";

/** A name of RFC 1035 section 2.3.4 is shorter; with colon and port. */
const hostCharsMax = 261;
/** RFC 3986 section 3.2.2, less what no browser sends: percent-encoded signs, sub-delims, addresses of the future. */
const hostForm = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::\d{1,5})?$/i;

export interface OwnAddress {
  /** As browsers write it in Origin: scheme, host, and a port that is not the usual one. */
  readonly origin: string;
  /** Whether it is https for the visitor, whoever takes the encryption off. */
  readonly https: boolean;
  /** Whether it never leaves the visitor's machine, so that nobody can read along without encryption either. */
  readonly loopback: boolean;
}

export interface OwnAddressSettings {
  /** An origin; null when the operator named none. */
  readonly publicUrl: string | null;
  /** Addresses and CIDR ranges whose X-Forwarded-Proto and -Host are believed. */
  readonly trustedProxies: readonly string[];
  /** Told of the first forwarding header that came from anybody else: a proxy that is not among `trustedProxies`, or a visitor who plays one. */
  readonly onUntrustedForwarding: (peer: string) => void;
}

/** Null for a Host that is absent, malformed, too long or a stranger's: such a request is answered with 400 (RFC 9112 section 3.2). */
export type OwnAddressOf = (peer: string | null, headers: Headers) => OwnAddress | null;

/**
 * Where the request's host is the one of `publicUrl`, that decides. Else a trusted proxy says scheme and host, and else it is plain http.
 * So one server can be reached through its proxy and straight from the LAN. With a `publicUrl`, no name of the public DNS leads here but
 * those of its domain: a site that points its own name at this machine would let its script read every page, in the browser of somebody
 * who may reach them (DNS rebinding).
 * @throws Error when a trusted proxy is neither an address nor a range.
 */
export function createOwnAddress({ publicUrl, trustedProxies, onUntrustedForwarding }: OwnAddressSettings): OwnAddressOf {
  const isTrusted = createPeerTrust(trustedProxies);
  const publicAddress = publicUrl === null ? null : addressOf(publicUrl);
  let noted = false;

  return (peer, headers) => {
    const host = headers.get("host");
    if (host === null || !isHost(host)) return null;
    const trusted = isTrusted(peer);
    if (!trusted && !noted && peer !== null && isForwarded(headers)) {
      noted = true;
      onUntrustedForwarding(peer);
    }
    const forwardedHost = trusted ? firstOf(headers.get("x-forwarded-host")) : null;
    if (forwardedHost !== null && !isHost(forwardedHost)) return null;
    if (publicAddress !== null && [host, forwardedHost].some((one) => one !== null && isHostOf(publicAddress, one))) return publicAddress;
    if (publicAddress !== null && !trusted && isStrange(host, publicAddress)) return null;
    const scheme = trusted && firstOf(headers.get("x-forwarded-proto"))?.toLowerCase() === "https" ? "https" : "http";
    return addressOf(`${scheme}://${forwardedHost ?? host}`);
  };
}

function isHost(text: string): boolean {
  return text.length <= hostCharsMax && hostForm.test(text) && URL.canParse(`http://${text}`);
}

/** Compared as browsers compare: without regard to case and to the usual port. */
function isHostOf({ origin }: OwnAddress, host: string): boolean {
  return URL.parse(`${origin.startsWith("https:") ? "https" : "http"}://${host}`)?.origin === origin;
}

/** Addresses and local names have no registrable domain, and nobody can point them anywhere. */
function isStrange(host: string, { origin }: OwnAddress): boolean {
  const [domain, ownDomain] = [`http://${host}`, origin].map((address) => registrableDomainOf(new URL(address).hostname));
  return domain !== null && domain !== ownDomain;
}

function isForwarded(headers: Headers): boolean {
  return ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"].some((name) => headers.has(name));
}

/** Each proxy of a chain adds its own at the end; the first saw the visitor. Whoever lies here cheats only themselves. */
function firstOf(value: string | null): string | null {
  const first = value?.split(",")[0]?.trim() ?? "";
  return first === "" ? null : first;
}

/** `origin` is a valid one. */
function addressOf(text: string): OwnAddress {
  const { origin, protocol, hostname } = new URL(text);
  return { origin, https: protocol === "https:", loopback: /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) };
}
