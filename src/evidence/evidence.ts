/** Subject plus one reading per question: the only thing a check sees, and the format of the test fixtures. */
import type { Facts } from "./facts.ts";

export interface Subject {
  /** The scanned URL in its ASCII form, without fragment. */
  readonly url: string;
  /** ASCII host of that URL; an IPv6 address stands without brackets. */
  readonly host: string;
  /**
   * eTLD+1 by the public suffix list (private section included), or null for addresses, single labels, special-use names and
   * suffixes of registries. Of a suffix of the private section, such as github.io, the domain that its owner registered.
   */
  readonly registrableDomain: string | null;
  /** ISO 8601, UTC. "Now" for every check. */
  readonly scannedAt: string;
}

/** Why there are no facts. None of these is the site's fault as far as a check may say. */
export type ProbeFailure =
  /** A deadline ran out. */
  | "timeout"
  /** The other side refused the connection. */
  | "refused"
  /** The name has no address. */
  | "unresolved"
  /** The network or the peer broke the connection off. */
  | "unreachable"
  /** The egress policy does not let this appliance go there. */
  | "blocked"
  /** TLS could not be agreed upon. */
  | "tls"
  /** What came is not the protocol that was asked for. */
  | "invalid"
  /** Redirects that never end. */
  | "redirects"
  /** A status that says nothing about the site: 5xx or 429. */
  | "server-error"
  /** A bot challenge answered in place of the site. */
  | "challenged"
  /** More came than this appliance reads. */
  | "too-large"
  /** This runtime cannot look at it. */
  | "unsupported"
  /** The browser or the probe itself broke. */
  | "crashed"
  /** An earlier probe that this one builds upon gave nothing. */
  | "not-asked";

export type Reading<F> = { readonly status: "read"; readonly facts: F } | { readonly status: "failed"; readonly because: ProbeFailure };

export type ReadingName = keyof Facts;

/** As a record, so that the compiler misses none. */
const everyReading: Readonly<Record<ReadingName, true>> = {
  navigation: true,
  page: true,
  dom: true,
  requests: true,
  hstsPreload: true,
  plainHttp: true,
  tls: true,
  crossOrigin: true,
  dnsCaa: true,
  securityTxt: true,
  dnssec: true,
  mailMx: true,
  mailSpf: true,
  mailDmarc: true,
  mailMtaSts: true,
  mailMtaStsPolicy: true,
  mailTlsRpt: true,
};

export function isReadingName(name: string): name is ReadingName {
  return Object.hasOwn(everyReading, name);
}

export const readingNames: readonly ReadingName[] = Object.keys(everyReading).filter(isReadingName);

export type Readings = { readonly [N in ReadingName]: Reading<Facts[N]> };

export type Evidence = { readonly subject: Subject } & Readings;

export function read<F>(facts: F): Reading<F> {
  return { status: "read", facts };
}

export function failed(because: ProbeFailure): { readonly status: "failed"; readonly because: ProbeFailure } {
  return { status: "failed", because };
}
