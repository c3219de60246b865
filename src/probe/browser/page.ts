/** Page probe: loads the scanned page in the browser and reads it, within its deadlines even if the page is hostile. */
import { within } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import { type BrowserPage, type CDPSession, commandLimit, disconnectedEvent, isResponsive, openPage } from "../../browser/browser-page.ts";
import type { ScanBrowser } from "../../browser/slot.ts";
import type { VerifiedCredentials } from "../../egress/credentials.ts";
import type { Egress } from "../../egress/dial.ts";
import { portOf } from "../../egress/host.ts";
import type { EgressProxy } from "../../egress/proxy.ts";
import {
  failed,
  headerLimitOf,
  type ProbeFailure,
  type Reading,
  type Readings,
  read,
  type Subject,
  withoutErrorPage,
} from "../../evidence/evidence.ts";
import { hopsMax, otherSitesMax } from "../../evidence/limits.ts";
import type { DomFacts, NavigationFacts, OtherSiteFile, ScriptsFacts } from "../../evidence/page-facts.ts";
import { isInconclusiveStatus } from "../../parse/header-fields.ts";
import type { ScriptAdvisories } from "../../parse/script-libraries.ts";
import { isChallenge } from "../http/http.ts";
import { type OpenDocument, openDocument } from "./page-document.ts";
import { probeMarkup, readDom } from "./page-dom.ts";
import { answerPausedRequests } from "./page-fetch.ts";
import { PageNetwork } from "./page-network.ts";
import type { PageObserver } from "./page-observer.ts";
import { probePreload } from "./page-preload.ts";
import { type PageImage, takeScreenshot, viewport } from "./page-screenshot.ts";
import { readScripts, watchScripts } from "./page-scripts.ts";
import { settle, traceTimers } from "./page-settling.ts";
import { watchWorkers } from "./page-workers.ts";

export interface PageDeadlines {
  /** Until the main document's load event. */
  readonly navigationMs: number;
  /** Required time without network traffic after the load event. */
  readonly settleMs: number;
  /** Maximum wait for `settleMs` of silence. */
  readonly settleMaxMs: number;
  /** Deadline for reading the document: a page with a busy main thread does not answer. */
  readonly documentMs: number;
}

export interface PageProbeContext {
  readonly browser: ScanBrowser;
  readonly subject: Subject;
  readonly egress: Egress;
  /** Forward proxy of this scan, on `egress`. */
  readonly proxy: EgressProxy;
  readonly signal: AbortSignal;
  readonly screenshot: boolean;
  /** Credentials for the origin of the page; null or absent without them. */
  readonly credentials?: VerifiedCredentials | null;
  readonly deadlines: PageDeadlines;
  /** Observes the visit, and says what it changes; absent in scans. */
  readonly observer?: PageObserver | null;
  /** Advisories for script libraries; null or absent selects the embedded list. */
  readonly scriptAdvisories?: ScriptAdvisories | null;
  /** Called with the URL of each document of the main frame, as soon as the browser has its answer. */
  readonly onDocument: (url: string) => void;
}

export type PageReadings = Pick<
  Readings,
  "navigation" | "page" | "dom" | "markup" | "requests" | "scripts" | "scriptLibraries" | "hstsPreload"
>;

export interface PageVisit {
  readonly readings: PageReadings;
  /** Resolves after the readings and never rejects. */
  readonly screenshot: Promise<PageImage>;
  /** True if the browser or the page's process failed. The readings are then invalid, because this is not a fact of the site. */
  readonly browserBroke: boolean;
}

export async function probePage(context: PageProbeContext): Promise<PageVisit> {
  const [hstsPreload, { readings, ...visited }] = await Promise.all([probePreload(context.browser, context.subject), loadPage(context)]);
  return { readings: { ...readings, hstsPreload }, ...visited };
}

type LoadedReadings = Omit<PageReadings, "hstsPreload">;

interface LoadedPage extends Omit<PageVisit, "readings"> {
  readonly readings: LoadedReadings;
}

async function loadPage(context: PageProbeContext): Promise<LoadedPage> {
  const page = await openPage(context.browser, context.proxy.url).catch(() => null);
  if (page === null) return brokenPage(context.browser, "it opened no page");
  let screenshot = noScreenshot;
  const startScreenshot = () => {
    if (context.screenshot) screenshot = takeScreenshot(page.session);
  };
  try {
    const readings = await visit(page, context, startScreenshot);
    const fault = page.session.detached ? "it ended" : await faultOf(readings, context.browser);
    return fault === null ? { readings, screenshot, browserBroke: false } : brokenPage(context.browser, fault);
  } catch {
    return brokenPage(context.browser, "it ended");
  } finally {
    // Not awaited here: the slot waits for the close before the next scan.
    void screenshot.then(() => page.close());
  }
}

function brokenPage(browser: ScanBrowser, because: string): LoadedPage {
  browser.reportIllness(because);
  return { readings: allFailed("crashed"), screenshot: noScreenshot, browserBroke: true };
}

/** Reason to discard the readings; null if they are valid. A page may be slow, but a blank page beside it must open. */
async function faultOf(readings: LoadedReadings, browser: ScanBrowser): Promise<string | null> {
  const failuresOf = (...kept: readonly Reading<unknown>[]) =>
    kept.map((reading) => (reading.status === "failed" ? reading.because : null));
  const failures = failuresOf(...Object.values(readings));
  if (failures.includes("crashed")) return "a page of it crashed";
  if (readings.navigation.status === "failed" && (await browser.lostNetwork())) return "its network process ended";
  if (!failures.includes("timeout")) return null;
  if (failuresOf(readings.dom, readings.markup).includes("timeout") && readings.navigation.status === "read")
    browser.reportIllness("a document was not read in time");
  return (await isResponsive(browser)) ? null : "it did not answer";
}

/** Failed readings for a visit that returned none, for example because its browser hangs. */
export function failedVisit(because: ProbeFailure): PageVisit {
  return { readings: { ...allFailed(because), hstsPreload: failed(because) }, screenshot: noScreenshot, browserBroke: true };
}

const noScreenshot: Promise<PageImage> = Promise.resolve(null);

function allFailed(because: ProbeFailure): LoadedReadings {
  const reading = failed(because);
  const ofScripts = { scripts: reading, scriptLibraries: reading };
  return { navigation: reading, page: reading, dom: reading, markup: reading, requests: reading, ...ofScripts };
}

/** Calls `onShown` once the final document is shown, before it is read. */
async function visit(page: BrowserPage, context: PageProbeContext, onShown: () => void): Promise<LoadedReadings> {
  const { session, targetId } = page;
  const { subject, egress, deadlines, signal, onDocument, credentials = null, observer = null } = context;
  // The main frame of a page has the id of its target.
  const network = new PageNetwork(session, targetId, headerLimitOf(subject));
  const scripts = watchScripts(session, targetId, network.ownFrames);
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === targetId) onDocument(frame.url);
  });
  const crashed = dismissDialogs(session);
  const timers = traceTimers(session, network.ownFrames);
  const { loaded, ended } = watchLoad(session, network, signal);
  await Promise.all([
    watchWorkers(page, {
      onWorker: (worker) => {
        network.watchWorker(worker);
        scripts.watchWorker(worker);
        observer?.watchWorker(worker);
      },
      onUnwatched: (worker) => scripts.missWorker(worker),
    }),
    enableReports(page, credentials, observer),
  ]);

  // This command is answered only once the first document exists, so it is awaited together with the load event.
  const navigated = session.send("Page.navigate", { url: subject.url }, { timeout: deadlines.navigationMs }).then(
    ({ errorText }) => errorText ?? null,
    () => null,
  );
  const shown = Promise.race([navigated.then((text) => text ?? loaded), crashed, ended]);
  const outcome = await within(deadlineClock, deadlines.navigationMs, shown, "late" as const);
  const settling = { session, frameId: targetId, traffic: network.traffic, timers, deadlines, signal };
  const settled = outcome === "loaded" ? await Promise.race([settle(settling), crashed, ended]) : null;
  if (settled === null) stopLoading(session, observer);
  void timers.end();

  const navigation = network.navigation((url) => egress.pinnedAddress(url.hostname, portOf(url)));
  const answer = network.page();
  if (navigation === null || answer === null) return allFailed(failureOf(context, network, outcome));
  if (!network.isHttp1OrLater) return allFailed("invalid");
  if (network.showsPage) onShown();
  const opened = openDocument(session, targetId, commandLimit(deadlines.documentMs).timeout);
  // Without a page to read, its failure is no failure.
  opened.catch(() => {});
  const readDocument = <F>(readPart: DocumentReader<F>) => documentReading(opened, readPart, network, context, crashed);
  const readBoundedDom: DocumentReader<DomFacts> = async (...from) => ({
    ...(await readDom(...from, headerLimitOf(subject))),
    ...network.otherSites(),
    ...(settled === true ? { stillChanging: true } : {}),
  });
  const shape = observer === null ? null : readDocument(observer.read);
  const [dom, markup] = await Promise.all([readDocument(readBoundedDom), readDocument(probeMarkup), shape]);
  if (isInconclusiveStatus(answer.status)) return withoutPage(navigation, "server-error");
  if (isChallenge(answer, dom.status === "read" ? dom.facts.title : null)) return withoutPage(navigation, "challenged");
  // Requests are complete only if the document itself was readable.
  const recorded = network.requests();
  const requests = dom.status === "read" ? read(recorded) : dom;
  const { integrityBlocked } = recorded;
  const advisories = context.scriptAdvisories ?? null;
  const ofScripts = await readScripts({ session, loadedScripts: scripts.loaded, pageUrl: answer.url, dom, integrityBlocked, advisories });
  const readings = {
    navigation: read(navigation),
    page: read(answer),
    dom: withWorkerFiles(dom, ofScripts.scripts),
    markup,
    requests,
    ...ofScripts,
  };
  return withoutErrorPage(readings, outcome === answerNotShown && !network.showsPage);
}

function stopLoading(session: CDPSession, observer: PageObserver | null): void {
  observer?.onStillLoading();
  void session.send("Page.stopLoading").catch(() => {});
}

/** No attribute of the document protects what a worker imports, as with files in frames. */
function withWorkerFiles(dom: Reading<DomFacts>, scripts: Reading<ScriptsFacts>): Reading<DomFacts> {
  if (dom.status === "failed" || scripts.status === "failed") return dom;
  const { otherSites: known = [] } = dom.facts;
  const imported = scripts.facts.files
    .filter(({ url, inWorker = false, sameSite }) => inWorker && !sameSite && !known.some((file) => file.url === url))
    .map(({ url }): OtherSiteFile => ({ url, kind: "script", preloaded: false, inFrame: true, unguarded: false }));
  return read({ ...dom.facts, otherSites: [...known, ...imported].slice(0, otherSitesMax) });
}

/** Makes the browser report what the probe reads, send the credentials and change documents. */
async function enableReports(page: BrowserPage, credentials: VerifiedCredentials | null, observer: PageObserver | null): Promise<void> {
  const { session, browserSession, targetId } = page;
  // A page with an invalid certificate is still read, unless it gets credentials; the certificate has its own checks.
  const certificates = { ignore: credentials?.browserVerifies !== true };
  await Promise.all([
    session.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send("Page.enable"),
    session.send("Audits.enable"),
    session.send("Log.enable"),
    session.send("Security.enable"),
    session.send("Emulation.setDeviceMetricsOverride", viewport),
    session.send("Security.setIgnoreCertificateErrors", certificates),
    // For shared and service workers, which belong to no page.
    browserSession.send("Security.setIgnoreCertificateErrors", certificates),
    answerPausedRequests(session, targetId, { credentials, changes: observer }),
    observer?.watch(page),
  ]);
}

function withoutPage(navigation: NavigationFacts, because: ProbeFailure): LoadedReadings {
  return { ...allFailed(because), navigation: read(navigation) };
}

/** Dismisses dialogs that would block the page, and resolves when its process crashes. */
function dismissDialogs(session: CDPSession): Promise<"crashed"> {
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    // A rejected beforeunload dialog would keep the page open.
    void session.send("Page.handleJavaScriptDialog", { accept: type === "beforeunload" }).catch(() => {});
  });
  return new Promise((resolve) => {
    session.once("Inspector.targetCrashed", () => resolve("crashed"));
    session.once(disconnectedEvent, () => resolve("crashed"));
  });
}

/** `loaded`: the latest document is complete. `ended`: too many navigations, or the scan was aborted. */
function watchLoad(
  session: CDPSession,
  network: PageNetwork,
  signal: AbortSignal,
): { readonly loaded: Promise<"loaded">; readonly ended: Promise<"late"> } {
  const loaded = new Promise<"loaded">((resolve) =>
    session.on("Page.loadEventFired", () => {
      // Ignores the load event of the initial blank page.
      if (network.answered) resolve("loaded");
    }),
  );
  const ended = new Promise<"late">((resolve) => {
    signal.addEventListener("abort", () => resolve("late"), { once: true });
    session.on("Network.requestWillBeSent", () => {
      if (network.navigations > hopsMax) resolve("late");
    });
  });
  return { loaded, ended };
}

/** Reads one part of the document. */
type DocumentReader<F> = (document: OpenDocument, deadlineMs: number) => Promise<F>;

async function documentReading<F>(
  opened: Promise<OpenDocument>,
  readPart: DocumentReader<F>,
  network: PageNetwork,
  { signal, deadlines: { documentMs } }: PageProbeContext,
  crashed: Promise<"crashed">,
): Promise<Reading<F>> {
  if (!network.showsPage) return failed("unsupported");
  if (signal.aborted) return failed("timeout");
  try {
    const reading = opened.then((document) => readPart(document, commandLimit(documentMs).timeout));
    const part = await within(deadlineClock, documentMs, Promise.race([crashed, reading]), "late" as const);
    if (part === "crashed") return failed("crashed");
    if (part === "late") return failed("timeout");
    // The page may have navigated away during the read.
    return network.showsPage ? read(part) : failed("unsupported");
  } catch {
    return failed("timeout");
  }
}

/** The proxy knows why a connection failed; the browser knows only that its proxy refused. `outcome` may be Chromium's net error. */
function failureOf({ proxy, subject }: PageProbeContext, network: PageNetwork, outcome: string): ProbeFailure {
  if (proxy.tooLarge) return "too-large";
  const url = URL.parse(network.requestedUrl ?? subject.url);
  const because = url === null ? null : proxy.failureOf(url.hostname, portOf(url));
  if (because !== null) return because;
  if (outcome === "crashed") return "crashed";
  if (outcome === "late") return "timeout";
  return netErrors.find(({ pattern }) => pattern.test(outcome))?.because ?? "unreachable";
}

/** Chromium's net error for an answer that it saves, or that does not replace the document. */
const answerNotShown = "net::ERR_ABORTED";

/** Chromium's net errors; the first match counts. */
const netErrors: readonly { readonly pattern: RegExp; readonly because: ProbeFailure }[] = [
  { pattern: /TOO_MANY_REDIRECTS/, because: "redirects" },
  { pattern: /ERR_SSL_(VERSION_OR_CIPHER_MISMATCH|KEY_USAGE_INCOMPATIBLE)/, because: "tls-incompatible" },
  { pattern: /ERR_(SSL|CERT|BAD_SSL)/, because: "tls" },
  { pattern: /TIMED_OUT/, because: "timeout" },
  { pattern: /NAME_NOT_RESOLVED/, because: "unresolved" },
  { pattern: /CONNECTION_REFUSED/, because: "refused" },
  { pattern: /BLOCKED|UNSAFE_PORT|UNKNOWN_URL_SCHEME|UNSAFE_REDIRECT|DISALLOWED/, because: "blocked" },
  // Without an answer that browsers know what to do with: a 304 without a question for it, a redirect to mailto.
  { pattern: /ERR_ABORTED/, because: "invalid" },
  { pattern: /INVALID_|EMPTY_RESPONSE|RESPONSE_HEADERS|CONTENT_DECODING|HTTP2|CONTENT_LENGTH|HTTP_1_1_REQUIRED/, because: "invalid" },
];
