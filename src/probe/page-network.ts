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
  readonly answers: { readonly response: Protocol.Network.Response; readonly hasExtraInfo: boolean }[];
  readonly extras: Protocol.Network.ResponseReceivedExtraInfoEvent[];
  url: string;
  ended: boolean;
  errorText: string | null;
}

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
    const key = `${kind} ${url.slice(0, urlCharsMax)}`;
    if (insecure.size >= insecureRequestsMax && !insecure.has(key)) {
      insecureDropped++;
      return;
    }
    insecure.set(key, { url: url.slice(0, urlCharsMax), kind, outcome });
  }

  session.on(
    "Network.requestWillBeSent",
    ({ requestId, request, type, frameId: from, loaderId, redirectResponse, redirectHasExtraInfo }) => {
      const before = followed.get(requestId);
      if (redirectResponse !== undefined && before !== undefined) {
        before.answers.push({ response: redirectResponse, hasExtraInfo: redirectHasExtraInfo });
        before.url = request.url;
        return touch();
      }
      // What is made up from the page itself (data:, blob:) asks nothing of the network.
      if (!/^https?:/i.test(request.url)) return;
      const isMainDocument = type === "Document" && from === frameId && requestId === loaderId;
      if (!isMainDocument) total++;
      if (followed.size >= requestsFollowedMax && !isMainDocument) return;
      const one: FollowedRequest = {
        loaderId,
        answers: [],
        extras: [],
        url: request.url,
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
    followed.get(requestId)?.answers.push({ response, hasExtraInfo });
  });
  session.on("Network.responseReceivedExtraInfo", (extra) => {
    const one = followed.get(extra.requestId);
    if (one !== undefined && one.extras.length <= hopsMax) one.extras.push(extra);
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
    if (url !== undefined && integrityBlocked.size < subresourcesMax) integrityBlocked.add(url.slice(0, urlCharsMax));
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
  const answeredDocuments = () => documents.filter(({ answers }) => answers.some(({ response }) => !isRedirect(response)));
  const pageIsSecure = () => documents.at(-1)?.url.startsWith("https:") ?? false;

  /** All answers to main documents in order, the last of which is the page itself. */
  function chain(): readonly (HttpAnswer & { readonly internal: boolean; readonly response: Protocol.Network.Response })[] {
    const until = documents.indexOf(answeredDocuments().at(-1) as FollowedRequest);
    return documents.slice(0, until + 1).flatMap((document) => {
      let extrasUsed = 0;
      return document.answers.map(({ response, hasExtraInfo }) => {
        const extra = hasExtraInfo ? document.extras[extrasUsed++] : undefined;
        return {
          url: response.url.slice(0, urlCharsMax),
          status: extra?.statusCode ?? response.status,
          ...boundedHeaders(headerPairs(extra ?? response)),
          internal: response.headers["Non-Authoritative-Reason"] !== undefined && extra === undefined,
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
        mediaType: response.mimeType === "" ? null : response.mimeType.toLowerCase(),
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

function isRedirect({ status, headers }: Protocol.Network.Response): boolean {
  return status >= 300 && status < 400 && Object.keys(headers).some((name) => name.toLowerCase() === "location");
}

/**
 * The fields as received, where DevTools has their text. Without it (HTTP/2) they come sorted by name, the values of a
 * name joined by line feeds, which no value can contain.
 */
function headerPairs({ headers, headersText }: HeaderSource): readonly (readonly [string, string])[] {
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
      for (const [name, line] of headerPairs(extra)) {
        if (name.toLowerCase() !== "set-cookie") continue;
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
