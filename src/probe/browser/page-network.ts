/** Records the network requests of a page, and turns them into facts once the page has settled. */

import type { CDPSession, Protocol } from "../../browser/browser-page.ts";
import type { Facts } from "../../evidence/facts.ts";
import type { Hop, HttpAnswer } from "../../evidence/http-facts.ts";
import { headerValueCharsMax, hopsMax, insecureRequestsMax, setCookieLinesMax, subresourcesMax } from "../../evidence/limits.ts";
import type { SetCookieLine } from "../../evidence/page-facts.ts";
import { boundedSetCookie } from "../../evidence/redact.ts";
import { siteOfHost } from "../../parse/site.ts";
import {
  type BoundedExtraInfo,
  type BoundedResponse,
  boundedExtraInfo,
  boundedResponse,
  boundedUrl,
  withoutFields,
} from "./bounded-response.ts";
import { EarlyExtraInfo } from "./early-extra-info.ts";
import { type Traffic, watchTraffic } from "./traffic.ts";

/** Requests recorded per page load; a hostile page can send more without end, which are only counted. */
const requestsRecordedMax = 2_000;
/** `hopsMax` redirects and the final answer. */
const answersKeptMax = hopsMax + 1;
const mixedOutcomes = {
  MixedContentBlocked: "blocked",
  MixedContentAutomaticallyUpgraded: "upgraded",
  MixedContentWarning: "loaded",
} as const;

type InsecureRequest = Facts["requests"]["insecure"][number];

/** One request with its answers, redirects first. `ExtraInfo` events bring the header fields as sent by the server. */
interface RecordedRequest {
  readonly loaderId: string;
  /** Header fields are kept for main documents only; of other requests only cookies. */
  readonly isMainDocument: boolean;
  readonly answers: { readonly response: BoundedResponse; readonly hasExtraInfo: boolean }[];
  readonly extras: BoundedExtraInfo[];
  url: string;
  /** Answered from the memory of the page, without extra info although the answer announces some. */
  isFromMemory: boolean;
  /** Whether the answer after all redirects came. */
  isAnswered: boolean;
}

type ChainAnswer = HttpAnswer & { readonly internal: boolean; readonly response: BoundedResponse };

export interface PageNetwork {
  readonly requestedUrl: string | null;
  /** Whether the browser shows the document of the facts, not a later one or one without a server. */
  readonly showsPage: boolean;
  readonly answered: boolean;
  /** False for HTTP/0.9, as which Chromium shows arbitrary bytes: it has neither status nor fields. */
  readonly isHttp1OrLater: boolean;
  /** Number of requested main documents: scripts and meta elements can navigate without end. */
  readonly navigations: number;
  readonly settled: Traffic["settled"];
  navigation(remoteAddressOf: (url: URL) => string | null): Facts["navigation"] | null;
  page(): Facts["page"] | null;
  requests(): Facts["requests"];
}

/** Needs Network, Page, Audits and Log enabled on the session. `frameId` is the page's main frame. */
export function watchNetwork(session: CDPSession, frameId: string, headerCharsMax = headerValueCharsMax): PageNetwork {
  return new NetworkRecorder(session, frameId, headerCharsMax);
}

class NetworkRecorder implements PageNetwork {
  readonly #frameId: string;
  readonly #headerCharsMax: number;
  readonly #recorded = new Map<string, RecordedRequest>();
  readonly #early = new EarlyExtraInfo(answersKeptMax);
  readonly #documents: RecordedRequest[] = [];
  readonly #insecure = new Map<string, InsecureRequest>();
  readonly #integrityBlocked = new Set<string>();
  readonly #traffic = watchTraffic();
  readonly settled = this.#traffic.settled;
  #total = 0;
  #insecureDropped = 0;
  #shownLoaderId: string | null = null;

  constructor(session: CDPSession, frameId: string, headerCharsMax: number) {
    this.#frameId = frameId;
    this.#headerCharsMax = headerCharsMax;
    session.on("Network.requestWillBeSent", (event) => this.#onRequest(event));
    session.on("Network.responseReceived", (event) => this.#onResponse(event));
    session.on("Network.responseReceivedExtraInfo", (event) => this.#onExtraInfo(event));
    session.on("Network.requestServedFromCache", ({ requestId }) => this.#onServedFromMemory(requestId));
    session.on("Network.loadingFinished", ({ requestId }) => this.#traffic.end(requestId));
    session.on("Network.loadingFailed", ({ requestId }) => this.#traffic.end(requestId));
    session.on("Network.webSocketCreated", ({ url }) => this.#onWebSocket(url));
    session.on("Page.frameNavigated", ({ frame }) => {
      if (frame.id === frameId) this.#shownLoaderId = frame.loaderId;
    });
    session.on("Audits.issueAdded", ({ issue }) => this.#onIssue(issue));
    session.on("Log.entryAdded", ({ entry }) => this.#onLogEntry(entry.text));
  }

  get requestedUrl(): string | null {
    return this.#documents.at(-1)?.url ?? null;
  }

  get showsPage(): boolean {
    return this.#shownLoaderId !== null && this.#shownLoaderId === this.#answeredDocuments().at(-1)?.loaderId;
  }

  get answered(): boolean {
    return this.#answeredDocuments().length > 0;
  }

  get isHttp1OrLater(): boolean {
    return this.#chain().at(-1)?.response.protocol !== "http/0.9";
  }

  get navigations(): number {
    return this.#documents.length;
  }

  navigation(remoteAddressOf: (url: URL) => string | null): Facts["navigation"] | null {
    const answers = this.#chain();
    const last = answers.at(-1);
    if (last === undefined) return null;
    const finalUrl = URL.parse(last.url);
    return {
      hops: answers
        .slice(0, -1)
        .slice(0, hopsMax)
        .map(({ response: _, ...hop }): Hop => hop),
      finalUrl: last.url,
      finalStatus: last.status,
      remoteAddress: finalUrl === null ? null : remoteAddressOf(finalUrl),
      security: securityOf(last.response),
    };
  }

  page(): Facts["page"] | null {
    const last = this.#chain().at(-1);
    if (last === undefined) return null;
    const { response, internal: _, ...answer } = last;
    const others = [...this.#recorded.values()].filter(({ isMainDocument }) => !isMainDocument).sort(byUrl);
    return {
      ...answer,
      mediaType: response.mediaType === "" ? null : response.mediaType.toLowerCase(),
      ...setCookiesOf([...this.#documents, ...others], last.url, this.#headerCharsMax),
    };
  }

  requests(): Facts["requests"] {
    return {
      total: this.#total,
      insecure: [...this.#insecure.values()].sort(byUrl),
      insecureDropped: this.#insecureDropped,
      integrityBlocked: [...this.#integrityBlocked].sort(),
    };
  }

  #onRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, request, type, frameId, loaderId, redirectResponse, redirectHasExtraInfo } = event;
    const early = this.#early.take(requestId);
    const before = this.#recorded.get(requestId);
    if (redirectResponse !== undefined && before !== undefined) {
      if (before.answers.length < answersKeptMax) {
        const response = boundedResponse(redirectResponse, before.isMainDocument, this.#headerCharsMax);
        before.answers.push({ response, hasExtraInfo: redirectHasExtraInfo });
      }
      before.url = boundedUrl(request.url);
      this.#traffic.touch();
      return;
    }
    // Schemes such as data: and blob: use no network.
    if (!/^https?:/i.test(request.url)) return;
    const isMainDocument = type === "Document" && frameId === this.#frameId && requestId === loaderId;
    if (!isMainDocument) this.#total++;
    if (this.#recorded.size >= requestsRecordedMax && !isMainDocument) return;
    const extras = isMainDocument ? [...early] : early.map(withoutFields);
    const url = boundedUrl(request.url);
    const recorded: RecordedRequest = { loaderId, isMainDocument, answers: [], extras, url, isFromMemory: false, isAnswered: false };
    this.#recorded.set(requestId, recorded);
    if (isMainDocument) this.#documents.push(recorded);
    this.#traffic.begin(requestId);
  }

  #onResponse({ requestId, response, hasExtraInfo }: Protocol.Network.ResponseReceivedEvent): void {
    const recorded = this.#recorded.get(requestId);
    // Each part of an image of several parts is reported as one more answer.
    if (recorded === undefined || recorded.isAnswered) return;
    recorded.isAnswered = true;
    recorded.answers.push({ response: boundedResponse(response, recorded.isMainDocument, this.#headerCharsMax), hasExtraInfo });
  }

  #onServedFromMemory(requestId: string): void {
    const recorded = this.#recorded.get(requestId);
    if (recorded !== undefined) recorded.isFromMemory = true;
  }

  #onExtraInfo(event: Protocol.Network.ResponseReceivedExtraInfoEvent): void {
    const recorded = this.#recorded.get(event.requestId);
    if (recorded === undefined) {
      // With more requests than are recorded, fields usually belong to one of those left out.
      if (this.#recorded.size < requestsRecordedMax) this.#early.keep(event.requestId, boundedExtraInfo(event, true, this.#headerCharsMax));
    } else if (recorded.extras.length < answersKeptMax)
      recorded.extras.push(boundedExtraInfo(event, recorded.isMainDocument, this.#headerCharsMax));
  }

  #onWebSocket(url: string): void {
    this.#total++;
    const pageIsSecure = this.requestedUrl?.startsWith("https:") ?? false;
    if (url.startsWith("ws:") && pageIsSecure) this.#recordInsecure(url, "websocket", "loaded");
  }

  #onIssue({ details }: Protocol.Audits.InspectorIssue): void {
    const mixed = details.mixedContentIssueDetails;
    if (mixed === undefined) return;
    this.#recordInsecure(mixed.insecureURL, (mixed.resourceType ?? "other").toLowerCase(), mixedOutcomes[mixed.resolutionStatus]);
  }

  /** Chromium reports an integrity mismatch nowhere else. Pages cannot write to this log, only to the console. */
  #onLogEntry(text: string): void {
    const url = /^Failed to find a valid digest in the 'integrity' attribute for resource '([^']+)'/.exec(text)?.[1];
    if (url !== undefined && this.#integrityBlocked.size < subresourcesMax) this.#integrityBlocked.add(boundedUrl(url));
  }

  #recordInsecure(url: string, kind: string, outcome: InsecureRequest["outcome"]): void {
    const kept = boundedUrl(url);
    const key = `${kind} ${kept}`;
    if (this.#insecure.size >= insecureRequestsMax && !this.#insecure.has(key)) {
      this.#insecureDropped++;
      return;
    }
    this.#insecure.set(key, { url: kept, kind, outcome });
  }

  /** A document without an answer replaces nothing. */
  #answeredDocuments(): readonly RecordedRequest[] {
    return this.#documents.filter(({ answers }) => answers.some(({ response }) => !response.isRedirect));
  }

  /** All answers to main documents in order; the last one is the page itself. */
  #chain(): readonly ChainAnswer[] {
    const until = this.#documents.indexOf(this.#answeredDocuments().at(-1) as RecordedRequest);
    return this.#documents.slice(0, until + 1).flatMap(answersOf);
  }
}

function answersOf({ answers, extras }: RecordedRequest): readonly ChainAnswer[] {
  let extrasUsed = 0;
  return answers.map(({ response, hasExtraInfo }) => {
    const extra = hasExtraInfo ? extras[extrasUsed++] : undefined;
    return {
      url: response.url,
      status: (extra ?? response).status,
      ...(extra ?? response).fields,
      internal: response.claimsInternal && extra === undefined,
      response,
    };
  });
}

function securityOf({ securityDetails: details }: BoundedResponse): Facts["navigation"]["security"] {
  if (details === undefined) return null;
  return {
    protocol: details.protocol,
    cipher: details.cipher,
    keyExchange: details.keyExchange || (details.keyExchangeGroup ?? ""),
    certificateTransparency: details.certificateTransparencyCompliance,
  };
}

/** Requests come in a different order each time; evidence must not depend on it. */
function byUrl(one: { readonly url: string }, other: { readonly url: string }): number {
  return one.url < other.url ? -1 : Number(one.url > other.url);
}

/** Set-Cookie lines of first-party answers, without the values. */
function setCookiesOf(
  requests: Iterable<RecordedRequest>,
  pageUrl: string,
  lineCharsMax: number,
): Pick<Facts["page"], "setCookies" | "setCookiesDropped"> {
  const pageSite = siteOf(pageUrl);
  const lines: SetCookieLine[] = [];
  let dropped = 0;
  for (const { answers, extras, isFromMemory } of requests) {
    const withExtraInfo = answers.filter(({ hasExtraInfo }) => hasExtraInfo);
    for (const [at, { response }] of withExtraInfo.entries()) {
      if (siteOf(response.url) !== pageSite) continue;
      const extra = extras[at];
      if (extra === undefined) {
        // The fields of the server never came, so it may have set a cookie.
        if (!isFromMemory && !response.isKept) dropped++;
        continue;
      }
      dropped += extra.setCookiesDropped;
      const { hostname: host, protocol } = new URL(response.url);
      for (const line of extra.setCookies) {
        if (lines.length < setCookieLinesMax)
          lines.push({ host, overHttps: protocol === "https:", ...boundedSetCookie(line, lineCharsMax) });
        else dropped++;
      }
    }
  }
  return { setCookies: lines, setCookiesDropped: dropped };
}

function siteOf(url: string): string | null {
  const host = URL.parse(url)?.hostname;
  return host === undefined ? null : siteOfHost(host);
}
