/** Determines hosts, registrable domains and sites by the public suffix list. */
import { parse } from "tldts";

/** RFC 6761, RFC 6762 (local), RFC 7686 (onion), RFC 8375 (home.arpa), RFC 9476 (alt); ICANN reserved `internal` in 2024. */
const specialUse = ["test", "example", "invalid", "localhost", "local", "onion", "home.arpa", "alt", "internal"];

/** Host of an absolute URL, IPv6 without brackets, or null. Without the trailing dot of absolute names (RFC 1034 section 3.1). */
export function hostOf(url: string): string | null {
  const hostname = URL.parse(url)
    ?.hostname.replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  return hostname === undefined || hostname === "" ? null : hostname;
}

/** Null for addresses, single labels, special-use names and suffixes, except that a private suffix is its own registrable domain. */
export function registrableDomainOf(host: string): string | null {
  const name = host.replace(/\.$/, "");
  if (specialUse.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) return null;
  const { domain, isIcann, isPrivate, isIp } = parse(name, { allowPrivateDomains: true });
  if (isIp || !(isIcann || isPrivate)) return null;
  return domain ?? parse(name).domain;
}

/** Host part of a site (HTML standard, "obtain a site"): the registrable domain by any suffix, or else the host. */
export function siteOfHost(host: string): string {
  return parse(host, { allowPrivateDomains: true }).domain ?? host;
}

/** True for a registry suffix such as `com` or `co.uk`: the public suffix list's ICANN section. */
export function isRegistrySuffix(name: string): boolean {
  const { isIcann, publicSuffix, hostname } = parse(name);
  return isIcann === true && publicSuffix === hostname;
}
