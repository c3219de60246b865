/** Adds a user's header fields and cookies to the requests of a page load that go to their origin. */
import type { CDPSession, Protocol } from "../../browser/browser-page.ts";
import { cookieFieldFor, headersFor, isOfOrigin, isPreferenceField, type TargetCredentials } from "../../egress/credentials.ts";

type PausedRequest = Protocol.Fetch.RequestPausedEvent;

/**
 * Pauses every request, redirects included, before it is sent: extra header fields of the session, and the cookie store, know no
 * origin with scheme and port. `mainFrameId` is the page's main frame. WebSockets and service workers cannot be paused: they get nothing.
 */
export async function sendCredentials(session: CDPSession, mainFrameId: string, credentials: TargetCredentials): Promise<void> {
  let isPageOfOrigin = false;
  session.on("Fetch.requestPaused", (event) => {
    const { requestId, request, resourceType, frameId } = event;
    const isOfMainFrame = frameId === mainFrameId;
    const isPage = resourceType === "Document" && isOfMainFrame;
    if (isPage) isPageOfOrigin = isOfOrigin(credentials, request.url);
    const mayCarry = (isPage && request.method === "GET") || isFromOrigin(event, credentials, isOfMainFrame && isPageOfOrigin);
    const fields = fieldsOf(event, credentials, mayCarry);
    session
      .send("Fetch.continueRequest", { requestId, ...(fields === null ? {} : { headers: [...fields] }) })
      // Otherwise a request with a field that the browser refuses would stay paused.
      .catch(() => session.send("Fetch.failRequest", { requestId, errorReason: "Failed" }))
      // Fails only for a request that was given up.
      .catch(() => {});
  });
  await Promise.all([
    // A service worker could copy fields of a request into one to another origin.
    session.send("Network.setBypassServiceWorker", { bypass: true }),
    session.send("Fetch.enable", { patterns: [{ urlPattern: "*", requestStage: "Request" }] }),
  ]);
}

/** All fields of the request; null to leave them as they are. */
function fieldsOf(event: PausedRequest, credentials: TargetCredentials, mayCarry: boolean): readonly Protocol.Fetch.HeaderEntry[] | null {
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

function isGiven({ name, value }: Protocol.Fetch.HeaderEntry, { headers, cookies }: TargetCredentials): boolean {
  if (name.toLowerCase() === "cookie") return cookies.some((cookie) => value.includes(`${cookie.name}=${cookie.value}`));
  return headers.some((header) => header.name.toLowerCase() === name.toLowerCase() && header.value === value);
}

/**
 * Like cookies with SameSite=Lax: documents of other origins, such as frames, cannot use the credentials. Only the page itself may be
 * opened from elsewhere, as after a sign-in at another host. `otherwise` holds for requests that do not say where they come from.
 */
function isFromOrigin({ request }: PausedRequest, { origin }: TargetCredentials, otherwise: boolean): boolean {
  const sources = Object.entries(request.headers).filter(([name]) => /^(?:origin|referer)$/i.test(name));
  return sources.length === 0 ? otherwise : sources.every(([, value]) => URL.parse(String(value))?.origin === origin);
}
