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

/** Version of the format of evidence that crosses machines. A change of a reading that older programs would misread raises it. */
export const evidenceVersion = 1;

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
  /** The answer exceeds a size limit. */
  "too-large",
  /** Not supported by the runtime. */
  "unsupported",
  /** The browser or the probe crashed. */
  "crashed",
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

/** Characters that a scan keeps of a header value. The same limit holds for the content of a meta element. */
export function headerLimitOf(subject: Subject): number {
  return subject.headerValueCharsMax ?? headerValueCharsMax;
}

/** Readings about the page itself. An answer that refuses the request (status 4xx) is an error page, not the page of the scanned URL. */
type PageReadings = Pick<Readings, "navigation" | "page"> & Partial<Readings>;

/** Makes the readings of an error page fail, apart from the navigation, which keeps the header fields of the answer. */
export function withoutErrorPage<R extends PageReadings>(readings: R): R {
  const { navigation, page } = readings;
  if (page.status === "failed" || navigation.status === "failed") return readings;
  const because = refusalOf(page.facts);
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

/** Null if the answer is the page. RFC 9110 section 15.5: status 4xx refuses; section 15.5.2: WWW-Authenticate of a 401 names how to sign in. */
function refusalOf({ status, headers }: HttpAnswer): ProbeFailure | null {
  if (status < 400 || status >= 500) return null;
  const asksForSignIn = status === 401 && headers.some(({ name }) => name.toLowerCase() === "www-authenticate");
  return asksForSignIn ? "sign-in-required" : "client-error";
}

/** True for the failures of `withoutErrorPage`. */
export function isErrorPage(because: ProbeFailure): boolean {
  return because === "client-error" || because === "sign-in-required";
}
