/** Listens to what a page asks the network, and turns it into facts once the page has settled. */
import { boundedText } from "../../evidence/bound.ts";
import type { Facts, Hop, HttpAnswer, SetCookieLine } from "../../evidence/facts.ts";
import { headerValueCharsMax, hopsMax, insecureRequestsMax, setCookieLinesMax, subresourcesMax } from "../../evidence/limits.ts";
import { withoutCookieValue } from "../../evidence/redact.ts";
import { siteOfHost } from "../../parse/site.ts";
import type { CDPSession } from "./browser-session.ts";
import { boundedUrl, type KeptExtra, type KeptResponse, keptExtra, keptResponse } from "./kept-answer.ts";
import { type Traffic, watchTraffic } from "./traffic.ts";

/** Requests of one page load that are followed; a page can make more without end, and further ones are only counted. */
const requestsFollowedMax = 2_000;
/** Chromium follows `hopsMax` redirects, and then there is the answer itself. */
const answersKeptMax = hopsMax + 1;
/** Outcomes of mixed content as Chromium reports them. */
const mixedOutcomes = {
  MixedContentBlocked: "blocked",
  MixedContentAutomaticallyUpgraded: "upgraded",
  MixedContentWarning: "loaded",
} as const;

type InsecureRequest = Facts["requests"]["insecure"][number];

/** What one request was answered with, redirects first. `ExtraInfo` events bring the fields as they crossed the wire. */
interface FollowedRequest {
  /** Of the document that it belongs to. */
  readonly loaderId: string;
  /** Its fields are part of the facts; of other requests only cookies are. */
  readonly isMainDocument: boolean;
  readonly answers: { readonly response: KeptResponse; readonly hasExtraInfo: boolean }[];
  readonly extras: KeptExtra[];
  url: string;
}

export interface PageNetwork {
  /** Where the main document that came last was asked for, or null when none was yet. */
  readonly askedUrl: string | null;
  /** Whether the browser shows the document that the facts are about, and not a later one or one that no server sent. */
  readonly showsPage: boolean;
  /** Whether any main document was answered so far. */
  readonly answered: boolean;
  /** Whether that was an HTTP answer: Chromium shows whatever bytes come as HTTP/0.9, which has neither status nor fields. */
  readonly speaksHttp: boolean;
  /** How many main documents were asked for: scripts and meta elements can go on and on. */
  readonly navigations: number;
  readonly settled: Traffic["settled"];
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
  const insecure = new Map<string, InsecureRequest>();
  const integrityBlocked = new Set<string>();
  const traffic = watchTraffic();
  let total = 0;
  let insecureDropped = 0;
  let shownLoaderId: string | null = null;

  function noteInsecure(url: string, kind: string, outcome: InsecureRequest["outcome"]): void {
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
          before.answers.push({ response: keptResponse(redirectResponse, before.isMainDocument), hasExtraInfo: redirectHasExtraInfo });
        before.url = boundedUrl(request.url);
        return traffic.touch();
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
      };
      followed.set(requestId, one);
      if (isMainDocument) documents.push(one);
      traffic.begin(requestId);
    },
  );
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === frameId) shownLoaderId = frame.loaderId;
  });
  session.on("Network.responseReceived", ({ requestId, response, hasExtraInfo }) => {
    const one = followed.get(requestId);
    one?.answers.push({ response: keptResponse(response, one.isMainDocument), hasExtraInfo });
  });
  session.on("Network.responseReceivedExtraInfo", (extra) => {
    const one = followed.get(extra.requestId);
    if (one !== undefined && one.extras.length < answersKeptMax) one.extras.push(keptExtra(extra, one.isMainDocument));
  });
  session.on("Network.loadingFinished", ({ requestId }) => traffic.end(requestId));
  session.on("Network.loadingFailed", ({ requestId }) => traffic.end(requestId));
  session.on("Network.webSocketCreated", ({ url }) => {
    total++;
    if (url.startsWith("ws:") && pageIsSecure()) noteInsecure(url, "websocket", "loaded");
  });
  session.on("Audits.issueAdded", ({ issue }) => {
    const mixed = issue.details.mixedContentIssueDetails;
    if (mixed === undefined) return;
    noteInsecure(mixed.insecureURL, (mixed.resourceType ?? "other").toLowerCase(), mixedOutcomes[mixed.resolutionStatus]);
  });
  session.on("Log.entryAdded", ({ entry }) => {
    // Chromium reports a mismatch nowhere else. Pages cannot write to this log, only to the console.
    const url = /^Failed to find a valid digest in the 'integrity' attribute for resource '([^']+)'/.exec(entry.text)?.[1];
    if (url !== undefined && integrityBlocked.size < subresourcesMax) integrityBlocked.add(boundedUrl(url));
  });

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
    get askedUrl() {
      return documents.at(-1)?.url ?? null;
    },
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
    settled: traffic.settled,
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
        ...setCookiesOf([...documents, ...[...followed.values()].filter(({ isMainDocument }) => !isMainDocument).sort(byUrl)], last.url),
      };
    },
    requests: () => ({
      total,
      insecure: [...insecure.values()].sort(byUrl),
      insecureDropped,
      integrityBlocked: [...integrityBlocked].sort(),
    }),
  };
}

/** What a page asks for comes in another order each time; the evidence does not. */
function byUrl(one: { readonly url: string }, other: { readonly url: string }): number {
  return one.url < other.url ? -1 : Number(one.url > other.url);
}

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
