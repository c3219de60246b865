/** Looks the scanned host up in the HSTS preload list, embedded or of the operator. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { within } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import { dayMs } from "../../base/units.ts";
import { type BrowserPage, openPage } from "../../browser/browser-page.ts";
import type { ScanBrowser } from "../../browser/slot.ts";
import { type RefusingProxy, startRefusingProxy } from "../../egress/proxy.ts";
import { type Reading, read, type Subject } from "../../evidence/evidence.ts";
import type { HstsPreloadFacts } from "../../evidence/page-facts.ts";
import { type PreloadLines, preloadCoverage } from "../../parse/host-lists.ts";
import embeddedFile from "./hsts-preload-2026-06-01.tsv.gz" with { type: "file" };

// HSTS preload list of this thread: the operator's file, or else the embedded one, which is unpacked when first used.

export interface PreloadList extends PreloadLines {
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** A test compares it with the name of the file. */
export const embeddedPreloadDate = "2026-06-01";

let loadedList: PreloadList | null = null;

/** Sets the list of this thread. Null selects the embedded list. */
export function usePreloadList(list: PreloadList | null): void {
  loadedList = list;
}

export function preloadList(): PreloadList {
  loadedList ??= { date: embeddedPreloadDate, bytes: gunzipSync(readFileSync(embeddedFile)) };
  return loadedList;
}

// Looks the host up in the HSTS preload list. The browser shows its built-in list without network traffic: behind a refusing proxy, it
// reveals the scheme that it chose.

/** Preloaded in every full Chromium, through its top-level domain. It reveals whether Chromium ignores its list as too old. */
const controlName = "assay-asks.dev";

/** Chromium ignores its list ten weeks after its build: a browser that answers has a list of at most this age. */
const browserListDaysMax = 70;

const cachedNamesMax = 10_000;
const answerMs = 5_000;

interface PreloadReader {
  readonly proxy: RefusingProxy;
  readonly page: BrowserPage;
  readonly cache: Map<string, boolean>;
  /** Queue of questions, because the reader has only one page. */
  pending: Promise<unknown>;
}

/** Reader of this thread; a replaced browser gets a new one. */
let current: { readonly connection: ScanBrowser["connection"]; readonly reader: Promise<PreloadReader> } | null = null;

export async function probePreload(
  browser: ScanBrowser,
  { host, registrableDomain, scannedAt }: Subject,
): Promise<Reading<HstsPreloadFacts>> {
  // The list holds names of the public DNS only.
  if (registrableDomain === null) return read({ hostPreloaded: false, registrableDomainPreloaded: false });
  const list = preloadList();
  const coverage = preloadCoverage(list, host);
  const byList: PreloadAnswer = { hostPreloaded: coverage.host, registrableDomainPreloaded: preloadCoverage(list, registrableDomain).host };
  const byBrowser = await askBrowser(browser, host, registrableDomain);
  const newer = byBrowser === null || isNewerThanBrowser(list.date, scannedAt) ? byList : byBrowser;
  return read({
    ...newer,
    ...(newer.hostPreloaded && byList.hostPreloaded ? { subdomainsPreloaded: coverage.subdomains } : {}),
    decidedBy: newer === byList ? "list" : "browser",
    listDate: list.date,
    sourcesDiffer: byBrowser !== null && !isSameAnswer(byBrowser, byList),
  });
}

/** The browser does not reveal the date of its list. */
function isNewerThanBrowser(listDate: string, scannedAt: string): boolean {
  return Date.parse(listDate) > Date.parse(scannedAt) - browserListDaysMax * dayMs;
}

type PreloadAnswer = Pick<HstsPreloadFacts, "hostPreloaded" | "registrableDomainPreloaded">;

function isSameAnswer(one: PreloadAnswer, other: PreloadAnswer): boolean {
  return one.hostPreloaded === other.hostPreloaded && one.registrableDomainPreloaded === other.registrableDomainPreloaded;
}

/** Answer of the browser's built-in list; null if the browser ignores its list or breaks. */
async function askBrowser(browser: ScanBrowser, host: string, registrableDomain: string): Promise<PreloadAnswer | null> {
  try {
    const reader = await readerOf(browser);
    if (!(await isPreloaded(reader, controlName))) return null;
    const answers = Promise.all([isPreloaded(reader, host), isPreloaded(reader, registrableDomain)]);
    const [hostPreloaded, registrableDomainPreloaded] = await within(deadlineClock, answerMs, answers, [null, null] as const);
    return hostPreloaded === null || registrableDomainPreloaded === null ? null : { hostPreloaded, registrableDomainPreloaded };
  } catch {
    await closeReader();
    return null;
  }
}

function readerOf(browser: ScanBrowser): Promise<PreloadReader> {
  if (current?.connection !== browser.connection) {
    void closeReader();
    current = { connection: browser.connection, reader: openReader(browser) };
  }
  return current.reader;
}

/** Closes the reader, also after a failure, so that the next question opens a new page. */
async function closeReader(): Promise<void> {
  const old = current;
  current = null;
  const reader = await old?.reader.catch(() => null);
  reader?.page.close();
  await reader?.proxy.stop();
}

async function openReader(browser: ScanBrowser): Promise<PreloadReader> {
  const proxy = await startRefusingProxy();
  try {
    const page = await openPage(browser, proxy.url);
    await page.session.send("Network.enable");
    return { proxy, page, cache: new Map(), pending: Promise.resolve() };
  } catch (error) {
    await proxy.stop();
    throw error;
  }
}

/** True if the browser upgrades the name to https; null if it requested neither scheme, for example because another rule covers the name. */
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
