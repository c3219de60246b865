/** Loads the scanned page in the browser and tells what came of it; whatever the page does, this returns in time. */
import { CDPSessionEvent } from "puppeteer-core";
import { within } from "../../base/deadline.ts";
import type { Egress } from "../../egress/dial.ts";
import { portOf } from "../../egress/host.ts";
import type { EgressProxy } from "../../egress/proxy.ts";
import { failed, type ProbeFailure, type Reading, type Readings, read, type Subject } from "../../evidence/evidence.ts";
import type { DomFacts, NavigationFacts } from "../../evidence/facts.ts";
import { hopsMax } from "../../evidence/limits.ts";
import { saysNothingOfSite } from "../../parse/redirects.ts";
import { type BrowserPage, type CDPSession, connectBrowser, openPage } from "./browser-session.ts";
import { isChallenge } from "./page-challenge.ts";
import { readDom } from "./page-dom.ts";
import { type PageNetwork, watchNetwork } from "./page-network.ts";
import { probePreload } from "./page-preload.ts";
import { takeScreenshot, viewport } from "./page-screenshot.ts";

export interface PageProbeContext {
  /** DevTools WebSocket URL of the running browser. */
  readonly browserEndpoint: string;
  readonly subject: Subject;
  readonly egress: Egress;
  /** The scan's own way out, on `egress`. */
  readonly proxy: EgressProxy;
  readonly signal: AbortSignal;
  /** Whether a picture of the page is wanted. */
  readonly screenshot: boolean;
  readonly deadlines: {
    /** Until the load event. */
    readonly navigationMs: number;
    /** How long the network must be quiet after it ... */
    readonly settleMs: number;
    /** ... and the longest wait for that. */
    readonly settleMaxMs: number;
    /** Reading the document: a page whose thread is busy does not answer. */
    readonly documentMs: number;
  };
}

export type PageReadings = Pick<Readings, "navigation" | "page" | "dom" | "requests" | "hstsPreload">;

export interface PageVisit {
  readonly readings: PageReadings;
  /** Comes later than the readings, and never rejects; null where no document was shown, or it could not be drawn. */
  readonly screenshot: Promise<Uint8Array | null>;
}

export async function probePage(context: PageProbeContext): Promise<PageVisit> {
  const [hstsPreload, { readings, screenshot }] = await Promise.all([
    probePreload(context.browserEndpoint, context.subject),
    loadPage(context),
  ]);
  return { readings: { ...readings, hstsPreload }, screenshot };
}

type LoadedReadings = Omit<PageReadings, "hstsPreload">;

interface LoadedPage {
  readonly readings: LoadedReadings;
  readonly screenshot: Promise<Uint8Array | null>;
}

async function loadPage(context: PageProbeContext): Promise<LoadedPage> {
  let page: BrowserPage;
  try {
    page = await openPage(await connectBrowser(context.browserEndpoint), context.proxy.url);
  } catch {
    return { readings: nothing("crashed"), screenshot: noScreenshot };
  }
  let screenshot = noScreenshot;
  const shoot = () => {
    if (context.screenshot) screenshot = takeScreenshot(page.session);
  };
  try {
    const readings = await visit(page, context, shoot);
    // The browser was lost on the way, which is not the page's doing: whatever was read so far is no answer.
    return { readings: page.session.detached ? nothing("crashed") : readings, screenshot };
  } catch {
    return { readings: nothing("crashed"), screenshot };
  } finally {
    // Not waited for: the next scan has a context of its own, and a page that hangs is ended by `close` itself.
    void screenshot.then(() => page.close());
  }
}

/** A visit of which nothing is known. */
export function noPage(because: ProbeFailure): PageVisit {
  return { readings: { ...nothing(because), hstsPreload: failed(because) }, screenshot: noScreenshot };
}

const noScreenshot: Promise<Uint8Array | null> = Promise.resolve(null);

function nothing(because: ProbeFailure): LoadedReadings {
  return { navigation: failed(because), page: failed(because), dom: failed(because), requests: failed(because) };
}

/** Calls `onShown` once the document that is judged stands, before it is read. */
async function visit({ session, targetId }: BrowserPage, context: PageProbeContext, onShown: () => void): Promise<LoadedReadings> {
  const { subject, egress, deadlines, signal } = context;
  // The main frame of a page has the id of its target.
  const network = watchNetwork(session, targetId);
  const crashed = refuseTricks(session);
  const { loaded, ended } = watchLoad(session, network, signal);
  await Promise.all([
    session.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send("Page.enable"),
    session.send("Audits.enable"),
    session.send("Log.enable"),
    session.send("Security.enable"),
    session.send("Emulation.setDeviceMetricsOverride", viewport),
    // A page behind a bad certificate is judged, not skipped: the certificate has checks of its own.
    session.send("Security.setIgnoreCertificateErrors", { ignore: true }),
  ]);

  // Answered only once the first document is there, which is what is waited for below.
  const navigated = session.send("Page.navigate", { url: subject.url }, { timeout: deadlines.navigationMs }).then(
    ({ errorText }) => errorText ?? null,
    () => null,
  );
  const shown = Promise.race([navigated.then((text) => text ?? loaded), crashed, ended]);
  const outcome = await within(deadlines.navigationMs, shown, "late" as const);
  if (outcome === "loaded") await Promise.race([network.settled(deadlines.settleMs, deadlines.settleMaxMs, signal), crashed, ended]);
  else void session.send("Page.stopLoading").catch(() => {});

  const navigation = network.navigation((url) => egress.pinnedAddress(url.hostname, portOf(url)));
  const answer = network.page();
  if (navigation === null || answer === null) return nothing(failureOf(context, network, outcome));
  if (!network.speaksHttp) return nothing("invalid");
  if (network.showsPage) onShown();
  const dom = await domReading({ session, targetId }, network, context, crashed);
  if (saysNothingOfSite(answer.status)) return withoutPage(navigation, "server-error");
  if (isChallenge(answer, dom.status === "read" ? dom.facts.title : null)) return withoutPage(navigation, "challenged");
  // What a document asks for is known as a whole only where the document itself could be looked at.
  const requests = dom.status === "read" ? read(network.requests()) : dom;
  return { navigation: read(navigation), page: read(answer), dom, requests };
}

function withoutPage(navigation: NavigationFacts, because: ProbeFailure): LoadedReadings {
  return { ...nothing(because), navigation: read(navigation) };
}

/** Sent when the browser itself is gone, and the connection with it; puppeteer has this event and keeps it out of its types. */
const disconnected = (CDPSessionEvent as unknown as { readonly Disconnected: typeof CDPSessionEvent.SessionDetached }).Disconnected;

/** Answers whatever a page opens to hold a visitor, and resolves when its process breaks. */
function refuseTricks(session: CDPSession): Promise<"crashed"> {
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    // Leaving is the only question whose answer "no" would keep us.
    void session.send("Page.handleJavaScriptDialog", { accept: type === "beforeunload" }).catch(() => {});
  });
  return new Promise((resolve) => {
    session.once("Inspector.targetCrashed", () => resolve("crashed"));
    session.once(disconnected, () => resolve("crashed"));
  });
}

/** `loaded`: the document that came last is complete. `ended`: it navigates on and on, or the scan was called off. */
function watchLoad(
  session: CDPSession,
  network: PageNetwork,
  signal: AbortSignal,
): { readonly loaded: Promise<"loaded">; readonly ended: Promise<"late"> } {
  const loaded = new Promise<"loaded">((resolve) =>
    session.on("Page.loadEventFired", () => {
      // Not that of the blank page which was there before.
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

async function domReading(
  { session, targetId }: Pick<BrowserPage, "session" | "targetId">,
  network: PageNetwork,
  { signal, deadlines: { documentMs } }: PageProbeContext,
  crashed: Promise<"crashed">,
): Promise<Reading<DomFacts>> {
  if (!network.showsPage) return failed("unsupported");
  if (signal.aborted) return failed("timeout");
  try {
    const dom = await within(documentMs, Promise.race([crashed, readDom(session, targetId, documentMs)]), "late" as const);
    if (dom === "crashed") return failed("crashed");
    if (dom === "late") return failed("timeout");
    // The page may have left while it was read.
    return network.showsPage ? read(dom) : failed("unsupported");
  } catch {
    return failed("timeout");
  }
}

/** The proxy knows why a connection failed; the browser only that its proxy refused. `outcome`: how the load ended, or Chromium's net error. */
function failureOf({ proxy, subject }: PageProbeContext, network: PageNetwork, outcome: string): ProbeFailure {
  if (proxy.tooLarge) return "too-large";
  const asked = URL.parse(network.askedUrl ?? subject.url);
  const because = asked === null ? null : proxy.failureOf(asked.hostname, portOf(asked));
  if (because !== null) return because;
  if (outcome === "crashed") return "crashed";
  if (outcome === "late") return "timeout";
  const known = netErrors.find(({ pattern }) => pattern.test(outcome));
  return known?.because ?? "unreachable";
}

/** Chromium's net errors, the first that matches. */
const netErrors: readonly { readonly pattern: RegExp; readonly because: ProbeFailure }[] = [
  { pattern: /TOO_MANY_REDIRECTS/, because: "redirects" },
  { pattern: /ERR_(SSL|CERT|BAD_SSL)/, because: "tls" },
  { pattern: /TIMED_OUT/, because: "timeout" },
  { pattern: /NAME_NOT_RESOLVED/, because: "unresolved" },
  { pattern: /CONNECTION_REFUSED/, because: "refused" },
  { pattern: /BLOCKED|UNSAFE_PORT|UNKNOWN_URL_SCHEME|UNSAFE_REDIRECT|DISALLOWED/, because: "blocked" },
  { pattern: /INVALID_|EMPTY_RESPONSE|RESPONSE_HEADERS|CONTENT_DECODING|HTTP2|CONTENT_LENGTH|HTTP_1_1_REQUIRED/, because: "invalid" },
];
