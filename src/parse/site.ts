/** Which names belong together: registrable domains by the public suffix list, private section included. */
import { parse } from "tldts";

/**
 * Names that never stand in the public DNS: RFC 6761, RFC 6762 (local), RFC 7686 (onion), RFC 8375 (home.arpa), RFC 9476 (alt),
 * and `internal`, which ICANN reserved for private use in 2024.
 */
const specialUse = ["test", "example", "invalid", "localhost", "local", "onion", "home.arpa", "alt", "internal"];

/**
 * eTLD+1 of an ASCII host, or null for addresses, single labels, special-use names, names below no public suffix and suffixes of
 * registries. A suffix of the private section, such as github.io, is a domain that somebody registered: it stands for itself.
 */
export function registrableDomainOf(host: string): string | null {
  const name = host.replace(/\.$/, "");
  if (specialUse.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) return null;
  const { domain, isIcann, isPrivate, isIp } = parse(name, { allowPrivateDomains: true });
  if (isIp || !(isIcann || isPrivate)) return null;
  return domain ?? parse(name).domain;
}

/** What a browser compares to tell same-site from cross-site (HTML standard, "obtain a site"): the registrable domain by whatever suffix, or else the host. */
export function siteOfHost(host: string): string {
  return parse(host, { allowPrivateDomains: true }).domain ?? host;
}
