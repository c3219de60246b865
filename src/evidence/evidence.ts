/** Evidence: the subject plus one reading per question. Checks see nothing else, and test fixtures use the same format. */
import type { Facts } from "./facts.ts";
import type { HttpAnswer } from "./http-facts.ts";
import { headerValueCharsMax } from "./limits.ts";

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

/**
 * Version of the format of evidence that crosses machines. A change of a reading that older programs would refuse or misread raises it.
 * 2: failures for answers without a page.
 */
export const evidenceVersion = 2;

export const probeFailures = [
  "timeout",
  "refused",
  /** The name has no address. */
  "unresolved",
  /** The network or the peer aborted the connection. */
  "unreachable",
  /** The egress policy forbids the destination. */
  "blocked",
  /** The TLS handshake failed. */
  "tls",
  /** The server offers no TLS version, cipher suite or certificate that browsers support. */
  "tls-incompatible",
  /** The answer violates the protocol. */
  "invalid",
  "redirects",
  /** Status 5xx or 429, which does not represent the site. */
  "server-error",
  /** A bot challenge replaced the site's answer. */
  "challenged",
  /** Status 4xx: the answer is an error page, not the page of the scanned URL. */
  "client-error",
  /** Status 401 with WWW-Authenticate: the page is shown only after a sign-in. */
  "sign-in-required",
  /** Status 204 or 205: the answer has no page, by its status. */
  "no-content",
  /** A redirect that names no address that browsers follow. */
  "no-location",
  /** The answer is a file that browsers save instead of showing it. */
  "download",
  /** The answer exceeds a size limit. */
  "too-large",
  /** Not supported by the runtime. */
  "unsupported",
  /** The browser or the probe crashed. */
  "crashed",
  /** This appliance had too little processor time to ask, or to read the answer. */
  "server-busy",
  /** An earlier probe that this one requires has failed. */
  "not-asked",
] as const;
/** Reason for a failed reading. Checks must not blame the site for any of these. */
export type ProbeFailure = (typeof probeFailures)[number];

export type Reading<F> = { readonly status: "read"; readonly facts: F } | { readonly status: "failed"; readonly because: ProbeFailure };
export type ReadingName = keyof Facts;

export type Readings = { readonly [N in ReadingName]: Reading<Facts[N]> };
export type Evidence = { readonly subject: Subject } & Readings;

export function read<F>(facts: F): Reading<F> {
  return { status: "read", facts };
}

export function failed(because: ProbeFailure): { readonly status: "failed"; readonly because: ProbeFailure } {
  return { status: "failed", because };
}

/** Failures of an answer that did not come, which a standstill of the appliance can cause: deadlines pass, and servers give up. */
const silences: readonly ProbeFailure[] = ["timeout", "unreachable", "tls", "invalid", "crashed"];

export function isSilence(reading: Reading<unknown>): boolean {
  return reading.status === "failed" && silences.includes(reading.because);
}

/** The reading of a probe that stood still, twice: its silence is not the site's. */
export function withoutSilence<R extends Reading<unknown>>(reading: R) {
  return isSilence(reading) ? failed("server-busy") : reading;
}

export function isServerBusy(reading: Reading<unknown> | undefined): boolean {
  return reading?.status === "failed" && reading.because === "server-busy";
}

/** Characters that a scan keeps of a header value. The same limit holds for the content of a meta element. */
export function headerLimitOf(subject: Subject): number {
  return subject.headerValueCharsMax ?? headerValueCharsMax;
}

/**
 * Readings about the page itself. An answer that refuses the request (status 4xx) is an error page, not the page of the scanned URL.
 * Other answers have no page at all.
 */
type PageReadings = Pick<Readings, "navigation" | "page"> & Partial<Readings>;

/**
 * Makes the readings of an answer that is not the page fail, apart from the navigation, which keeps the header fields of the answer.
 * `isSaved`: the browser did not show the answer.
 */
export function withoutErrorPage<R extends PageReadings>(readings: R, isSaved = false): R {
  const { navigation, page } = readings;
  if (page.status === "failed" || navigation.status === "failed") return readings;
  const because = refusalOf(page.facts) ?? lackOfPage(page.facts) ?? (isSaved ? "download" : null);
  if (because === null) return readings;
  const { url, status, headers, headersDropped } = page.facts;
  return {
    ...(Object.fromEntries(Object.keys(readings).map((name) => [name, failed(because)])) as R),
    navigation: read({ ...navigation.facts, errorAnswer: { url, status, headers, headersDropped } }),
  };
}

/** Applies `withoutErrorPage` to complete evidence: older versions took an error page for the page. */
export function evidenceWithoutErrorPage(evidence: Evidence): Evidence {
  const { navigation, page, dom, markup, requests, scripts, scriptLibraries, crossOrigin } = evidence;
  return { ...evidence, ...withoutErrorPage({ navigation, page, dom, markup, requests, scripts, scriptLibraries, crossOrigin }) };
}

/** Statuses that browsers follow (Fetch standard, "redirect status"); 300 and 304 are excluded. */
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

export function isRedirectStatus(status: number): boolean {
  return redirectStatuses.includes(status);
}

/** Null if the answer does not refuse. RFC 9110 section 15.5: status 4xx refuses; section 15.5.2: WWW-Authenticate of a 401 names how to sign in. */
function refusalOf({ status, headers }: HttpAnswer): ProbeFailure | null {
  if (status < 400 || status >= 500) return null;
  const asksForSignIn = status === 401 && headers.some(({ name }) => name.toLowerCase() === "www-authenticate");
  return asksForSignIn ? "sign-in-required" : "client-error";
}

/**
 * Null if the answer has a page. HTML standard, "navigate": 204, 205 and attachments leave the document as it is. A redirect status stands
 * here only if the browser had no address to follow (Fetch standard, "location URL"). Browsers show PDF files with a program of their own.
 */
function lackOfPage({ status, headers, mediaType }: Facts["page"]): ProbeFailure | null {
  if (status === 204 || status === 205) return "no-content";
  if (isRedirectStatus(status)) return "no-location";
  return mediaType === "application/pdf" || isAttachment(headers) ? "download" : null;
}

/** RFC 6266 section 4.2, as in Chromium: an unknown type counts as attachment, and a value that does not begin with a type as inline. */
function isAttachment(headers: HttpAnswer["headers"]): boolean {
  const values = headers.filter(({ name }) => name.toLowerCase() === "content-disposition").map(({ value }) => value);
  const type = values.join(", ").replace(/;.*$/s, "").trim();
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(type) && type.toLowerCase() !== "inline";
}

const errorPageFailures: readonly ProbeFailure[] = ["client-error", "sign-in-required", "no-content", "no-location", "download"];

/** True for the failures of `withoutErrorPage`. */
export function isErrorPage(because: ProbeFailure): boolean {
  return errorPageFailures.includes(because);
}
