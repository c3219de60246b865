/** Answers the requests of a page that the browser has paused: the only owner of the Fetch domain in a visit. */
import type { CDPSession, Protocol } from "../../browser/browser-page.ts";
import { cookieFieldFor, headersFor, isOfOrigin, isPreferenceField, type TargetCredentials } from "../../egress/credentials.ts";
import { isRedirectStatus } from "../../evidence/evidence.ts";

type PausedRequest = Protocol.Fetch.RequestPausedEvent;
type HeaderEntry = Protocol.Fetch.HeaderEntry;

/** Header field that documents get in place of all fields of its name; null takes those away. */
export interface ReplacedHeader {
  readonly name: string;
  readonly value: string | null;
}

/** Code of a canary, without quotation marks of HTML attributes. */
export function canaryCall(token: string, name: string): string {
  return `globalThis['${token}']('${name}')`;
}

/** Code that is written into the main document as an attacker would, to see whether it runs. */
export interface CanaryPage {
  /** Name of the function that a canary calls when it runs: see `canaryCall`. */
  readonly token: string;
  /** All requests to this host are answered inside. */
  readonly host: string;
  readonly html: string;
  /** True to take away the policies of the document's meta elements, too: shows what runs without any policy. */
  readonly withoutMetaPolicies: boolean;
  /** Addresses that are answered inside with code of the canary, in place of their hosts. */
  readonly answers: readonly { readonly url: string; readonly name: string }[];
}

/** What a visit changes in the answers of a server. Plain JSON, for the thread that visits. */
export interface PageOverrides {
  /** Documents and workers of this origin are changed, as `URL.origin` spells it. */
  readonly origin: string;
  readonly headers: readonly ReplacedHeader[];
  /** Written into script and style elements of the document, as an application would; null without. */
  readonly nonce: string | null;
  readonly canaries: CanaryPage | null;
}

/** Reason why a document kept the headers of its server, so that nothing is proven about it. */
export type Unchanged = "document-too-large" | "document-unreadable";

/** Changes of documents in one visit. */
interface DocumentChanges {
  /** Null to change nothing. */
  readonly overrides: PageOverrides | null;
  /** Called for each document that was to be changed, and was not. */
  readonly onUnchanged: (because: Unchanged) => void;
  /** Called for each canary whose request was made. */
  readonly onCanary: (name: string) => void;
}

interface FetchRules {
  readonly credentials: TargetCredentials | null;
  readonly changes: DocumentChanges | null;
}

/**
 * Pauses requests before they are sent, redirects included, to add credentials, and documents before they are shown, to change them. Errors
 * of single requests are ignored: the browser has cancelled them. `mainFrameId` is the page's main frame.
 */
export async function answerPausedRequests(session: CDPSession, mainFrameId: string, { credentials, changes }: FetchRules): Promise<void> {
  const patterns: Protocol.Fetch.RequestPattern[] = [];
  if (credentials !== null) patterns.push({ urlPattern: "*", requestStage: "Request" });
  const overrides = changes?.overrides ?? null;
  if (overrides !== null)
    // The browser has no type for the scripts of workers. A script may ask for its own document, to read the header.
    for (const resourceType of ["Document", "Other", "XHR", "Fetch"] as const)
      patterns.push({ urlPattern: `${overrides.origin}/*`, resourceType, requestStage: "Response" });
  const canaries = overrides?.canaries ?? null;
  if (canaries !== null) patterns.push(...canaryPatterns(canaries));
  if (patterns.length === 0) return;
  const sendCredentials = credentials === null ? null : credentialSender(session, mainFrameId, credentials);
  const answerOne = (event: PausedRequest): Promise<void> | undefined => {
    if (changes === null || overrides === null) return sendCredentials?.(event);
    if (canaries !== null && isOfCanary(event, canaries)) return answerCanary(session, event, canaries, changes.onCanary);
    const isAnswered = event.responseStatusCode !== undefined || event.responseErrorReason !== undefined;
    if (isAnswered && event.resourceType !== "Document" && event.resourceType !== "Other") return answerScript(session, event, overrides);
    if (isAnswered) return answerDocument(session, { event, isMain: event.frameId === mainFrameId }, overrides, changes.onUnchanged);
    if (canaries !== null && isRealForm(event)) return answerWithNothing(session, event);
    return sendCredentials?.(event) ?? continueRequest(session, event);
  };
  session.on("Fetch.requestPaused", (event) => {
    const answered = answerOne(event);
    // A frame or a request that is gone has nothing to be continued.
    void answered?.catch(() => {});
  });
  await Promise.all([
    // A service worker could copy fields of a request into one to another origin, and answers without the network.
    session.send("Network.setBypassServiceWorker", { bypass: true }),
    session.send("Fetch.enable", { patterns }),
  ]);
}

// Replaces header fields of documents, and of the scripts of dedicated workers, which have policies of their own. Changed fields of a continued answer come too late: the browser has read its policies already.

/** Bytes of a document whose headers can be replaced. It is sent to the browser once more. */
export const documentBytesMax = 8 * 1024 ** 2;
const readBytes = 256 * 1024;
/** Fields about the transfer of a body, which the browser has undone. */
const transferFields: readonly string[] = ["content-length", "content-encoding", "transfer-encoding"];

async function answerDocument(
  session: CDPSession,
  { event, isMain }: { readonly event: PausedRequest; readonly isMain: boolean },
  { origin, headers, nonce, canaries }: PageOverrides,
  onUnchanged: DocumentChanges["onUnchanged"],
): Promise<void> {
  const { requestId, request, responseStatusCode: status = 0 } = event;
  const proceed = () => session.send("Fetch.continueRequest", { requestId });
  const hasDocument = event.responseErrorReason === undefined && !isRedirectStatus(status) && status !== 204 && status !== 205;
  const isOtherFile = event.resourceType === "Other" && !/javascript|ecmascript/i.test(fieldOf(event, "content-type") ?? "");
  if (!hasDocument || isOtherFile || URL.parse(request.url)?.origin !== origin) return void (await proceed());
  const announced = Number(fieldOf(event, "content-length") ?? 0);
  if (announced > documentBytesMax) {
    onUnchanged("document-too-large");
    return void (await proceed());
  }
  const failed = await fulfill(session, event, { headers, nonce, canaries: isMain ? canaries : null }).catch(
    () => "document-unreadable" as const,
  );
  if (failed === null) return;
  // An answer whose body was read in part cannot be continued. The command fails for a frame that is gone, which needs no answer.
  await session.send("Fetch.failRequest", { requestId, errorReason: "Failed" });
  onUnchanged(failed);
}

/** A document that a script asks for has the same headers, and no policy applies: the answer goes on with other fields. */
async function answerScript(session: CDPSession, event: PausedRequest, { headers }: PageOverrides): Promise<void> {
  const { requestId, responseStatusCode: responseCode = 0, responseErrorReason } = event;
  const isDocument = responseErrorReason === undefined && !isRedirectStatus(responseCode) && isHtml(event);
  const changed = isDocument ? { responseCode, responseHeaders: replacedFields(event, headers, []) } : {};
  await session.send("Fetch.continueResponse", { requestId, ...changed });
}

function fieldOf({ responseHeaders = [] }: PausedRequest, field: string): string | undefined {
  return responseHeaders.find(({ name }) => name.toLowerCase() === field)?.value;
}

function isHtml(event: PausedRequest): boolean {
  return isHtmlType(fieldOf(event, "content-type"));
}

/** Whether canaries are written into documents of the type. Without a type, browsers guess from the content. */
export function isHtmlType(contentType: string | undefined): boolean {
  return /html/i.test(contentType ?? "html");
}

function replacedFields(
  { responseHeaders = [] }: PausedRequest,
  headers: readonly ReplacedHeader[],
  without: readonly string[],
): Protocol.Fetch.HeaderEntry[] {
  const dropped = [...without, ...headers.map(({ name }) => name.toLowerCase())];
  const kept = responseHeaders.filter(({ name }) => !dropped.includes(name.toLowerCase()));
  return [...kept, ...headers.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))];
}

/** Null once the browser has the changed document. @throws Error if the browser or the rewriter refuses it. */
async function fulfill(
  session: CDPSession,
  event: PausedRequest,
  { headers, nonce, canaries }: Pick<PageOverrides, "headers" | "nonce" | "canaries">,
): Promise<Unchanged | null> {
  const { requestId, responseStatusCode: responseCode = 0 } = event;
  const received = await bodyOf(session, requestId);
  if (typeof received === "string") return received;
  const isWritten = (nonce !== null || canaries !== null) && isHtml(event);
  const document = nonce === null ? received : withNonce(received, ownNonces(event), nonce);
  const body = isWritten ? written(document, fieldOf(event, "content-type") ?? "", nonce, canaries) : received;
  const responseHeaders = replacedFields(event, headers, transferFields);
  await session.send("Fetch.fulfillRequest", { requestId, responseCode, responseHeaders, body: body.toString("base64") });
  return null;
}

/** Shorter ones may be a part of any text. */
const ownNoncePattern = /'nonce-([A-Za-z0-9+/_-]{8,}={0,2})'/g;

/** Nonces that the application itself sends with the document. */
function ownNonces({ responseHeaders = [] }: PausedRequest): readonly string[] {
  const policies = responseHeaders.filter(({ name }) => name.toLowerCase() === "content-security-policy");
  return policies.flatMap(({ value }) => [...value.matchAll(ownNoncePattern)].flatMap(([, nonce]) => nonce ?? []));
}

/** Applications repeat their nonce in the document, for what their scripts add. It is one nonce there, too, once the policy is sent. */
function withNonce(body: Buffer, own: readonly string[], nonce: string): Buffer {
  if (own.length === 0) return body;
  // One character for each byte, so that no other byte changes.
  return Buffer.from(
    own.reduce((text, each) => text.replaceAll(each, nonce), body.toString("latin1")),
    "latin1",
  );
}

/** Elements whose code or file a nonce allows. */
const noncedElements = "script, style, link[rel~=stylesheet i], link[rel~=preload i], link[rel~=modulepreload i]";

const metaPolicies = "meta[http-equiv=content-security-policy i]";

/** The HTML of canaries gets no nonce. @throws Error above the memory of the rewriter. */
function written(body: Buffer, type: string, nonce: string | null, canaries: CanaryPage | null): Buffer {
  const utf16 = utf16Of(body, type);
  const isXml = /xhtml/i.test(type);
  if (utf16 === null) return writtenAscii(body, isXml, nonce, canaries);
  const text = writtenAscii(Buffer.from(new TextDecoder(utf16).decode(body)), isXml, nonce, canaries).toString();
  // The mark takes precedence over the type.
  return Buffer.from(`\ufeff${text}`, "utf16le");
}

/** Null for encodings that are supersets of ASCII, which the rewriter reads. A mark decides before the type (HTML, "determining the encoding"). */
function utf16Of(body: Buffer, type: string): string | null {
  const start = body.subarray(0, 3).toString("hex");
  const [, label = "utf-8"] = /charset\s*=\s*["']?\s*([\w-]+)/i.exec(type) ?? [];
  if (start.startsWith("fffe")) return "utf-16le";
  if (start.startsWith("feff")) return "utf-16be";
  if (start === "efbbbf") return null;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding.startsWith("utf-16") ? encoding : null;
  } catch {
    // An unknown label counts for nothing.
    return null;
  }
}

function writtenAscii(body: Buffer, isXml: boolean, nonce: string | null, canaries: CanaryPage | null): Buffer {
  const rewriter = new HTMLRewriter();
  if (nonce !== null) rewriter.on(noncedElements, { element: (element) => void element.setAttribute("nonce", nonce) });
  // What follows the end of an HTML document belongs to its body. XML has one root element, and nothing after it.
  const append = (place: { append(content: string, options: { html: boolean }): unknown }) =>
    void place.append(canaries?.html ?? "", { html: true });
  if (isXml) rewriter.on("body", { element: append });
  else rewriter.onDocument({ end: append });
  if (canaries?.withoutMetaPolicies === true) rewriter.on(metaPolicies, { element: (element) => void element.remove() });
  return Buffer.from(rewriter.transform(new Uint8Array(body).buffer));
}

// Answers the requests of canaries, so that no host gets one.

function canaryPatterns({ host, answers }: CanaryPage): readonly Protocol.Fetch.RequestPattern[] {
  const exact = answers.map(({ url }) => url.replace(/[\\*?]/g, "\\$&"));
  const ofCanaries = [`*://${host}/*`, ...exact].map((urlPattern) => ({ urlPattern, requestStage: "Request" as const }));
  return [...ofCanaries, { urlPattern: "*", resourceType: "Document", requestStage: "Request" }];
}

/** A key that is pressed for a canary may meet a form of the page. */
function isRealForm({ request, resourceType }: PausedRequest): boolean {
  return resourceType === "Document" && request.method !== "GET";
}

function isOfCanary({ request }: PausedRequest, { host, answers }: CanaryPage): boolean {
  return URL.parse(request.url)?.hostname === host || answers.some(({ url }) => url === request.url);
}

/** An answer without content leaves the page where it is. */
async function answerWithNothing(session: CDPSession, { requestId }: Pick<PausedRequest, "requestId">): Promise<void> {
  await session.send("Fetch.fulfillRequest", { requestId, responseCode: 204 });
}

async function continueRequest(session: CDPSession, { requestId }: PausedRequest): Promise<void> {
  await session.send("Fetch.continueRequest", { requestId });
}

async function answerCanary(
  session: CDPSession,
  { requestId, request, resourceType }: PausedRequest,
  { token, answers }: CanaryPage,
  onCanary: DocumentChanges["onCanary"],
): Promise<void> {
  const name = answers.find(({ url }) => url === request.url)?.name;
  if (resourceType === "Document" && name !== undefined) onCanary(name);
  if (resourceType !== "Script" || name === undefined) return answerWithNothing(session, { requestId });
  const headers = { "content-type": "text/javascript", "cross-origin-resource-policy": "cross-origin", "access-control-allow-origin": "*" };
  await session.send("Fetch.fulfillRequest", {
    requestId,
    responseCode: 200,
    responseHeaders: Object.entries(headers).map(([header, value]) => ({ name: header, value })),
    body: Buffer.from(canaryCall(token, name)).toString("base64"),
  });
}

/** The body as the browser decoded it. @throws Error for a connection that breaks. */
async function bodyOf(session: CDPSession, requestId: string): Promise<Buffer | "document-too-large"> {
  const { stream: handle } = await session.send("Fetch.takeResponseBodyAsStream", { requestId });
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    while (bytes <= documentBytesMax) {
      const { data, base64Encoded = false, eof } = await session.send("IO.read", { handle, size: readBytes });
      const part = Buffer.from(data, base64Encoded ? "base64" : "utf8");
      bytes += part.length;
      parts.push(part);
      if (eof) return bytes > documentBytesMax ? "document-too-large" : Buffer.concat(parts);
    }
    return "document-too-large";
  } finally {
    void session.send("IO.close", { handle }).catch(() => {});
  }
}

// Adds a user's header fields and cookies to the requests of a page load that go to their origin.

/**
 * Adds the fields before a request is sent: extra header fields of the session, and the cookie store, know no origin with scheme and port.
 * WebSockets, shared and service workers cannot be paused: they get nothing.
 */
function credentialSender(
  session: CDPSession,
  mainFrameId: string,
  credentials: TargetCredentials,
): (event: PausedRequest) => Promise<void> {
  let isPageOfOrigin = false;
  return async (event) => {
    const { requestId, request, resourceType, frameId } = event;
    const isOfMainFrame = frameId === mainFrameId;
    const isPage = resourceType === "Document" && isOfMainFrame;
    if (isPage) isPageOfOrigin = isOfOrigin(credentials, request.url);
    const mayCarry = (isPage && request.method === "GET") || isFromOrigin(event, credentials, isOfMainFrame && isPageOfOrigin);
    const fields = fieldsOf(event, credentials, mayCarry);
    await session
      .send("Fetch.continueRequest", { requestId, ...(fields === null ? {} : { headers: [...fields] }) })
      // Otherwise a request with a field that the browser refuses would stay paused.
      .catch(() => session.send("Fetch.failRequest", { requestId, errorReason: "Failed" }));
  };
}

/** All fields of the request; null leaves them unchanged. */
function fieldsOf(event: PausedRequest, credentials: TargetCredentials, mayCarry: boolean): readonly HeaderEntry[] | null {
  const { request, redirectedRequestId } = event;
  const own = Object.entries(request.headers).map(([name, value]) => ({ name, value: String(value) }));
  if (!isOfOrigin(credentials, request.url) || !mayCarry) {
    // A browser may keep fields of a request for its redirects.
    return redirectedRequestId === undefined ? null : own.filter((field) => !isGiven(field, credentials));
  }
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  // A field that a script of the page sets itself has priority, but not what the browser adds.
  const added = headersFor(credentials, request.url).filter(({ name }) => !names.has(name.toLowerCase()) || isPreferenceField(name));
  const siteCookies = own.find(({ name }) => name.toLowerCase() === "cookie")?.value;
  const cookies = cookieFieldFor(credentials, request.url, siteCookies);
  const replaced = new Set([...added.map(({ name }) => name.toLowerCase()), "cookie"]);
  return [
    ...own.filter(({ name }) => !replaced.has(name.toLowerCase())),
    ...added.map(({ name, value }) => ({ name, value })),
    ...(cookies === null ? [] : [{ name: "Cookie", value: cookies }]),
  ];
}

function isGiven({ name, value }: HeaderEntry, { headers, cookies }: TargetCredentials): boolean {
  if (name.toLowerCase() === "cookie") return cookies.some((cookie) => value.includes(`${cookie.name}=${cookie.value}`));
  return headers.some((header) => header.name.toLowerCase() === name.toLowerCase() && header.value === value);
}

/**
 * Like cookies with SameSite=Lax: documents of other origins, such as frames, cannot use the credentials. Only the page itself may be
 * opened from elsewhere, as after a sign-in at another host. `otherwise` is the result for requests without a known source.
 */
function isFromOrigin({ request }: PausedRequest, { origin }: TargetCredentials, otherwise: boolean): boolean {
  const sources = Object.entries(request.headers).filter(([name]) => /^(?:origin|referer)$/i.test(name));
  return sources.length === 0 ? otherwise : sources.every(([, value]) => URL.parse(String(value))?.origin === origin);
}
