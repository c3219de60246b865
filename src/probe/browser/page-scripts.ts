/** Records the script files that the page's own frame loads, and reads the first characters of each from the browser. */
import { systemClock, within } from "../../base/clock.ts";
import type { CDPSession, Protocol } from "../../browser/browser-page.ts";
import { scriptFilesMax } from "../../evidence/limits.ts";
import type { ScriptFile, ScriptsFacts } from "../../evidence/page-facts.ts";
import { siteOfHost } from "../../parse/site.ts";
import { boundedUrl } from "./bounded-response.ts";

/** Requests for scripts recorded per page load; a hostile page can send more without end. */
const requestsRecordedMax = 1_000;
/** Characters at the start of a file, where libraries put their banners. */
const headCharsMax = 4_096;
/** Files whose start is read. The browser hands over the whole file, so its size and the sum of all sizes are limited. */
const headsMax = 60;
const fileBytesMax = 2_000_000;
const allFilesBytesMax = 8_000_000;
/** Deadline for one file: a page with a busy main thread does not answer. */
const headMs = 2_000;

export interface LoadedScript extends ScriptFile {
  /** First characters of the file; null if they were not read. */
  readonly head: string | null;
}

export interface LoadedScripts {
  readonly scripts: readonly LoadedScript[];
  /** Requests beyond `requestsRecordedMax`, of which nothing is known. */
  readonly unrecorded: number;
}

export interface PageScripts {
  /** Files of the shown document. A preloaded one counts only if a script element has its URL: `elements`. */
  loaded(pageUrl: string, elements: ReadonlySet<string>): Promise<LoadedScripts>;
}

interface RecordedScript {
  readonly loaderId: string;
  readonly url: string;
  /** True if only a link element asked for it. */
  readonly preloaded: boolean;
  finalUrl: string;
  isScript: boolean;
  bytes: number;
  finished: boolean;
  head: Promise<string | null>;
}

/** Needs Network enabled on the session. `frameId` is the page's main frame. */
export function watchScripts(session: CDPSession, frameId: string): PageScripts {
  const recorded = new Map<string, RecordedScript>();
  let unrecorded = 0;
  let shownLoaderId: string | null = null;
  const readHead = createHeadReader(session);
  session.on("Network.requestWillBeSent", ({ requestId, request, type, loaderId, frameId: from, redirectResponse }) => {
    const before = recorded.get(requestId);
    if (redirectResponse !== undefined && before !== undefined) before.finalUrl = boundedUrl(request.url);
    else if (type === "Script" && from === frameId && /^https?:/i.test(request.url)) {
      if (recorded.size < requestsRecordedMax) recorded.set(requestId, newScript(loaderId, request));
      else unrecorded++;
    }
  });
  session.on("Network.responseReceived", ({ requestId, response }) => {
    const script = recorded.get(requestId);
    if (script !== undefined) script.isScript = response.status >= 200 && response.status < 300 && !/\/html$/.test(response.mimeType);
  });
  session.on("Network.dataReceived", ({ requestId, dataLength }) => {
    const script = recorded.get(requestId);
    if (script !== undefined) script.bytes += dataLength;
  });
  session.on("Network.loadingFinished", ({ requestId }) => {
    const script = recorded.get(requestId);
    if (script === undefined) return;
    script.finished = true;
    if (script.isScript) script.head = readHead(requestId, script.bytes);
  });
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === frameId) shownLoaderId = frame.loaderId;
  });
  return {
    loaded: async (pageUrl, elements) => {
      const scripts = [...recorded.values()].filter(
        ({ loaderId, finished, isScript, preloaded, url }) =>
          loaderId === shownLoaderId && finished && isScript && (!preloaded || elements.has(url)),
      );
      return { scripts: await Promise.all(scripts.map((script) => loadedScript(script, pageUrl))), unrecorded };
    },
  };
}

function newScript(loaderId: string, request: Protocol.Network.Request): RecordedScript {
  const url = boundedUrl(request.url);
  const preloaded = request.isLinkPreload === true;
  return { loaderId, url, preloaded, finalUrl: url, isScript: false, bytes: 0, finished: false, head: Promise.resolve(null) };
}

async function loadedScript({ url, finalUrl, head }: RecordedScript, pageUrl: string): Promise<LoadedScript> {
  const answeredBy = finalUrl === url ? null : finalUrl;
  return { url, answeredBy, sameSite: siteOfUrl(finalUrl) === siteOfUrl(pageUrl), head: await head };
}

function siteOfUrl(url: string): string | null {
  const host = URL.parse(url)?.hostname;
  return host === undefined ? null : siteOfHost(host);
}

/** Reads while the page still loads, so that the scan takes no longer. */
function createHeadReader(session: CDPSession): (requestId: string, bytes: number) => Promise<string | null> {
  let files = 0;
  let allBytes = 0;
  return async (requestId, bytes) => {
    if (bytes > fileBytesMax || allBytes + bytes > allFilesBytesMax || files >= headsMax) return null;
    files++;
    allBytes += bytes;
    const answer = session.send("Network.getResponseBody", { requestId }, { timeout: headMs }).then(headOf, () => null);
    return within(systemClock, headMs, answer, null);
  };
}

/** Copies the characters: a slice would keep the whole file in memory. */
function headOf({ body, base64Encoded }: Protocol.Network.GetResponseBodyResponse): string {
  if (base64Encoded) return Buffer.from(body.slice(0, headCharsMax), "base64").toString();
  return Buffer.from(body.slice(0, headCharsMax)).toString();
}

export function scriptsFactsOf({ scripts, unrecorded }: LoadedScripts): ScriptsFacts {
  const byUrl = new Map(scripts.map(({ head: _, ...file }): [string, ScriptFile] => [file.url, file]));
  const files = [...byUrl.values()].sort((one, other) => (one.url < other.url ? -1 : 1));
  return { files: files.slice(0, scriptFilesMax), filesDropped: Math.max(0, files.length - scriptFilesMax) + unrecorded };
}
