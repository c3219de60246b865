/** Listens to what a page asks the network, and turns it into facts once the page has settled. */
import { boundedHeaders, boundedText } from "../evidence/bound.ts";
import type { Facts, Hop, HttpAnswer, SetCookieLine } from "../evidence/facts.ts";
import { headerValueCharsMax, hopsMax, insecureRequestsMax, setCookieLinesMax, subresourcesMax, urlCharsMax } from "../evidence/limits.ts";
import { withoutCookieValue } from "../evidence/redact.ts";
import { siteOfHost } from "../parse/site.ts";
import type { CDPSession, Protocol } from "./browser-session.ts";

/** Requests of one page load that are followed; a page can make more without end, and further ones are only counted. */
const requestsFollowedMax = 2_000;

/** What one request was answered with, redirects first. `ExtraInfo` events bring the fields as they crossed the wire. */
interface FollowedRequest {
  /** Of the document that it belongs to. */
  readonly loaderId: string;
  /** Its fields are part of the facts; of other requests only cookies are. */
  readonly isMainDocument: boolean;
  readonly answers: { readonly response: KeptResponse; readonly hasExtraInfo: boolean }[];
  readonly extras: KeptExtra[];
  url: string;
  ended: boolean;
  errorText: string | null;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** Cut on arrival: a few bytes of HTTP/2 can stand for a quarter of a megabyte of fields, thousands of times. */
interface KeptResponse {
  readonly url: string;
  readonly status: number;
  readonly isRedirect: boolean;
  /** Whether the browser made it up; a server can claim so as well, but then it crossed the wire. */
  readonly claimsInternal: boolean;
  readonly mediaType: string;
  readonly protocol: string | undefined;
  readonly securityDetails: Protocol.Network.SecurityDetails | undefined;
  /** Empty but for main documents. */
  readonly fields: BoundedFields;
}

interface KeptExtra {
  readonly status: number;
  readonly fields: BoundedFields;
  readonly setCookies: readonly string[];
  readonly setCookiesDropped: number;
}

type BoundedFields = ReturnType<typeof boundedHeaders>;

export interface PageNetwork {
  /** The main document that came last, or null when none was asked for yet. */
  mainDocument(): FollowedRequest | null;
  /** Whether the browser shows the document that the facts are about, and not a later one or one that no server sent. */
  readonly showsPage: boolean;
  /** Whether any main document was answered so far. */
  readonly answered: boolean;
  /** Whether that was an HTTP answer: Chromium shows whatever bytes come as HTTP/0.9, which has neither status nor fields. */
  readonly speaksHttp: boolean;
  /** How many main documents were asked for: scripts and meta elements can go on and on. */
  readonly navigations: number;
  /** Resolves when no request was under way for `quietMs`, or after `maxMs`. */
  settled(quietMs: number, maxMs: number, signal: AbortSignal): Promise<void>;
  /** Null until a main document was answered. */
  navigation(remoteAddressOf: (url: URL) => string | null): Facts["navigation"] | null;
  /** Null until a main document was answered. */
  page(): Facts["page"] | null;
  requests(): Facts["requests"];
}

/** Needs Network, Page, Audits and Log enabled on the session. `frameId` is the page's main frame. */
export function watchNetwork(session: CDPSession, frameId: string): PageNetwork {
  const followed = new Map<string, FollowedRequest>();
  const documents: FollowedRequest[] = [];
  const insecure = new Map<string, Facts["requests"]["insecure"][number]>();
  const integrityBlocked = new Set<string>();
  const underWay = new Set<string>();
  let total = 0;
  let insecureDropped = 0;
  let quietSinceMs = performance.now();
  let shownLoaderId: string | null = null;

  const touch = () => {
    quietSinceMs = performance.now();
  };

  function noteInsecure(url: string, kind: string, outcome: Facts["requests"]["insecure"][number]["outcome"]): void {
    const kept = boundedUrl(url);
    const key = `${kind} ${kept}`;
    if (insecure.size >= insecureRequestsMax && !insecure.has(key)) {
      insecureDropped++;
      return;
    }
    insecure.set(key, { url: kept, kind, outcome });
  }

  session.on(
    "Network.requestWillBeSent",
    ({ requestId, request, type, frameId: from, loaderId, redirectResponse, redirectHasExtraInfo }) => {
      const before = followed.get(requestId);
      if (redirectResponse !== undefined && before !== undefined) {
        if (before.answers.length < answersKeptMax)
          before.answers.push({ response: keptResponse(redirectResponse, before), hasExtraInfo: redirectHasExtraInfo });
        before.url = boundedUrl(request.url);
        return touch();
      }
      // What is made up from the page itself (data:, blob:) asks nothing of the network.
      if (!/^https?:/i.test(request.url)) return;
      const isMainDocument = type === "Document" && from === frameId && requestId === loaderId;
      if (!isMainDocument) total++;
      if (followed.size >= requestsFollowedMax && !isMainDocument) return;
      const one: FollowedRequest = {
        loaderId,
        isMainDocument,
        answers: [],
        extras: [],
        url: boundedUrl(request.url),
        ended: false,
        errorText: null,
      };
      followed.set(requestId, one);
      if (isMainDocument) documents.push(one);
      underWay.add(requestId);
      touch();
    },
  );
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === frameId) shownLoaderId = frame.loaderId;
  });
  session.on("Network.responseReceived", ({ requestId, response, hasExtraInfo }) => {
    const one = followed.get(requestId);
    one?.answers.push({ response: keptResponse(response, one), hasExtraInfo });
  });
  session.on("Network.responseReceivedExtraInfo", (extra) => {
    const one = followed.get(extra.requestId);
    if (one !== undefined && one.extras.length < answersKeptMax) one.extras.push(keptExtra(extra, one));
  });
  session.on("Network.loadingFinished", ({ requestId }) => end(requestId, null));
  session.on("Network.loadingFailed", ({ requestId, errorText }) => end(requestId, errorText));
  session.on("Network.webSocketCreated", ({ url }) => {
    total++;
    if (url.startsWith("ws:") && pageIsSecure()) noteInsecure(url, "websocket", "loaded");
  });
  session.on("Audits.issueAdded", ({ issue }) => {
    const mixed = issue.details.mixedContentIssueDetails;
    if (mixed === undefined) return;
    const outcomes = {
      MixedContentBlocked: "blocked",
      MixedContentAutomaticallyUpgraded: "upgraded",
      MixedContentWarning: "loaded",
    } as const;
    noteInsecure(mixed.insecureURL, (mixed.resourceType ?? "other").toLowerCase(), outcomes[mixed.resolutionStatus]);
  });
  session.on("Log.entryAdded", ({ entry }) => {
    // Chromium reports a mismatch nowhere else. Pages cannot write to this log, only to the console.
    const url = /^Failed to find a valid digest in the 'integrity' attribute for resource '([^']+)'/.exec(entry.text)?.[1];
    if (url !== undefined && integrityBlocked.size < subresourcesMax) integrityBlocked.add(boundedUrl(url));
  });

  function end(requestId: string, errorText: string | null): void {
    const one = followed.get(requestId);
    if (one !== undefined) {
      one.ended = true;
      one.errorText = errorText;
    }
    if (underWay.delete(requestId)) touch();
  }

  /** A document that was asked for and never answered replaces nothing. */
  const answeredDocuments = () => documents.filter(({ answers }) => answers.some(({ response }) => !response.isRedirect));
  const pageIsSecure = () => documents.at(-1)?.url.startsWith("https:") ?? false;

  /** All answers to main documents in order, the last of which is the page itself. */
  function chain(): readonly (HttpAnswer & { readonly internal: boolean; readonly response: KeptResponse })[] {
    const until = documents.indexOf(answeredDocuments().at(-1) as FollowedRequest);
    return documents.slice(0, until + 1).flatMap((document) => {
      let extrasUsed = 0;
      return document.answers.map(({ response, hasExtraInfo }) => {
        const extra = hasExtraInfo ? document.extras[extrasUsed++] : undefined;
        return {
          url: response.url,
          status: (extra ?? response).status,
          ...(extra ?? response).fields,
          internal: response.claimsInternal && extra === undefined,
          response,
        };
      });
    });
  }

  return {
    mainDocument: () => documents.at(-1) ?? null,
    get showsPage() {
      return shownLoaderId !== null && shownLoaderId === answeredDocuments().at(-1)?.loaderId;
    },
    get answered() {
      return answeredDocuments().length > 0;
    },
    get speaksHttp() {
      return chain().at(-1)?.response.protocol !== "http/0.9";
    },
    get navigations() {
      return documents.length;
    },
    settled: (quietMs, maxMs, signal) =>
      new Promise((resolve) => {
        const untilMs = performance.now() + maxMs;
        let timer: ReturnType<typeof setTimeout> | undefined;
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const look = () => {
          clearTimeout(timer);
          const nowMs = performance.now();
          const quietForMs = underWay.size === 0 ? nowMs - quietSinceMs : 0;
          if (quietForMs >= quietMs || nowMs >= untilMs) return done();
          timer = setTimeout(look, Math.max(1, Math.min(quietMs - quietForMs, untilMs - nowMs)));
        };
        quietSinceMs = performance.now();
        signal.addEventListener("abort", done, { once: true });
        if (signal.aborted) done();
        else look();
      }),
    navigation: (remoteAddressOf) => {
      const answers = chain();
      const last = answers.at(-1);
      if (last === undefined) return null;
      const finalUrl = URL.parse(last.url);
      const { securityDetails } = last.response;
      return {
        hops: answers
          .slice(0, -1)
          .slice(0, hopsMax)
          .map(({ response: _, ...hop }): Hop => hop),
        finalUrl: last.url,
        finalStatus: last.status,
        remoteAddress: finalUrl === null ? null : remoteAddressOf(finalUrl),
        security:
          securityDetails === undefined
            ? null
            : {
                protocol: securityDetails.protocol,
                cipher: securityDetails.cipher,
                keyExchange: securityDetails.keyExchange || (securityDetails.keyExchangeGroup ?? ""),
                certificateTransparency: securityDetails.certificateTransparencyCompliance,
              },
      };
    },
    page: () => {
      const last = chain().at(-1);
      if (last === undefined) return null;
      const { response, internal: _, ...answer } = last;
      return {
        ...answer,
        mediaType: response.mediaType === "" ? null : response.mediaType.toLowerCase(),
        ...setCookiesOf(followed.values(), last.url),
      };
    },
    requests: () => ({
      total,
      insecure: [...insecure.values()],
      insecureDropped,
      integrityBlocked: [...integrityBlocked],
    }),
  };
}

/** Chromium follows `hopsMax` redirects, and then there is the answer itself. */
const answersKeptMax = hopsMax + 1;

/** Chromium takes URLs of two megabytes. */
function boundedUrl(url: string): string {
  return boundedText(url, urlCharsMax).text;
}

const noFields: BoundedFields = { headers: [], headersDropped: 0 };

function keptResponse(response: Protocol.Network.Response, { isMainDocument }: FollowedRequest): KeptResponse {
  const { url, status, headers, mimeType, protocol, securityDetails } = response;
  return {
    url: boundedUrl(url),
    status,
    isRedirect: isRedirect(response),
    claimsInternal: headers["Non-Authoritative-Reason"] !== undefined,
    mediaType: mimeType,
    protocol,
    securityDetails,
    fields: isMainDocument ? boundedHeaders(headerPairs(response)) : noFields,
  };
}

function keptExtra(extra: Protocol.Network.ResponseReceivedExtraInfoEvent, { isMainDocument }: FollowedRequest): KeptExtra {
  const pairs = headerPairs(extra);
  const lines = pairs.flatMap(([name, line]) => (name.toLowerCase() === "set-cookie" ? [line] : []));
  return {
    status: extra.statusCode,
    fields: isMainDocument ? boundedHeaders(pairs) : noFields,
    // One character more than is kept tells that there was more.
    setCookies: lines.slice(0, setCookieLinesMax).map((line) => boundedText(line, headerValueCharsMax + 1).text),
    setCookiesDropped: Math.max(0, lines.length - setCookieLinesMax),
  };
}

function isRedirect({ status, headers }: Protocol.Network.Response): boolean {
  return status >= 300 && status < 400 && Object.keys(headers).some((name) => name.toLowerCase() === "location");
}

/**
 * The fields as received, where DevTools has their text. Without it (HTTP/2) they come sorted by name, the values of a
 * name joined by line feeds, which no value can contain.
 */
function headerPairs({ headers, headersText }: HeaderSource): Pairs {
  if (headersText === undefined)
    return Object.entries(headers).flatMap(([name, joined]) => joined.split("\n").map((value) => [name, value] as const));
  const [, ...lines] = headersText.split(/\r?\n/);
  return lines.flatMap((line) => {
    const colonAt = line.indexOf(":");
    return colonAt < 1 ? [] : [[line.slice(0, colonAt), line.slice(colonAt + 1).trim()] as const];
  });
}

type HeaderSource = Pick<Protocol.Network.Response, "headers" | "headersText">;

/** Lines that first-party answers sent; the values stay here. */
function setCookiesOf(requests: Iterable<FollowedRequest>, pageUrl: string): Pick<Facts["page"], "setCookies" | "setCookiesDropped"> {
  const pageSite = siteOf(pageUrl);
  const lines: SetCookieLine[] = [];
  let dropped = 0;
  for (const { answers, extras } of requests) {
    const wired = answers.filter(({ hasExtraInfo }) => hasExtraInfo);
    for (const [at, extra] of extras.entries()) {
      const url = wired[at]?.response.url;
      if (url === undefined || siteOf(url) !== pageSite) continue;
      dropped += extra.setCookiesDropped;
      for (const line of extra.setCookies) {
        if (lines.length < setCookieLinesMax) lines.push(setCookieLine(url, line));
        else dropped++;
      }
    }
  }
  return { setCookies: lines, setCookiesDropped: dropped };
}

function setCookieLine(url: string, line: string): SetCookieLine {
  const { hostname, protocol } = new URL(url);
  const truncated = line.length > headerValueCharsMax;
  return {
    host: hostname,
    overHttps: protocol === "https:",
    line: boundedText(withoutCookieValue(line.slice(0, headerValueCharsMax)), headerValueCharsMax).text,
    truncated,
  };
}

function siteOf(url: string): string | null {
  const host = URL.parse(url)?.hostname;
  return host === undefined ? null : siteOfHost(host);
}
