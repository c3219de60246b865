/** Keeps the error page of a refused request (status 4xx) from being read as the page of the scanned URL. */
import { isClientError } from "../parse/redirects.ts";
import { type Evidence, failed, type ProbeFailure, type Readings, read } from "./evidence.ts";
import type { HttpAnswer } from "./http-facts.ts";

/** Readings about the page itself. */
type PageReadings = Pick<Readings, "navigation" | "page"> & Partial<Readings>;

/** The same readings, unless the page is an error page: then all fail but the navigation, which keeps the answer's header fields. */
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

/** The same for complete evidence, in which older versions take an error page for the page. */
export function evidenceWithoutErrorPage(evidence: Evidence): Evidence {
  const { navigation, page, dom, markup, requests, scripts, scriptLibraries, crossOrigin } = evidence;
  return { ...evidence, ...withoutErrorPage({ navigation, page, dom, markup, requests, scripts, scriptLibraries, crossOrigin }) };
}

/** RFC 9110 section 15.5.2: a 401 names in WWW-Authenticate how to sign in. */
function refusalOf({ status, headers }: HttpAnswer): ProbeFailure | null {
  if (!isClientError(status)) return null;
  const asksForSignIn = status === 401 && headers.some(({ name }) => name.toLowerCase() === "www-authenticate");
  return asksForSignIn ? "sign-in-required" : "client-error";
}

/** True for the failures of `withoutErrorPage`. */
export function isErrorPage(because: ProbeFailure): boolean {
  return because === "client-error" || because === "sign-in-required";
}
