/** Requests the icon of the page as browsers do. The embedded browser shows no tabs and does not ask for it. */
import { withDeadline } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import { failed, isServerBusy, type ProbeFailure, type Reading, read } from "../../evidence/evidence.ts";
import { insecureRequestsMax, setCookieLinesMax } from "../../evidence/limits.ts";
import type { MarkupFacts, RequestsFacts, SetCookieLine } from "../../evidence/page-facts.ts";
import { boundedList } from "../../evidence/redact.ts";
import { parseIpText } from "../../parse/address.ts";
import { isHttps, redirectTarget } from "../../parse/header-fields.ts";
import { parseSetCookie } from "../../parse/set-cookie.ts";
import { hostOf, isInsecureUrl, siteOfHost } from "../../parse/site.ts";
import type { PageReadings } from "../browser/page.ts";
import { failedBy, type SubjectContext } from "../context.ts";
import { answerFacts, followRedirects, isChallenge } from "./http.ts";

const answersMax = 4;
/** Deadline for the whole chain. The page does not wait for its icon, so the scan does not wait long for it. */
const chainMs = 3_000;

interface FaviconContext extends SubjectContext {
  readonly pageUrl: string;
  readonly markup: Reading<MarkupFacts>;
}

/** Facts of the page that come from the request for its icon. */
export interface Favicon {
  /** Set-Cookie lines of first-party answers. */
  readonly setCookies: readonly SetCookieLine[];
  /** First plain http URL in the redirects to the icon of an https page; null without one. */
  readonly insecureUrl: string | null;
}

/** One chain of GETs. Icons of other sites are not requested: their cookies are not judged. */
export async function probeFavicon(context: FaviconContext): Promise<Reading<Favicon>> {
  const { pageUrl, markup } = context;
  const url = markup.status === "read" ? faviconUrl(markup.facts, pageUrl) : null;
  if (url === null) return failed("not-asked");
  const insecureUrl = insecureAmong([url], pageUrl);
  if (siteOf(url) !== siteOf(pageUrl)) return read({ setCookies: [], insecureUrl });
  // The address is known even if its answer is not.
  const withoutAnswer = (because: ProbeFailure) => (insecureUrl === null ? failed(because) : read({ setCookies: [], insecureUrl }));
  try {
    const { answers } = await withDeadline(deadlineClock, chainMs, [context.signal], (signal) =>
      followRedirects({ ...context, signal }, upgraded(url, insecureUrl), { answersMax, bodyBytesMax: 0 }),
    );
    const replies = answers.map(answerFacts);
    if (replies.some((reply) => isChallenge(reply, null))) return withoutAnswer("challenged");
    const targets = replies.flatMap((reply) => redirectTarget(reply) ?? []);
    const setCookies = answers
      .filter((answer) => siteOf(answer.url) === siteOf(pageUrl))
      .flatMap(({ url, reply }) => reply.setCookies().map((line) => ({ host: hostOf(url) ?? "", overHttps: isHttps(url), ...line })));
    return read({ setCookies, insecureUrl: insecureUrl ?? insecureAmong(targets, pageUrl) });
  } catch (thrown) {
    return withoutAnswer(failedBy(thrown).because);
  }
}

/** HTML standard, link type "icon": the first icon that needs a request, or `/favicon.ico` if the page names none. */
function faviconUrl({ icons }: MarkupFacts, pageUrl: string): string | null {
  if (icons.length === 0) return URL.parse("/favicon.ico", pageUrl)?.href ?? null;
  return icons.find((url) => /^https?:/i.test(url) && URL.canParse(url)) ?? null;
}

function insecureAmong(urls: readonly string[], pageUrl: string): string | null {
  return isHttps(pageUrl) ? (urls.find(isInsecureUrl) ?? null) : null;
}

/** Address that browsers request in place of an insecure one. */
function upgraded(url: string, insecureUrl: string | null): string {
  return insecureUrl === null || !isUpgradeable(url) ? url : url.replace(/^http:/i, "https:");
}

/** Mixed Content section 4.1: browsers request an image of an https page over https, except from an IP address. */
function isUpgradeable(url: string): boolean {
  return parseIpText(hostOf(url) ?? "") === null;
}

function siteOf(url: string): string {
  return siteOfHost(hostOf(url) ?? "");
}

/** Readings of the page with the icon as one of its requests. A browser would have sent the cookies of the page, so only new names count. */
export function withFavicon(readings: PageReadings, favicon: Reading<Favicon>): PageReadings {
  const { page, requests } = readings;
  if (isServerBusy(favicon)) return { ...readings, requests: failed("server-busy") };
  if (favicon.status === "failed" || page.status === "failed" || requests.status === "failed") return readings;
  const { setCookies, insecureUrl } = favicon.facts;
  const known = new Set(page.facts.setCookies.map(nameOf));
  const lines = [...page.facts.setCookies, ...setCookies.filter((line) => !known.has(nameOf(line)))];
  const kept = boundedList("setCookies", lines, setCookieLinesMax);
  return {
    ...readings,
    page: read({ ...page.facts, ...kept, setCookiesDropped: page.facts.setCookiesDropped + kept.setCookiesDropped }),
    requests: read(insecureUrl === null ? requests.facts : withInsecure(requests.facts, insecureUrl)),
  };
}

function nameOf({ line }: SetCookieLine): string {
  return parseSetCookie(line)?.name ?? line;
}

function withInsecure(requests: RequestsFacts, url: string): RequestsFacts {
  if (requests.insecure.length >= insecureRequestsMax) return { ...requests, insecureDropped: requests.insecureDropped + 1 };
  const outcome = isUpgradeable(url) ? "upgraded" : "loaded";
  return { ...requests, insecure: [...requests.insecure, { url, kind: "favicon", outcome }] };
}
