/** Truncated copies of the browser's network events: thousands may arrive before a page has settled. */
import type { Protocol } from "../../browser/browser-page.ts";
import { isRedirectStatus } from "../../evidence/evidence.ts";
import { headerValueCharsMax, setCookieCharsPerAnswerMax, setCookieLinesMax, urlCharsMax } from "../../evidence/limits.ts";
import { boundedHeaders, boundedText, decodedHeaderValue } from "../../evidence/redact.ts";

/** An answer as the browser reports it. Only main documents keep fields, because few bytes of HTTP/2 can expand to 256 KB. */
export interface BoundedResponse {
  readonly url: string;
  readonly status: number;
  readonly isRedirect: boolean;
  /** True if the answer claims to be internal to the browser. A server can forge this claim, but then there is extra info. */
  readonly claimsInternal: boolean;
  /** True if the answer came from a cache. Extra info may be missing even if the answer announces it. */
  readonly isKept: boolean;
  readonly mediaType: string;
  readonly protocol: string | undefined;
  readonly securityDetails: Protocol.Network.SecurityDetails | undefined;
  /** Empty except for main documents. */
  readonly fields: BoundedFields;
}

/** The answer as the server sent it. Only this has all fields, cookies included. */
export interface BoundedExtraInfo {
  readonly status: number;
  readonly fields: BoundedFields;
  /** Lines with cookie values. `boundedSetCookie` removes the values later, from the few lines that become evidence. */
  readonly setCookies: readonly string[];
  readonly setCookiesDropped: number;
}

type BoundedFields = ReturnType<typeof boundedHeaders>;

/** Chromium accepts URLs of two megabytes. */
export function boundedUrl(url: string): string {
  return boundedText(url, urlCharsMax).text;
}

const noFields: BoundedFields = { headers: [], headersDropped: 0 };

/** `charsMax`: characters kept of a header value. */
export function boundedResponse(response: Protocol.Network.Response, isMainDocument: boolean, charsMax: number): BoundedResponse {
  const { url, status, headers, mimeType, protocol, securityDetails, fromDiskCache, fromPrefetchCache, fromServiceWorker } = response;
  return {
    url: boundedUrl(url),
    status,
    isRedirect: isRedirect(response),
    claimsInternal: headers["Non-Authoritative-Reason"] !== undefined,
    isKept: [fromDiskCache, fromPrefetchCache, fromServiceWorker].includes(true),
    mediaType: boundedText(mimeType, headerValueCharsMax).text,
    protocol,
    securityDetails,
    fields: isMainDocument ? boundedHeaders(headerPairs(response), charsMax) : noFields,
  };
}

export function boundedExtraInfo(
  extra: Protocol.Network.ResponseReceivedExtraInfoEvent,
  isMainDocument: boolean,
  charsMax: number,
): BoundedExtraInfo {
  const pairs = headerPairs(extra);
  const lines = pairs.flatMap(([name, line]) => (name.toLowerCase() === "set-cookie" ? [line] : []));
  const setCookies = boundedSetCookies(lines, charsMax);
  return {
    status: extra.statusCode,
    fields: isMainDocument ? boundedHeaders(pairs, charsMax) : noFields,
    setCookies,
    setCookiesDropped: lines.length - setCookies.length,
  };
}

/** Extra info whose fields came before their request was known. */
export function withoutFields(extra: BoundedExtraInfo): BoundedExtraInfo {
  return { ...extra, fields: noFields };
}

function boundedSetCookies(lines: readonly string[], charsMax: number): readonly string[] {
  const kept: string[] = [];
  let charsLeft = setCookieCharsPerAnswerMax;
  for (const line of lines.slice(0, setCookieLinesMax)) {
    charsLeft -= Math.min(line.length, charsMax);
    if (charsLeft < 0) break;
    // One extra character marks a truncated line.
    kept.push(boundedText(line, charsMax + 1).text);
  }
  return kept;
}

/** As in Chromium, which shows a redirect without an address like any other answer. */
function isRedirect({ status, headers }: Protocol.Network.Response): boolean {
  const [, location = ""] = Object.entries(headers).find(([name]) => name.toLowerCase() === "location") ?? [];
  return isRedirectStatus(status) && location.trim() !== "";
}

type HeaderSource = Pick<Protocol.Network.Response, "headers" | "headersText">;

/** As received if DevTools has the text. Without it (HTTP/2) fields are sorted, and line feeds join the values of a name. */
function headerPairs({ headers, headersText }: HeaderSource): readonly (readonly [name: string, value: string])[] {
  if (headersText === undefined)
    return Object.entries(headers).flatMap(([name, joined]) =>
      joined.split("\n").map((value) => [name, decodedHeaderValue(value)] as const),
    );
  const [, ...lines] = headersText.split(/\r?\n/);
  return lines.flatMap((line) => {
    const colonAt = line.indexOf(":");
    return colonAt < 1 ? [] : [[line.slice(0, colonAt), decodedHeaderValue(line.slice(colonAt + 1)).trim()] as const];
  });
}
