/** Browser for documents of our own, apart from those that scan: prints reports as PDF and decodes logos. Ends when it is idle. */

import { systemClock, within } from "../base/clock.ts";
import { type DecodeLogo, logoBytesMax, type PrintPdf } from "../base/documents.ts";
import { type Log, messageOf } from "../base/log.ts";
import { createLruByteCache } from "../base/lru-cache.ts";
import { parseImageSize } from "../parse/image-size.ts";
import type { Browsers } from "./browser.ts";
import { drawLogo } from "./draw-logo.ts";
import { printDocument } from "./print-document.ts";
import { type BrowserSlot, openBrowserSlot, type ScanBrowser } from "./slot.ts";
import { createTurns } from "./turns.ts";

/** Sides and pixels that an uploaded image may declare: bounds the memory that decoding takes. */
const sidePixelsMax = 4_000;
const pixelsMax = 4_000_000;
/** A report with every finding has a tenth of it. */
const htmlCharsMax = 10_000_000;
/** PDF files that are kept, those of the last requests: two of large client reports with 15 MB each, or some 150 usual ones. */
const keptBytesMax = 32 * 1024 ** 2;
const turnLimits = { waitingMax: 8, waitMs: 10_000 };
const defaultTimes: DocumentTimes = { jobMs: 25_000, printMs: 20_000, logoMs: 10_000, idleMs: 60_000 };
/** Work ends so long before its job does, so that its own reason is known. */
const marginMs = 500;
/** For a sound browser to close the page of work that was given up. */
const giveUpMs = 200;

/** In milliseconds. */
interface DocumentTimes {
  /** For one job, from its request: turn, start of the browser and work. Shorter than the idle timeout of the HTTP server. */
  readonly jobMs: number;
  readonly printMs: number;
  readonly logoMs: number;
  /** After the last job the browser ends, which frees some 100 MB. */
  readonly idleMs: number;
}

export interface DocumentsOptions {
  readonly browsers: Pick<Browsers, "prepare" | "record">;
  readonly log: Log;
  readonly times?: Partial<DocumentTimes>;
}

export interface Documents {
  readonly printPdf: PrintPdf;
  readonly decodeLogo: DecodeLogo;
  /** Ends the browser; later jobs fail. */
  close(): Promise<void>;
}

/** One process, started on the first use. */
export function openDocuments({ browsers, log, times = {} }: DocumentsOptions): Documents {
  const { jobMs, printMs, logoMs, idleMs } = { ...defaultTimes, ...times };
  const job = createJobs(browsers, jobMs, idleMs);
  const kept = createLruByteCache<Uint8Array<ArrayBuffer>>(keptBytesMax, (pdf) => pdf.length);
  /** Equal documents that are requested at the same time share one PDF. */
  const printing = new Map<string, ReturnType<PrintPdf>>();

  async function print(html: string): ReturnType<PrintPdf> {
    if (html.length > htmlCharsMax) {
      log.warn("report not printed", { because: "it is too long", chars: html.length });
      return "failed";
    }
    const outcome = await job.run(printMs, (browser, signal) => printDocument(browser, html, printMs, signal));
    if (!("because" in outcome)) return outcome.value;
    if (outcome.because === "busy") return "busy";
    log.warn("report not printed", { because: outcome.because });
    return "failed";
  }

  return {
    printPdf: async (html) => {
      const key = new Bun.CryptoHasher("sha256").update(html).digest("base64");
      const known = kept.get(key) ?? printing.get(key);
      if (known !== undefined) return known;
      const begun = print(html).finally(() => printing.delete(key));
      printing.set(key, begun);
      const pdf = await begun;
      if (typeof pdf !== "string") kept.set(key, pdf);
      return pdf;
    },
    decodeLogo: async (bytes) => {
      if (bytes.length > logoBytesMax) return "too-large";
      const size = parseImageSize(bytes);
      if (size === null) return "wrong-type";
      if (size === "broken") return size;
      const { type, width, height } = size;
      if (Math.max(width, height) > sidePixelsMax || width * height > pixelsMax) return "too-many-pixels";
      const outcome = await job.run(logoMs, (browser, signal) => drawLogo(browser, bytes, type, logoMs, signal));
      if (!("because" in outcome)) return outcome.value ?? "broken";
      if (outcome.because === "busy") return "busy";
      log.warn("logo not decoded", { because: outcome.because });
      return outcome.isOfBrowser ? "busy" : "broken";
    },
    close: job.close,
  };
}

/** `because`: a clause for the log, or `busy`. `isOfBrowser`: no browser was there for the whole time that the document may take. */
type JobOutcome<T> = { readonly value: T } | { readonly because: string; readonly isOfBrowser: boolean };

/** Closes its page before it settles, and when the signal aborts. */
type Work<T> = (browser: ScanBrowser, signal: AbortSignal) => Promise<T>;

const lateBrowser = { because: "the browser was not ready in time", isOfBrowser: true } as const;

/** Runs jobs one at a time in a browser that is ended and replaced when one of them fails. */
function createJobs(browsers: DocumentsOptions["browsers"], jobMs: number, idleMs: number) {
  const turns = createTurns(turnLimits);
  let slot: BrowserSlot | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function endBrowser(): Promise<void> {
    const ended = slot;
    slot = null;
    await ended?.stop();
  }

  async function perform<T>(
    { limitMs, endMs }: { readonly limitMs: number; readonly endMs: number },
    work: Work<T>,
  ): Promise<JobOutcome<T>> {
    if (isClosed) return { because: "the server stops", isOfBrowser: true };
    let used: BrowserSlot;
    let browser: ScanBrowser;
    try {
      const options = await browsers.prepare();
      slot ??= openBrowserSlot(options);
      used = slot;
      browser = await used.begin(browsers.record.bind(browsers));
    } catch (error) {
      return { because: messageOf(error), isOfBrowser: true };
    }
    const workMs = Math.min(limitMs, Math.round(endMs - performance.now()) - marginMs);
    if (workMs <= 0) {
      used.end();
      return lateBrowser;
    }
    const ending = new AbortController();
    const done = work(browser, ending.signal).then(
      (value) => ({ value }),
      (error) => ({ because: messageOf(error), isOfBrowser: false }),
    );
    // A turn or start of the browser that took long leaves a sound document too little.
    const late = { because: `it took longer than ${workMs} ms`, isOfBrowser: workMs < limitMs };
    const outcome = await within(systemClock, workMs, done, late);
    if ("because" in outcome) {
      if (!outcome.isOfBrowser) browser.reportIllness("a document could not be processed");
      // The page of a healthy browser is closed before the next job.
      ending.abort();
      await within(systemClock, giveUpMs, done, null);
    }
    used.end();
    return outcome;
  }

  return {
    run: async <T>(limitMs: number, work: Work<T>): Promise<JobOutcome<T>> => {
      const endMs = performance.now() + jobMs;
      const inTurn = turns.take(() => {
        clearTimeout(idleTimer);
        return perform({ limitMs, endMs }, work).finally(() => {
          idleTimer = setTimeout(() => void endBrowser(), idleMs).unref();
        });
      });
      // The turn lasts until the browser has started, which cannot be broken off.
      const outcome = await within(systemClock, jobMs, inTurn, lateBrowser);
      return outcome === "busy" ? { because: outcome, isOfBrowser: true } : outcome;
    },
    close: async (): Promise<void> => {
      isClosed = true;
      clearTimeout(idleTimer);
      await endBrowser();
    },
  };
}
