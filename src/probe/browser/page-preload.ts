/** Reads the browser's built-in HSTS preload list without network traffic: behind a refusing proxy, the browser shows the scheme it chose. */
import { within } from "../../base/deadline.ts";
import { type RefusingProxy, startRefusingProxy } from "../../egress/proxy.ts";
import { failed, type Reading, read, type Subject } from "../../evidence/evidence.ts";
import type { HstsPreloadFacts } from "../../evidence/page-facts.ts";
import { type BrowserPage, connectBrowser, openPage } from "./browser-session.ts";

/** Preloaded in every full Chromium, through its top-level domain. Chromium ignores its list some weeks after the build, which this name reveals. */
const controlName = "assay-asks.dev";

/** Top-level domains whose registries require preloading: known without the list. */
const preloadedTopLevel = new Set(
  (
    "android app bank boo channel chrome dad day dev eat esq fly foo gle gmail google hangout ing insurance " +
    "meet meme mov new nexus page phd play prof rsvp search youtube zip"
  ).split(" "),
);

const cachedNamesMax = 10_000;
const answerMs = 5_000;

interface PreloadReader {
  readonly proxy: RefusingProxy;
  readonly page: BrowserPage;
  readonly cache: Map<string, boolean>;
  /** Queue: the reader has one page, and so answers one question at a time. */
  pending: Promise<unknown>;
}

/** Reader of this thread; a restarted browser gets a new one. */
let current: { readonly endpoint: string; readonly reader: Promise<PreloadReader> } | null = null;

export async function probePreload(endpoint: string, { host, registrableDomain }: Subject): Promise<Reading<HstsPreloadFacts>> {
  // The list holds names of the public DNS only.
  if (registrableDomain === null) return read({ hostPreloaded: false, registrableDomainPreloaded: false });
  if (preloadedTopLevel.has(host.slice(host.lastIndexOf(".") + 1))) return read({ hostPreloaded: true, registrableDomainPreloaded: true });
  try {
    const reader = await readerOf(endpoint);
    if (!(await isPreloaded(reader, controlName))) return failed("unsupported");
    const answers = Promise.all([isPreloaded(reader, host), isPreloaded(reader, registrableDomain)]);
    const [hostPreloaded, registrableDomainPreloaded] = await within(answerMs, answers, [null, null] as const);
    if (hostPreloaded === null || registrableDomainPreloaded === null) return failed("unsupported");
    return read({ hostPreloaded, registrableDomainPreloaded });
  } catch {
    await closeReader();
    return failed("crashed");
  }
}

function readerOf(endpoint: string): Promise<PreloadReader> {
  if (current?.endpoint !== endpoint) {
    void closeReader();
    current = { endpoint, reader: openReader(endpoint) };
  }
  return current.reader;
}

/** Also called after a failure, so that the next question opens a new page. */
async function closeReader(): Promise<void> {
  const old = current;
  current = null;
  const reader = await old?.reader.catch(() => null);
  await Promise.all([reader?.page.close(), reader?.proxy.stop()]);
}

async function openReader(endpoint: string): Promise<PreloadReader> {
  const connection = await connectBrowser(endpoint);
  const proxy = await startRefusingProxy();
  try {
    const page = await openPage(connection, proxy.url);
    await page.session.send("Network.enable");
    return { proxy, page, cache: new Map(), pending: Promise.resolve() };
  } catch (error) {
    await proxy.stop();
    throw error;
  }
}

/** Null when the browser requested neither scheme, for example because another rule covers the name. */
function isPreloaded(reader: PreloadReader, host: string): Promise<boolean | null> {
  const answer = reader.pending.then(async () => {
    const cached = reader.cache.get(host);
    if (cached !== undefined) return cached;
    const scheme = await schemeChosen(reader, host);
    if (scheme !== null && reader.cache.size < cachedNamesMax) reader.cache.set(host, scheme === "https");
    return scheme === null ? null : scheme === "https";
  });
  reader.pending = answer.catch(() => {});
  return answer;
}

/** Navigates to the name over http and observes whether the browser upgrades the request by itself. */
async function schemeChosen({ page: { session } }: PreloadReader, host: string): Promise<"http" | "https" | null> {
  let upgraded = false;
  let requested = false;
  const onRequest = ({ redirectResponse }: { readonly redirectResponse?: { readonly headers: Readonly<Record<string, string>> } }) => {
    requested = true;
    upgraded ||= redirectResponse?.headers["Non-Authoritative-Reason"] === "HSTS";
  };
  session.on("Network.requestWillBeSent", onRequest);
  try {
    await session.send("Page.navigate", { url: `http://${host}/` });
  } finally {
    session.off("Network.requestWillBeSent", onRequest);
  }
  if (upgraded) return "https";
  return requested ? "http" : null;
}
