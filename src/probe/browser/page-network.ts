/** Records the network requests of a page, and turns them into facts once the page has settled. */
import { type CDPSession, disconnectedEvent, type Protocol } from "../../browser/browser-page.ts";
import type { Facts } from "../../evidence/facts.ts";
import type { Hop, HttpAnswer } from "../../evidence/http-facts.ts";
import {
  attributeCharsMax,
  cspViolationsMax,
  headerValueCharsMax,
  hopsMax,
  insecureRequestsMax,
  loadedOriginsMax,
  otherSitesMax,
  protocolCharsMax,
  setCookieLinesMax,
  subresourcesMax,
} from "../../evidence/limits.ts";
import type { CspViolation, LoadedOrigin, OtherSiteFile, SetCookieLine } from "../../evidence/page-facts.ts";
import { boundedSetCookie, boundedText } from "../../evidence/redact.ts";
import { siteOfUrl } from "../../parse/site.ts";
import {
  type BoundedExtraInfo,
  type BoundedResponse,
  boundedExtraInfo,
  boundedResponse,
  boundedUrl,
  withoutFields,
} from "./bounded-response.ts";
import { Traffic } from "./page-settling.ts";
import type { PageWorker } from "./page-workers.ts";

// Header fields that the browser reports before the request that they belong to.

/** Requests whose early fields are kept; the request itself follows within milliseconds. */
const earlyRequestsMax = 64;

/** The network process reports fields, and the process of the page reports requests: either can be first. */
class EarlyExtraInfo {
  /** Early fields by request id, oldest first. */
  readonly #early = new Map<string, BoundedExtraInfo[]>();

  /** Keeps the fields of a request. Above the limit, the oldest request loses its fields. */
  keep(requestId: string, extra: BoundedExtraInfo): void {
    const extras = this.#early.get(requestId) ?? [];
    if (extras.length < answersKeptMax) extras.push(extra);
    this.#early.set(requestId, extras);
    const [oldest] = this.#early.keys();
    if (this.#early.size > earlyRequestsMax && oldest !== undefined) this.#early.delete(oldest);
  }

  /** Removes and returns the fields that came before the request, in order. */
  take(requestId: string): readonly BoundedExtraInfo[] {
    const extras = this.#early.get(requestId) ?? [];
    this.#early.delete(requestId);
    return extras;
  }
}

// Frames whose scripts have the rights of the page.

/** Frames of a page that are known; a hostile page can create more without end. */
const framesMax = 1_000;
/** Frames around a frame that are looked at. */
const frameDepthMax = 50;

/** Needs Page enabled on the session. Frames of other sites have processes of their own, of which the session reports nothing. */
class OwnFrames {
  readonly #session: CDPSession;
  readonly #mainFrameId: string;
  /** Origin of the URL, as the browser serializes it, and the frame around it. */
  readonly #frames = new Map<string, { readonly origin: string; readonly parentId: string | null }>();
  /** Frames whose own element has the attribute. */
  readonly #sandboxed = new Set<string>();
  readonly #examined = new Set<string>();
  #shownLoaderId: string | null = null;

  constructor(session: CDPSession, mainFrameId: string) {
    this.#session = session;
    this.#mainFrameId = mainFrameId;
    session.on("Page.frameAttached", ({ frameId, parentFrameId }) => this.#keep(frameId, parentFrameId, null));
    session.on("Page.frameNavigated", ({ frame: { id, parentId = null, url, securityOrigin, loaderId } }) => {
      if (id === mainFrameId) this.#shownLoaderId = loaderId;
      this.#keep(id, parentId, url.startsWith("about:") ? null : securityOrigin);
    });
  }

  /** Document that the main frame shows; null before the first. */
  get shownLoaderId(): string | null {
    return this.#shownLoaderId;
  }

  /** Origin of the page, as the browser serializes it; empty before the first document. */
  get pageOrigin(): string {
    return this.#frames.get(this.#mainFrameId)?.origin ?? "";
  }

  /** Document of the main frame to which a request belongs: frames have documents of their own. */
  documentOf({ frameId, loaderId }: Pick<Protocol.Network.RequestWillBeSentEvent, "frameId" | "loaderId">): string | null {
    return frameId === this.#mainFrameId ? loaderId : this.#shownLoaderId;
  }

  /** True for the main frame, and for frames of its origin. Whether one is sandboxed is known a moment later: see `isSandboxed`. */
  has(frameId: string | undefined): boolean {
    if (frameId === undefined || frameId === this.#mainFrameId) return frameId !== undefined;
    const origin = this.#frames.get(frameId)?.origin ?? "";
    const isOwn = /^https?:/.test(origin) && origin === this.pageOrigin;
    if (isOwn) for (const id of this.#around(frameId)) this.#examine(id);
    return isOwn;
  }

  /** Ids of the frames of which `has` is true. Some of them may be gone. */
  ids(): readonly string[] {
    return [this.#mainFrameId, ...[...this.#frames.keys()].filter((id) => id !== this.#mainFrameId && this.has(id))];
  }

  /** True if the frame, or one around it, has an opaque origin (HTML standard, "determining the creation sandboxing flags"). */
  isSandboxed(frameId: string): boolean {
    return this.#around(frameId).some((id) => this.#sandboxed.has(id));
  }

  /** `origin`: null for a document of the page itself, such as `about:srcdoc`, which has the origin of the frame around it. */
  #keep(frameId: string, parentId: string | null, origin: string | null): void {
    if (this.#frames.size >= framesMax && !this.#frames.has(frameId)) return;
    this.#frames.set(frameId, { origin: origin ?? this.#frames.get(parentId ?? "")?.origin ?? "", parentId });
  }

  /** The frame and those around it, without the main frame. */
  #around(frameId: string): readonly string[] {
    const ids: string[] = [];
    for (let id: string | null = frameId; id !== null && id !== this.#mainFrameId && ids.length < frameDepthMax; ) {
      ids.push(id);
      id = this.#frames.get(id)?.parentId ?? null;
    }
    return ids;
  }

  #examine(frameId: string): void {
    if (this.#examined.has(frameId)) return;
    this.#examined.add(frameId);
    // A frame that is gone has no element.
    void this.#readSandbox(frameId).catch(() => {});
  }

  async #readSandbox(frameId: string): Promise<void> {
    const { backendNodeId } = await this.#session.send("DOM.getFrameOwner", { frameId });
    const { node } = await this.#session.send("DOM.describeNode", { backendNodeId });
    const { attributes = [] } = node;
    const at = attributes.findIndex((name, index) => index % 2 === 0 && name === "sandbox");
    if (at !== -1 && !/(?:^|\s)allow-same-origin(?:\s|$)/i.test(attributes[at + 1] ?? "")) this.#sandboxed.add(frameId);
  }
}

/** Origins from which documents load, by kind of resource. */
class LoadedOrigins {
  readonly #known = new Map<string, LoadedOrigin & { readonly loaderId: string | null }>();
  #dropped = 0;

  add(loaderId: string | null, kind: string, address: string): void {
    const url = URL.parse(boundedUrl(address));
    const origin =
      url === null || url.host === "" ? boundedUrl(`${address.split(":")[0]?.toLowerCase()}:`) : `${url.protocol}//${url.host}`;
    const key = `${loaderId} ${kind} ${origin}`;
    if (this.#known.size >= loadedOriginsMax && !this.#known.has(key)) this.#dropped++;
    else this.#known.set(key, { loaderId, kind: boundedText(kind, protocolCharsMax).text, origin });
  }

  of(document: string | null): Pick<Facts["requests"], "loadedOrigins" | "loadedOriginsDropped"> {
    const own = [...this.#known].sort(([one], [other]) => (one < other ? -1 : 1)).filter(([, { loaderId }]) => loaderId === document);
    return { loadedOrigins: own.map(([, { kind, origin }]) => ({ kind, origin })), loadedOriginsDropped: this.#dropped };
  }
}

/** Script or style sheet that a document with the origin of the page requested. */
interface CodeRequest extends OtherSiteFile {
  readonly frameId: string;
  /** Document of the main frame. */
  readonly loaderId: string | null;
}

/** Messages of Chromium about a wrong hash, and about a missing or wrong signature. */
const integrityFailures = [
  /^Failed to find a valid digest in the 'integrity' attribute for resource '([^']+)'/,
  /^Subresource Integrity: The resource at `([^`]+)` .*has been blocked/,
];

/**
 * True for the import of a module. Chromium names no stack for a static import. A dynamic one has a high priority, unlike a script element
 * that a script inserted; both have a stack, and CORS if the element asks for it.
 */
function isImport({ type, request, initiator }: Protocol.Network.RequestWillBeSentEvent): boolean {
  if (type !== "Script" || initiator?.type !== "script" || !usesCors(request)) return false;
  return initiator.stack === undefined || request.initialPriority === "High";
}

/** A compromised renderer may leave the fields out. */
function usesCors({ headers = {} }: Partial<Protocol.Network.Request>): boolean {
  return "Origin" in headers;
}

const codeKinds: Partial<Record<Protocol.Network.ResourceType, OtherSiteFile["kind"]>> = { Script: "script", Stylesheet: "style" };

/** Requests recorded per page load. Further requests of a hostile page are only counted. */
const requestsRecordedMax = 2_000;
/** `hopsMax` redirects and the final answer. */
const answersKeptMax = hopsMax + 1;
const mixedOutcomes = {
  MixedContentBlocked: "blocked",
  MixedContentAutomaticallyUpgraded: "upgraded",
  MixedContentWarning: "loaded",
} as const;

/** What a violation blocks that has no URL. Inline code is the rest. */
const violationsWithoutUrl: Partial<Record<Protocol.Audits.ContentSecurityPolicyViolationType, string>> = {
  kEvalViolation: "eval",
  kWasmEvalViolation: "wasm-eval",
  kTrustedTypesSinkViolation: "trusted-types",
  kTrustedTypesPolicyViolation: "trusted-types",
};

type InsecureRequest = Facts["requests"]["insecure"][number];

/** One request with its answers, redirects first. `ExtraInfo` events bring the header fields as sent by the server. */
interface RecordedRequest {
  readonly loaderId: string;
  /** Header fields are kept for main documents only; other requests keep only cookies. */
  readonly isMainDocument: boolean;
  readonly answers: { readonly response: BoundedResponse; readonly hasExtraInfo: boolean }[];
  readonly extras: BoundedExtraInfo[];
  url: string;
  /** True if the answer came from the page's memory cache, without the extra info that it announces. */
  isFromMemory: boolean;
  /** True if the answer after all redirects came. */
  isAnswered: boolean;
  /** True if the browser gave up the request before it showed an answer. */
  isGivenUp: boolean;
}

type ChainAnswer = HttpAnswer & { readonly internal: boolean; readonly response: BoundedResponse };

/** Needs Network, Page, Audits and Log enabled on the session. `frameId` is the page's main frame. */
export class PageNetwork {
  readonly ownFrames: OwnFrames;
  readonly traffic = new Traffic();
  readonly #frameId: string;
  readonly #headerCharsMax: number;
  readonly #recorded = new Map<string, RecordedRequest>();
  readonly #early = new EarlyExtraInfo();
  readonly #documents: RecordedRequest[] = [];
  readonly #insecure = new Map<string, InsecureRequest>();
  readonly #integrityBlocked = new Set<string>();
  readonly #policyBlocked = new Set<string>();
  readonly #violations = new Map<string, CspViolation>();
  readonly #code = new Map<string, CodeRequest>();
  readonly #loads = new LoadedOrigins();
  #total = 0;
  #insecureDropped = 0;
  #codeDropped = 0;
  #violationsDropped = 0;

  constructor(session: CDPSession, frameId: string, headerCharsMax = headerValueCharsMax) {
    this.#frameId = frameId;
    this.ownFrames = new OwnFrames(session, frameId);
    this.#headerCharsMax = headerCharsMax;
    this.#listen(session);
    session.on("Audits.issueAdded", ({ issue }) => this.#onIssue(issue));
    session.on("Log.entryAdded", ({ entry }) => this.#onLogEntry(entry.text));
  }

  /** Request ids are unique in the browser: part of what concerns a worker's request is reported to the page. */
  watchWorker({ session, targetId }: PageWorker): void {
    // The request for its script ends once the script has run.
    this.traffic.begin(targetId, session);
    this.#listen(session);
    session.once(disconnectedEvent, () => this.traffic.endAll(session));
  }

  #listen(session: CDPSession): void {
    session.on("Network.requestWillBeSent", (event) => this.#onRequest(event, session));
    session.on("Network.responseReceived", (event) => this.#onResponse(event));
    session.on("Network.responseReceivedExtraInfo", (event) => this.#onExtraInfo(event));
    session.on("Network.requestServedFromCache", ({ requestId }) => this.#onServedFromMemory(requestId));
    session.on("Network.loadingFinished", ({ requestId }) => this.traffic.end(requestId));
    session.on("Network.loadingFailed", (event) => this.#onFailure(event));
    session.on("Network.webSocketCreated", ({ url }) => this.#onWebSocket(url));
  }

  get requestedUrl(): string | null {
    return this.#documents.at(-1)?.url ?? null;
  }

  /** True if the browser shows the document of the facts, not a later one or one without a server. */
  get showsPage(): boolean {
    const { shownLoaderId } = this.ownFrames;
    return shownLoaderId !== null && shownLoaderId === this.#answeredDocuments().at(-1)?.loaderId;
  }

  get answered(): boolean {
    return this.#answeredDocuments().length > 0;
  }

  /** False for HTTP/0.9, which has neither status nor fields: Chromium shows arbitrary bytes in this way. */
  get isHttp1OrLater(): boolean {
    return this.#chain().at(-1)?.response.protocol !== "http/0.9";
  }

  /** Number of requested main documents: scripts and meta elements can navigate without end. */
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
      integrityPolicyBlocked: [...this.#policyBlocked].sort(),
      cspViolations: [...this.#violations.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, violation]) => violation),
      cspViolationsDropped: this.#violationsDropped,
      ...this.#loads.of(this.#answeredDocuments().at(-1)?.loaderId ?? null),
    };
  }

  /** One entry for each URL and kind. */
  otherSites(): Pick<Facts["dom"], "otherSites" | "otherSitesDropped"> {
    const page = this.#answeredDocuments().at(-1);
    const site = siteOfUrl(page?.answers.at(-1)?.response.url ?? "");
    const isOfOtherSite = ({ url, answeredBy = url }: CodeRequest) => siteOfUrl(url) !== site || siteOfUrl(answeredBy) !== site;
    const requested = [...this.#code.values()].filter(
      (request) => request.loaderId === page?.loaderId && isOfOtherSite(request) && !this.ownFrames.isSandboxed(request.frameId),
    );
    const groups = [...Map.groupBy(requested, ({ url, kind }) => `${kind} ${url}`).values()];
    const files = groups.flatMap((group): OtherSiteFile[] => {
      const [first] = group;
      if (first === undefined) return [];
      const [preloaded, inFrame] = [group.every((one) => one.preloaded), group.every((one) => one.inFrame)];
      const { url, kind, answeredBy } = first;
      const unguarded = group.some((one) => one.unguarded && !one.inFrame);
      const led = answeredBy !== undefined && siteOfUrl(url) === site ? { answeredBy } : {};
      return [{ url, kind, preloaded, inFrame, unguarded, ...led }];
    });
    return {
      otherSites: files.sort((one, other) => byUrl(one, other) || byUrl({ url: one.kind }, { url: other.kind })).slice(0, otherSitesMax),
      otherSitesDropped: Math.max(0, files.length - otherSitesMax) + this.#codeDropped,
    };
  }

  #recordCode(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, request, type, frameId } = event;
    const kind = type === undefined ? undefined : codeKinds[type];
    if (kind === undefined || frameId === undefined || !this.ownFrames.has(frameId)) return;
    if (this.#code.size >= requestsRecordedMax) this.#codeDropped++;
    else {
      const inFrame = frameId !== this.#frameId;
      const preloaded = request.isLinkPreload === true;
      const unguarded = !preloaded && (isImport(event) || !usesCors(request));
      const ofDocument = this.ownFrames.documentOf(event);
      this.#code.set(requestId, { url: boundedUrl(request.url), kind, preloaded, inFrame, unguarded, frameId, loaderId: ofDocument });
    }
  }

  /** Requests of a worker name no frame. Its own script has the policy of the page. */
  #recordLoad(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { request, type = "Other", frameId } = event;
    if ((type === "Document" && frameId === this.#frameId) || !this.ownFrames.has(frameId)) return;
    this.#loads.add(this.ownFrames.documentOf(event), type.toLowerCase(), request.url);
  }

  #onRequest(event: Protocol.Network.RequestWillBeSentEvent, session: CDPSession): void {
    const { requestId, request, type, frameId, loaderId, redirectResponse, redirectHasExtraInfo } = event;
    const early = this.#early.take(requestId);
    const before = this.#recorded.get(requestId);
    this.#recordLoad(event);
    if (redirectResponse !== undefined && before !== undefined) {
      if (before.answers.length < answersKeptMax) {
        const response = boundedResponse(redirectResponse, before.isMainDocument, this.#headerCharsMax);
        before.answers.push({ response, hasExtraInfo: redirectHasExtraInfo });
      }
      before.url = boundedUrl(request.url);
      const code = this.#code.get(requestId);
      if (code !== undefined) this.#code.set(requestId, { ...code, answeredBy: before.url });
      this.traffic.touch();
      return;
    }
    // Schemes such as data: and blob: use no network.
    if (!/^https?:/i.test(request.url)) return;
    const isMainDocument = type === "Document" && frameId === this.#frameId && requestId === loaderId;
    if (!isMainDocument) this.#total++;
    this.#recordCode(event);
    if (this.#recorded.size >= requestsRecordedMax && !isMainDocument) return;
    const extras = isMainDocument ? [...early] : early.map(withoutFields);
    const url = boundedUrl(request.url);
    const recorded: RecordedRequest = {
      loaderId,
      isMainDocument,
      answers: [],
      extras,
      url,
      isFromMemory: false,
      isAnswered: false,
      isGivenUp: false,
    };
    this.#recorded.set(requestId, recorded);
    if (isMainDocument) this.#documents.push(recorded);
    this.traffic.begin(requestId, session);
  }

  #onResponse({ requestId, response, hasExtraInfo }: Protocol.Network.ResponseReceivedEvent): void {
    const recorded = this.#recorded.get(requestId);
    // Each part of an image of several parts is reported as one more answer.
    if (recorded === undefined || recorded.isAnswered) return;
    recorded.isAnswered = true;
    recorded.answers.push({ response: boundedResponse(response, recorded.isMainDocument, this.#headerCharsMax), hasExtraInfo });
  }

  #onFailure({ requestId, blockedReason }: Protocol.Network.LoadingFailedEvent): void {
    this.traffic.end(requestId);
    const recorded = this.#recorded.get(requestId);
    if (recorded !== undefined) recorded.isGivenUp = recorded.loaderId !== this.ownFrames.shownLoaderId;
    // A policy of the page prevented the request.
    if (blockedReason === "csp" || blockedReason === "mixed-content" || blockedReason === "integrity") this.#code.delete(requestId);
    if (blockedReason === "integrity" && recorded !== undefined && this.#policyBlocked.size < subresourcesMax)
      this.#policyBlocked.add(recorded.url);
  }

  #onServedFromMemory(requestId: string): void {
    const recorded = this.#recorded.get(requestId);
    if (recorded !== undefined) recorded.isFromMemory = true;
  }

  #onExtraInfo(event: Protocol.Network.ResponseReceivedExtraInfoEvent): void {
    const recorded = this.#recorded.get(event.requestId);
    if (recorded === undefined) {
      // Above the limit of recorded requests, these fields usually belong to a request that was not recorded.
      if (this.#recorded.size < requestsRecordedMax) this.#early.keep(event.requestId, boundedExtraInfo(event, true, this.#headerCharsMax));
    } else if (recorded.extras.length < answersKeptMax)
      recorded.extras.push(boundedExtraInfo(event, recorded.isMainDocument, this.#headerCharsMax));
  }

  #onWebSocket(url: string): void {
    this.#total++;
    this.#loads.add(this.ownFrames.shownLoaderId, "websocket", url);
    const pageIsSecure = this.requestedUrl?.startsWith("https:") ?? false;
    if (url.startsWith("ws:") && pageIsSecure) this.#recordInsecure(url, "websocket", "loaded");
  }

  #onIssue({ details }: Protocol.Audits.InspectorIssue): void {
    const { mixedContentIssueDetails: mixed, contentSecurityPolicyIssueDetails: csp } = details;
    if (csp !== undefined) this.#recordViolation(csp);
    if (mixed === undefined) return;
    this.#recordInsecure(mixed.insecureURL, (mixed.resourceType ?? "other").toLowerCase(), mixedOutcomes[mixed.resolutionStatus]);
  }

  #recordViolation({
    blockedURL,
    violatedDirective,
    contentSecurityPolicyViolationType: type,
    isReportOnly: reportOnly,
  }: Protocol.Audits.ContentSecurityPolicyIssueDetails): void {
    const directive = boundedText(violatedDirective, attributeCharsMax).text;
    const blocked = boundedUrl(blockedURL ?? violationsWithoutUrl[type] ?? "inline");
    const key = `${reportOnly} ${directive} ${URL.parse(blocked)?.origin ?? blocked}`;
    const known = this.#violations.get(key);
    if (known === undefined && this.#violations.size >= cspViolationsMax) this.#violationsDropped++;
    // Which of several comes first differs from visit to visit.
    else if (known === undefined || blocked < known.blocked) this.#violations.set(key, { directive, blocked, reportOnly });
  }

  /** Chromium reports an integrity mismatch nowhere else. Pages cannot write to this log, only to the console. */
  #onLogEntry(text: string): void {
    const [url] = integrityFailures.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
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

  /** Main documents with an answer. One without an answer, or one that is saved as a file, does not replace the shown one. */
  #answeredDocuments(): readonly RecordedRequest[] {
    const answered = this.#documents.filter(({ answers }) => answers.some(({ response }) => !response.isRedirect));
    const kept = answered.filter(({ isGivenUp }) => !isGivenUp);
    return kept.length === 0 ? answered : kept;
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
  const pageSite = siteOfUrl(pageUrl);
  const lines: SetCookieLine[] = [];
  let dropped = 0;
  for (const { answers, extras, isFromMemory } of requests) {
    const withExtraInfo = answers.filter(({ hasExtraInfo }) => hasExtraInfo);
    for (const [at, { response }] of withExtraInfo.entries()) {
      if (siteOfUrl(response.url) !== pageSite) continue;
      const extra = extras[at];
      if (extra === undefined) {
        // The server's fields never arrived, so it may have set a cookie.
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
