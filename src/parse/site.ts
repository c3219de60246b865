/** Determines hosts, registrable domains and sites by the public suffix list. */
import { parse } from "tldts";
import { type HostParts, hostPartsIn, type SortedLines } from "./host-lists.ts";

/** Public suffix list of the operator. Its bytes are shared memory, so that a thread adds no copy. */
export interface GivenPublicSuffixes extends SortedLines {
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** The embedded list comes with tldts. The date is the day of its release; a test fails when another release is installed. */
export const embeddedPublicSuffixes = { release: "7.5.4", date: "2026-11-15" };

/** List of the operator; null selects the embedded list. */
let given: GivenPublicSuffixes | null = null;

/** Sets the list of this thread. Null selects the embedded list. */
export function usePublicSuffixes(list: GivenPublicSuffixes | null): void {
  given = list;
}

/** List of the operator in this thread; null if the embedded list is used. */
export function givenPublicSuffixes(): GivenPublicSuffixes | null {
  return given;
}

/** RFC 6761, RFC 6762 (local), RFC 7686 (onion), RFC 8375 (home.arpa), RFC 9476 (alt); ICANN reserved `internal` in 2024. */
const specialUse = ["test", "example", "invalid", "localhost", "local", "onion", "home.arpa", "alt", "internal"];

/** Host of an absolute URL, IPv6 without brackets, or null. Without the trailing dot of absolute names (RFC 1034 section 3.1). */
export function hostOf(url: string): string | null {
  const hostname = URL.parse(url)
    ?.hostname.replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  return hostname === undefined || hostname === "" ? null : hostname;
}

/** Registrable domain. Null for addresses, single labels, special-use names and suffixes, except that a private suffix is its own domain. */
export function registrableDomainOf(host: string): string | null {
  return registrableDomainBy(hostParts, host);
}

/** Registrable domain by the embedded list, for keys of the store, which must not change with a setting. */
export function embeddedRegistrableDomainOf(host: string): string | null {
  return registrableDomainBy(embeddedHostParts, host);
}

/** Host part of a site (HTML standard, "obtain a site"): the registrable domain by any suffix, or else the host. */
export function siteOfHost(host: string): string {
  return hostParts(host, true).domain ?? host;
}

/** Site of a URL's host; null for a text that is not a URL. */
export function siteOfUrl(url: string): string | null {
  const host = URL.parse(url)?.hostname;
  return host === undefined ? null : siteOfHost(host);
}

/**
 * True if browsers accept a cookie of `host` with this Domain: the host itself, or a name above it that is no public suffix of either section
 * (RFC 6265bis sections 5.1.3 and 5.7). Lower case, without a leading dot.
 */
export function isCookieDomainAccepted(host: string, domain: string): boolean {
  if (host === domain.replace(/^\[|\]$/g, "")) return true;
  const site = siteOfHost(host);
  return host.endsWith(`.${domain}`) && (domain === site || domain.endsWith(`.${site}`));
}

/** True for a registry suffix such as `com` or `co.uk`: the public suffix list's ICANN section. */
export function isRegistrySuffix(name: string): boolean {
  const { isIcann, publicSuffix, hostname } = hostParts(name, false);
  return isIcann === true && publicSuffix === hostname;
}

/** True for a public suffix of either section: below `com` and below `vercel.app`, anyone can have a name. */
export function isRentedSuffix(name: string): boolean {
  const { isIcann, isPrivate, publicSuffix, hostname } = hostParts(name, true);
  return (isIcann === true || isPrivate === true) && publicSuffix === hostname;
}

type HostPartsBy = (host: string, privateToo: boolean) => { readonly [K in keyof HostParts]: HostParts[K] | null };

function embeddedHostParts(host: string, privateToo: boolean): ReturnType<HostPartsBy> {
  return parse(host, { allowPrivateDomains: privateToo });
}

function hostParts(host: string, privateToo: boolean): ReturnType<HostPartsBy> {
  return given === null ? embeddedHostParts(host, privateToo) : hostPartsIn(given, host, privateToo);
}

function registrableDomainBy(partsBy: HostPartsBy, host: string): string | null {
  const name = host.replace(/\.$/, "");
  if (specialUse.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) return null;
  const { domain, isIcann, isPrivate } = partsBy(name, true);
  if (!isIcann && !isPrivate) return null;
  return domain ?? partsBy(name, false).domain;
}

/**
 * True for hosts that never leave the visitor's own machine: localhost and its subdomains, 127.0.0.0/8 and ::1. Secure Contexts section 3.1
 * calls their origins potentially trustworthy, and Mixed Content section 4 exempts them.
 */
export function isLoopbackUrl(url: string): boolean {
  const host = hostOf(url) ?? "";
  return host === "::1" || /^(?:.+\.)?localhost$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** True for a URL of plain http that crosses a network. */
export function isInsecureUrl(url: string): boolean {
  return /^http:/i.test(url) && !isLoopbackUrl(url);
}
