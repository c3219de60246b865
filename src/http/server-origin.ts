/** Origin under which a visitor reached this server: the base of links, and the expected Origin of forms. */
import { registrableDomainOf } from "../parse/site.ts";
import { createPeerTrust } from "./client-address.ts";

/** Longest name of RFC 1035 section 2.3.4, with colon and port. */
const hostCharsMax = 261;
/** RFC 3986 section 3.2.2 without percent-encoding, sub-delims and IPvFuture, which browsers never send. */
const hostForm = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::\d{1,5})?$/i;

export interface ServerOrigin {
  /** As in the Origin header: scheme, host, and a port other than the default. */
  readonly origin: string;
  /** Whether the visitor uses https, even if a proxy terminates it. */
  readonly https: boolean;
  /** Whether requests stay on the visitor's machine, so that plain http is safe. */
  readonly loopback: boolean;
}

export interface ServerOriginSettings {
  /** An origin; null without setting. */
  readonly publicUrl: string | null;
  /** Addresses and CIDR ranges whose X-Forwarded-Proto and X-Forwarded-Host are trusted. */
  readonly trustedProxies: readonly string[];
  /** Called once, for the first forwarding header from a peer that is not a trusted proxy. */
  readonly onUntrustedForwarding: (peer: string) => void;
}

/** Null for a Host that is absent, malformed, too long or not accepted: the request gets 400 (RFC 9112 section 3.2). */
export type ServerOriginOf = (peer: string | null, headers: Headers) => ServerOrigin | null;

/**
 * Uses `publicUrl` if the request's host matches it, else the scheme and host of a trusted proxy, else plain http.
 * So one server is reachable through its proxy and directly from the LAN. With `publicUrl`, public DNS names outside
 * its domain are refused. This prevents DNS rebinding: a name of another site that points to this machine would let
 * that site's script read the pages.
 * @throws Error when a trusted proxy is neither an address nor a range.
 */
export function createServerOrigin({ publicUrl, trustedProxies, onUntrustedForwarding }: ServerOriginSettings): ServerOriginOf {
  const isTrusted = createPeerTrust(trustedProxies);
  const publicOrigin = publicUrl === null ? null : originOf(publicUrl);
  let reported = false;

  return (peer, headers) => {
    const host = headers.get("host");
    if (host === null || !isHost(host)) return null;
    const trusted = isTrusted(peer);
    if (!trusted && !reported && peer !== null && isForwarded(headers)) {
      reported = true;
      onUntrustedForwarding(peer);
    }
    const forwardedHost = trusted ? firstOf(headers.get("x-forwarded-host")) : null;
    if (forwardedHost !== null && !isHost(forwardedHost)) return null;
    if (publicOrigin !== null && [host, forwardedHost].some((one) => one !== null && isHostOf(publicOrigin, one))) return publicOrigin;
    if (publicOrigin !== null && !trusted && isForeign(host, publicOrigin)) return null;
    const scheme = trusted && firstOf(headers.get("x-forwarded-proto"))?.toLowerCase() === "https" ? "https" : "http";
    return originOf(`${scheme}://${forwardedHost ?? host}`);
  };
}

function isHost(text: string): boolean {
  return text.length <= hostCharsMax && hostForm.test(text) && URL.canParse(`http://${text}`);
}

/** Compares like a browser: ignores case and the default port. */
function isHostOf({ origin }: ServerOrigin, host: string): boolean {
  return URL.parse(`${origin.startsWith("https:") ? "https" : "http"}://${host}`)?.origin === origin;
}

/** Addresses and local names have no registrable domain, and cannot be used for DNS rebinding. */
function isForeign(host: string, { origin }: ServerOrigin): boolean {
  const [domain, ownDomain] = [`http://${host}`, origin].map((address) => registrableDomainOf(new URL(address).hostname));
  return domain !== null && domain !== ownDomain;
}

function isForwarded(headers: Headers): boolean {
  return ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"].some((name) => headers.has(name));
}

/** Each proxy appends its value, so the first one is the visitor's. A forged value harms only its sender. */
function firstOf(value: string | null): string | null {
  const first = value?.split(",")[0]?.trim() ?? "";
  return first === "" ? null : first;
}

function originOf(validOrigin: string): ServerOrigin {
  const { origin, protocol, hostname } = new URL(validOrigin);
  return { origin, https: protocol === "https:", loopback: /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) };
}
