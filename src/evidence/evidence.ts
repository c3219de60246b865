/** Evidence: the subject plus one reading per question. Checks see nothing else, and test fixtures use the same format. */
import type { Facts } from "./facts.ts";

/** URL under scan, its host and registrable domain, and the instant of the scan. */
export interface Subject {
  /** The scanned URL in its ASCII form, without fragment. */
  readonly url: string;
  /** ASCII host of that URL; IPv6 without brackets. */
  readonly host: string;
  /** eTLD+1, private suffixes included. Null for addresses, single labels, special-use names and registry suffixes. */
  readonly registrableDomain: string | null;
  /** ISO 8601, UTC. The current time for every check. */
  readonly scannedAt: string;
  /** Characters that this scan kept of a header value and of a meta element's content, if not the default. */
  readonly headerValueCharsMax?: number;
  /** Date of the public suffix list that this evidence was gathered with, if not the embedded one. */
  readonly publicSuffixesDate?: string;
}

/** Reason for a failed reading. Checks must not blame the site for any of these. */
export type ProbeFailure =
  | "timeout"
  | "refused"
  /** The name has no address. */
  | "unresolved"
  /** The network or the peer aborted the connection. */
  | "unreachable"
  /** The egress policy forbids the destination. */
  | "blocked"
  /** The TLS handshake failed. */
  | "tls"
  /** The server offers no TLS version, cipher suite or certificate that browsers support. */
  | "tls-incompatible"
  /** The answer violates the protocol. */
  | "invalid"
  | "redirects"
  /** Status 5xx or 429, which does not represent the site. */
  | "server-error"
  /** A bot challenge replaced the site's answer. */
  | "challenged"
  /** Status 4xx: the answer is an error page, not the page of the scanned URL. */
  | "client-error"
  /** Status 401 with WWW-Authenticate: the page is shown only after a sign-in. */
  | "sign-in-required"
  /** The answer exceeds a size limit. */
  | "too-large"
  /** Not supported by the runtime. */
  | "unsupported"
  /** The browser or the probe crashed. */
  | "crashed"
  /** An earlier probe that this one requires has failed. */
  | "not-asked";

export type Reading<F> = { readonly status: "read"; readonly facts: F } | { readonly status: "failed"; readonly because: ProbeFailure };
export type ReadingName = keyof Facts;

/** A record, so that the compiler reports missing names. */
const readingNameSet: Readonly<Record<ReadingName, true>> = {
  navigation: true,
  page: true,
  dom: true,
  markup: true,
  requests: true,
  scripts: true,
  scriptLibraries: true,
  hstsPreload: true,
  plainHttp: true,
  tls: true,
  tlsOffers: true,
  crossOrigin: true,
  dnsCaa: true,
  dnsIpv6: true,
  dnsNameServers: true,
  securityTxt: true,
  dnssec: true,
  mailMx: true,
  mailSpf: true,
  mailDmarc: true,
  mailMtaSts: true,
  mailMtaStsPolicy: true,
  mailTlsRpt: true,
  mailDane: true,
};

export function isReadingName(name: string): name is ReadingName {
  return Object.hasOwn(readingNameSet, name);
}

export const readingNames: readonly ReadingName[] = Object.keys(readingNameSet).filter(isReadingName);

export type Readings = { readonly [N in ReadingName]: Reading<Facts[N]> };
export type Evidence = { readonly subject: Subject } & Readings;

export function read<F>(facts: F): Reading<F> {
  return { status: "read", facts };
}

export function failed(because: ProbeFailure): { readonly status: "failed"; readonly because: ProbeFailure } {
  return { status: "failed", because };
}
