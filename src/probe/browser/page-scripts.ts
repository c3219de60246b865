/** Records the script files of a page, names the libraries in them, and looks up the advisories for each. */
import { within } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import { type CDPSession, commandLimit, disconnectedEvent, type Protocol } from "../../browser/browser-page.ts";
import { type Reading, type Readings, read } from "../../evidence/evidence.ts";
import type { Facts } from "../../evidence/facts.ts";
import { scriptFilesMax, scriptLibrariesMax } from "../../evidence/limits.ts";
import type { DomFacts, LibraryAdvisory, LibraryDetection, ScriptFile, ScriptLibrary } from "../../evidence/page-facts.ts";
import { boundedList } from "../../evidence/redact.ts";
import { compareLibraryVersions, parseAdvisoryLine, parseLibraryVersion, type ScriptAdvisories } from "../../parse/script-libraries.ts";
import { siteOfUrl } from "../../parse/site.ts";
import { boundedUrl } from "./bounded-response.ts";
import { type DetectedLibrary, librariesInAnswers, librariesInHead, librariesInUrl, versionsExpression } from "./library-detection.ts";
import type { PageNetwork } from "./page-network.ts";
import type { PageWorker } from "./page-workers.ts";
import embedded from "./script-advisories.json" with { type: "json" };

// Records the script files that the page, frames and workers of its origin load, and reads the first characters of each from the browser.

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
  /** True if a frame loaded it: their libraries are not the libraries of the page. */
  readonly inFrame: boolean;
}

interface LoadedScripts {
  readonly scripts: readonly LoadedScript[];
  /** Number of requests beyond `requestsRecordedMax`. */
  readonly unrecorded: number;
  /** Number of workers whose scripts are not all known. */
  readonly workersMissed: number;
}

/** Files of the shown document. A preloaded one counts only if a script element has its URL: `elements`. */
type LoadedScriptsOf = (pageUrl: string, elements: ReadonlySet<string>) => Promise<LoadedScripts>;

/** Records the scripts of one page load. */
interface ScriptsWatch {
  watchWorker(worker: PageWorker): void;
  /** Counts a worker whose scripts are not recorded. */
  missWorker(worker: Pick<PageWorker, "origin">): void;
  readonly loaded: LoadedScriptsOf;
}

interface RecordedScript {
  /** Document of the main frame. */
  readonly loaderId: string | null;
  /** Null for a script of a worker. */
  readonly frameId: string | null;
  readonly worker: PageWorker | null;
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
export function watchScripts(session: CDPSession, frameId: string, ownFrames: PageNetwork["ownFrames"]): ScriptsWatch {
  const recorded = new Map<string, RecordedScript>();
  let unrecorded = 0;
  let workersMissed = 0;
  /** Workers whose script has not run to its end. */
  const starting = new Set<PageWorker>();
  const readHead = createHeadReader(session);
  const listen = (source: CDPSession, worker: PageWorker | null) => {
    source.on("Network.requestWillBeSent", (event) => {
      const { requestId, request, frameId: from = null, redirectResponse } = event;
      const before = recorded.get(requestId);
      if (redirectResponse !== undefined && before !== undefined) before.finalUrl = boundedUrl(request.url);
      else if (/^https?:/i.test(request.url) && (worker === null ? isOfFrame(event, ownFrames) : isOfWorker(event, worker))) {
        if (recorded.size >= requestsRecordedMax) unrecorded++;
        else recorded.set(requestId, { ...newScript(request), loaderId: ownFrames.documentOf(event), frameId: from, worker });
      }
    });
    source.on("Network.responseReceived", ({ requestId, response }) => {
      const script = recorded.get(requestId);
      if (script !== undefined) script.isScript = response.status >= 200 && response.status < 300 && !/\/html$/.test(response.mimeType);
    });
    source.on("Network.dataReceived", ({ requestId, dataLength }) => {
      const script = recorded.get(requestId);
      if (script !== undefined) script.bytes += dataLength;
    });
    source.on("Network.loadingFinished", ({ requestId }) => {
      const script = recorded.get(requestId);
      if (script === undefined) return;
      script.finished = true;
      if (script.isScript && worker === null) script.head = readHead(requestId, script.bytes);
    });
  };
  listen(session, null);
  const isOwn = ({ origin }: Pick<PageWorker, "origin">): boolean => origin === ownFrames.pageOrigin;
  const isOfPage = ({ loaderId, frameId: from, worker }: RecordedScript): boolean => {
    if (worker !== null && !isOwn(worker)) return false;
    return worker?.isService === true || (loaderId === ownFrames.shownLoaderId && (from === null || !ownFrames.isSandboxed(from)));
  };
  return {
    watchWorker: (worker) => {
      const { session: source, targetId } = worker;
      const onEnd = ({ requestId }: { readonly requestId: string }) => requestId === targetId && starting.delete(worker);
      starting.add(worker);
      source.on("Network.loadingFinished", onEnd);
      source.on("Network.loadingFailed", onEnd);
      source.once(disconnectedEvent, () => starting.delete(worker));
      listen(source, worker);
    },
    missWorker: (worker) => {
      if (isOwn(worker)) workersMissed++;
    },
    loaded: async (pageUrl, elements) => {
      const complete = [...recorded.values()].filter(
        ({ finished, isScript, preloaded, url }) => finished && isScript && (!preloaded || elements.has(url)),
      );
      const loaded = complete.filter(isOfPage).map((script) => loadedScript(script, pageUrl, frameId));
      // The browser reports the end of an import only while the worker's thread is not busy.
      return { scripts: await Promise.all(loaded), unrecorded, workersMissed: workersMissed + [...starting].filter(isOwn).length };
    },
  };
}

function isOfFrame({ type, frameId }: Protocol.Network.RequestWillBeSentEvent, ownFrames: PageNetwork["ownFrames"]): boolean {
  return type === "Script" && ownFrames.has(frameId);
}

/** True for importScripts(), which Chromium calls a request of no known type, and for the import of a module. */
function isOfWorker({ requestId, type, frameId, initiator }: Protocol.Network.RequestWillBeSentEvent, { targetId }: PageWorker): boolean {
  // Scripts of workers themselves are always of their own origin. The request for one inside of a worker names a frame.
  if (requestId === targetId || frameId !== undefined) return false;
  return type === "Script" || (type === "Other" && initiator?.type === "script");
}

function newScript(request: Protocol.Network.Request) {
  const url = boundedUrl(request.url);
  const preloaded = request.isLinkPreload === true;
  return { url, preloaded, finalUrl: url, isScript: false, bytes: 0, finished: false, head: Promise.resolve(null) };
}

async function loadedScript(script: RecordedScript, pageUrl: string, mainFrameId: string): Promise<LoadedScript> {
  const { url, finalUrl, frameId, worker } = script;
  return {
    url,
    answeredBy: finalUrl === url ? null : finalUrl,
    sameSite: siteOfUrl(finalUrl) === siteOfUrl(pageUrl),
    ...(worker === null ? {} : { inWorker: true }),
    head: await script.head,
    inFrame: worker === null && frameId !== mainFrameId,
  };
}

/** Reads while the page still loads, so that the scan takes no longer. */
function createHeadReader(session: CDPSession): (requestId: string, bytes: number) => Promise<string | null> {
  let files = 0;
  let allBytes = 0;
  return async (requestId, bytes) => {
    if (bytes > fileBytesMax || allBytes + bytes > allFilesBytesMax || files >= headsMax) return null;
    files++;
    allBytes += bytes;
    const answer = session.send("Network.getResponseBody", { requestId }, commandLimit(headMs)).then(headOf, () => null);
    return within(deadlineClock, headMs, answer, null);
  };
}

/** Copies the characters: a slice would keep the whole file in memory. */
function headOf({ body, base64Encoded }: Protocol.Network.GetResponseBodyResponse): string {
  return Buffer.from(body.slice(0, headCharsMax), base64Encoded ? "base64" : "utf8").toString();
}

function scriptsFactsOf({ scripts, unrecorded, workersMissed }: LoadedScripts): Facts["scripts"] {
  const byUrl = Map.groupBy(scripts, ({ url }) => url);
  const files = [...byUrl.values()].flatMap((same): ScriptFile[] => {
    const file = same.at(-1);
    if (file === undefined) return [];
    const { head: _, inFrame: __, ...facts } = file;
    return [same.some(({ inWorker }) => inWorker) ? { ...facts, inWorker: true } : facts];
  });
  files.sort((one, other) => (one.url < other.url ? -1 : 1));
  return { files: files.slice(0, scriptFilesMax), filesDropped: Math.max(0, files.length - scriptFilesMax) + unrecorded + workersMissed };
}

// Names the script libraries of a page with their versions, and looks up the advisories for each.

/** Deadline for the page's variables: a getter of the page may never return. */
const variablesMs = 1_000;

interface ScriptsContext {
  readonly session: CDPSession;
  readonly loadedScripts: LoadedScriptsOf;
  readonly pageUrl: string;
  readonly dom: Reading<DomFacts>;
  /** Files that the browser loaded but did not run. */
  readonly integrityBlocked: readonly string[];
  /** Advisories of the operator; null selects the embedded list. */
  readonly advisories: ScriptAdvisories | null;
}

/** Runs after all other readings, because it executes code of the page. */
export async function readScripts(context: ScriptsContext): Promise<Pick<Readings, "scripts" | "scriptLibraries">> {
  const { session, loadedScripts, pageUrl, dom, integrityBlocked, advisories } = context;
  if (dom.status === "failed") return { scripts: dom, scriptLibraries: dom };
  const elements = dom.facts.subresources.filter(({ kind }) => kind === "script").map(({ url }) => url.replace(/#.*$/s, ""));
  const loaded = await loadedScripts(pageUrl, new Set(elements));
  const run = { ...loaded, scripts: loaded.scripts.filter(({ url }) => !integrityBlocked.includes(url)) };
  const stated = await statedLibraries(session);
  const ofPage = { ...run, scripts: run.scripts.filter(({ inFrame, inWorker = false }) => !inFrame && !inWorker) };
  return { scripts: read(scriptsFactsOf(run)), scriptLibraries: read(scriptLibrariesFactsOf(ofPage, stated, advisories)) };
}

/** Versions that the page's own variables state; null if they cannot be read. */
async function statedLibraries(session: CDPSession): Promise<readonly DetectedLibrary[] | null> {
  try {
    const limit = commandLimit(variablesMs);
    const answering = session.send(
      "Runtime.evaluate",
      { expression: versionsExpression, returnByValue: true, ...limit, silent: true, disableBreaks: true },
      limit,
    );
    const answer = await within(deadlineClock, variablesMs, answering, null);
    return answer === null || answer.exceptionDetails !== undefined ? null : librariesInAnswers(answer.result.value);
  } catch {
    return null;
  }
}

/** Detection of one library in one place. `url` is null for statements of the page. */
interface Sighting extends DetectedLibrary {
  readonly by: LibraryDetection;
  readonly url: string | null;
}

export function scriptLibrariesFactsOf(
  { scripts, unrecorded }: Omit<LoadedScripts, "workersMissed">,
  stated: readonly DetectedLibrary[] | null,
  advisories: ScriptAdvisories | null,
): Facts["scriptLibraries"] {
  const { date, libraries: lines } = advisories ?? (embedded as ScriptAdvisories);
  const ofPage = (stated ?? []).map((library): Sighting => ({ ...library, by: "page", url: null }));
  const ofFiles = scripts.flatMap(sightingsIn).filter((sighting) => sighting.by === "banner" || !isContradicted(sighting, ofPage));
  const { libraries, librariesDropped } = boundedList("libraries", merged([...ofFiles, ...ofPage]), scriptLibrariesMax);
  const linesOf = (name: string) => (Object.hasOwn(lines, name) ? lines[name] : []);
  return {
    advisoriesDate: date,
    libraries: libraries.map((library) => ({ ...library, advisories: advisoriesFor(library, linesOf(library.name)) })),
    librariesDropped,
    bannersUnread: scripts.filter(({ head }) => head === null).length + unrecorded,
    variablesRead: stated !== null,
  };
}

/** Prefers the version in a file's content to the version in its name. */
function sightingsIn({ url, answeredBy, head }: LoadedScript): readonly Sighting[] {
  const address = answeredBy ?? url;
  const byBanner = librariesInHead(head ?? "", address);
  const byUrl = librariesInUrl(address).filter(({ name, version }) => !isContradicted({ name, version }, byBanner));
  return [
    ...byUrl.map((library): Sighting => ({ ...library, by: "url", url: address })),
    ...byBanner.map((library): Sighting => ({ ...library, by: "banner", url: address })),
  ];
}

/** True if the others name the library only with other versions. */
function isContradicted({ name, version }: DetectedLibrary, others: readonly DetectedLibrary[]): boolean {
  const same = others.filter((other) => other.name === name);
  return same.length > 0 && !same.some((other) => versionKey(other.version) === versionKey(version));
}

/** Normalized version: `3.5` and `3.5.0` become equal. */
function versionKey(text: string): string {
  const version = parseLibraryVersion(text);
  if (version === null) return text;
  return [version.numbers.join(".").replace(/(?:\.0)+$/, ""), ...version.prerelease].join("-");
}

/** One entry for each version of each library, by name and version. */
function merged(sightings: readonly Sighting[]): readonly Omit<ScriptLibrary, "advisories">[] {
  const groups = Map.groupBy(sightings, ({ name, version }) => `${name} ${versionKey(version)}`);
  const ways: readonly LibraryDetection[] = ["url", "banner", "page"];
  return [...groups.values()]
    .map((group) => {
      const { name } = group[0] as Sighting;
      // The longest form of equal versions: 3.5.0 rather than 3.5.
      const [version = ""] = group
        .map((sighting) => sighting.version)
        .sort((one, other) => other.length - one.length || (one < other ? -1 : 1));
      const [url = null] = group.flatMap((sighting) => sighting.url ?? []).sort();
      return { name, version, detectedBy: ways.filter((way) => group.some(({ by }) => by === way)), url };
    })
    .sort((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1));
}

/** Advisories that end above the version. Others concern only earlier versions. */
function advisoriesFor({ version }: DetectedLibrary, lines: readonly string[] = []): readonly LibraryAdvisory[] {
  const own = parseLibraryVersion(version);
  if (own === null) return [];
  return lines.flatMap((line) => {
    const advisory = parseAdvisoryLine(line);
    const end = advisory === null ? null : parseLibraryVersion(advisory.below);
    return advisory !== null && end !== null && compareLibraryVersions(end, own) > 0 ? [advisory] : [];
  });
}
