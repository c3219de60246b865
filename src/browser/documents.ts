/**
 * Browser for documents of assay itself, separate from the browsers of scans: prints reports as PDF and decodes logos. Ends when it is
 * idle.
 */
import { systemClock, within } from "../base/clock.ts";
import { type DecodedLogo, type DecodeLogo, logoBytesMax, type PrintPdf } from "../base/documents.ts";
import { type Log, messageOf } from "../base/log.ts";
import { createLruByteCache } from "../base/lru-cache.ts";
import { type ImageSize, parseImageSize } from "../parse/image-size.ts";
import type { Browsers } from "./browser.ts";
import { type CDPSession, closedProxyUrl, endOfPage, openPage } from "./browser-page.ts";
import { type BrowserSlot, openBrowserSlot, type ScanBrowser } from "./slot.ts";

// Jobs that run one at a time; a bounded number of others wait for a bounded time.

export function createJobQueue({ waitingMax, waitMs }: { readonly waitingMax: number; readonly waitMs: number }) {
  const queue: (() => void)[] = [];
  let isTaken = false;

  /** False if the job got no turn. */
  function turn(): Promise<boolean> {
    if (queue.length >= waitingMax) return Promise.resolve(false);
    return new Promise((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1);
        resolve(false);
      }, waitMs);
      queue.push(begin);
    });
  }

  return {
    /** Outcome of the job; `busy` if it got no turn and did not run. */
    run: async <T>(job: () => Promise<T>): Promise<T | "busy"> => {
      if (isTaken && !(await turn())) return "busy";
      isTaken = true;
      try {
        return await job();
      } finally {
        // The turn passes to the next job at once, so that a new job cannot overtake it.
        const next = queue.shift();
        if (next === undefined) isTaken = false;
        else next();
      }
    },
  };
}

/** Limits of the drawn image in pixels: twice the size at which reports show it. */
const drawnWidthMax = 480;
const drawnHeightMax = 160;
/** Scales to try. The last one fits the byte limit even without compression. */
const scales = [1, 0.75];
const dataUrlStart = "data:image/png;base64,";
/** Characters of Base64 for `logoBytesMax`. */
const urlCharsMax = dataUrlStart.length + Math.ceil(logoBytesMax / 3) * 4;

const drawingLimits = { widthMax: drawnWidthMax, heightMax: drawnHeightMax, scales, urlCharsMax };

/** Drawn PNG; null if the browser cannot decode the image or returns an invalid result. @throws Error if the browser ends or the signal aborts. */
async function drawLogo(
  browser: ScanBrowser,
  bytes: Uint8Array,
  type: ImageSize["type"],
  commandMs: number,
  signal: AbortSignal,
): Promise<DecodedLogo | null> {
  const { session, close } = await openPage(browser, closedProxyUrl);
  try {
    const given = [Buffer.from(bytes).toString("base64"), type, drawingLimits].map((value) => JSON.stringify(value));
    const drawn = session.send(
      "Runtime.evaluate",
      { expression: `(${drawInPage})(${given.join()})`, awaitPromise: true, returnByValue: true },
      { timeout: commandMs },
    );
    const { result, exceptionDetails } = await Promise.race([drawn, endOfPage(session, signal)]);
    return exceptionDetails === undefined ? drawnLogo(result.value) : null;
  } finally {
    close();
  }
}

/** Validates the result again: the image may have compromised the process that decoded it. */
function drawnLogo(url: unknown): DecodedLogo | null {
  if (typeof url !== "string" || !url.startsWith(dataUrlStart) || url.length > urlCharsMax) return null;
  const png = new Uint8Array(Buffer.from(url.slice(dataUrlStart.length), "base64"));
  const size = parseImageSize(png);
  if (size === null || size === "broken" || size.type !== "image/png" || png.length > logoBytesMax) return null;
  const { width, height } = size;
  return width <= drawnWidthMax && height <= drawnHeightMax ? { png, width, height } : null;
}

/** Runs in the page, so it cannot use anything from this module. */
async function drawInPage(base64: string, type: string, limits: typeof drawingLimits): Promise<string | null> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type }));
  const fit = Math.min(1, limits.widthMax / bitmap.width, limits.heightMax / bitmap.height);
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (context === null) return null;
  for (const scale of limits.scales) {
    // A new size also clears the canvas.
    canvas.width = Math.max(1, Math.round(bitmap.width * fit * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * fit * scale));
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const url = canvas.toDataURL("image/png");
    if (url.length <= limits.urlCharsMax) return url;
  }
  return null;
}

// Prints an HTML document of assay as PDF. No script runs, and no other resource is loaded.

/** Reserved name (RFC 6761 section 6.4). Requests for it are answered from memory. */
const documentUrl = "https://document.invalid/";
/** Sent in addition to the policy of the document itself. */
const documentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/** Several times the size of the longest report. */
const pdfBytesMax = 32 * 1024 ** 2;
const pieceBytes = 1024 ** 2;

/** Commands get `commandMs`. @throws Error if the document cannot be loaded or printed, the PDF is too long, or the signal aborts. */
async function printDocument(browser: ScanBrowser, html: string, commandMs: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const { session, close } = await openPage(browser, closedProxyUrl);
  try {
    return await Promise.race([loadAndPrint(session, html, commandMs), endOfPage(session, signal)]);
  } finally {
    close();
  }
}

async function loadAndPrint(session: CDPSession, html: string, timeout: number): Promise<Uint8Array<ArrayBuffer>> {
  const loaded = new Promise((resolve) => session.once("Page.loadEventFired", resolve));
  answerAllRequests(session, html);
  await Promise.all([
    session.send("Page.enable"),
    session.send("Emulation.setScriptExecutionDisabled", { value: true }),
    session.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }),
  ]);
  const { errorText } = await session.send("Page.navigate", { url: documentUrl }, { timeout });
  if (errorText !== undefined) throw new Error(`the document did not load: ${errorText}`);
  await loaded;
  const { stream } = await session.send(
    "Page.printToPDF",
    // The style sheet sets paper and margins.
    { preferCSSPageSize: true, generateTaggedPDF: true, generateDocumentOutline: true, transferMode: "ReturnAsStream" },
    { timeout },
  );
  if (stream === undefined) throw new Error("the browser printed nothing");
  return readStream(session, stream);
}

/** The first request for the document gets it; every other one fails. */
function answerAllRequests(session: CDPSession, html: string): void {
  let isAnswered = false;
  session.on("Fetch.requestPaused", ({ requestId, request: { url } }) => {
    const isDocument = !isAnswered && url === documentUrl;
    isAnswered ||= isDocument;
    const answer = isDocument
      ? session.send("Fetch.fulfillRequest", {
          requestId,
          responseCode: 200,
          responseHeaders: [
            { name: "content-type", value: "text/html; charset=utf-8" },
            { name: "content-security-policy", value: documentPolicy },
          ],
          body: Buffer.from(html).toString("base64"),
        })
      : session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
    // Fails if the page is already closed.
    void answer.catch(() => {});
  });
}

async function readStream(session: CDPSession, handle: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  for (let bytes = 0; ; ) {
    const { data, base64Encoded, eof } = await session.send("IO.read", { handle, size: pieceBytes });
    const piece = Buffer.from(data, base64Encoded === true ? "base64" : "latin1");
    bytes += piece.length;
    if (bytes > pdfBytesMax) throw new Error(`the PDF is longer than ${pdfBytesMax} bytes`);
    pieces.push(piece);
    if (eof) return new Uint8Array(Buffer.concat(pieces));
  }
}

/** Sides and pixels that an uploaded image may declare: bounds the memory that decoding takes. */
const sidePixelsMax = 4_000;
const pixelsMax = 4_000_000;
/** Ten times the size of a report with every finding. */
const htmlCharsMax = 10_000_000;
/** Cache size for PDF files: two large client reports of 15 MB each, or about 150 usual reports. */
const keptBytesMax = 32 * 1024 ** 2;
const jobQueueLimits = { waitingMax: 8, waitMs: 10_000 };
/** In milliseconds. */
const defaultTimes = {
  /** Deadline of one job: waiting, start of the browser, and work. Shorter than the idle timeout of the HTTP server. */
  jobMs: 25_000,
  printMs: 20_000,
  logoMs: 10_000,
  /** Idle time after which the browser ends, which frees about 100 MB. */
  idleMs: 60_000,
};
/** Work ends this long before its job, so that its own error is reported. */
const marginMs = 500;
/** Time for a healthy browser to close the page of cancelled work. */
const giveUpMs = 200;

export interface DocumentsOptions {
  readonly browsers: Pick<Browsers, "prepare" | "record">;
  readonly log: Log;
  readonly times?: Partial<typeof defaultTimes>;
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

/** `because`: a clause for the log, or `busy`. `isOfBrowser`: the browser was not available for the whole time that a document may take. */
type JobOutcome<T> = { readonly value: T } | { readonly because: string; readonly isOfBrowser: boolean };

/** Work in a page; the page is closed before the promise settles, and when the signal aborts. */
type Work<T> = (browser: ScanBrowser, signal: AbortSignal) => Promise<T>;

const lateBrowser = { because: "the browser was not ready in time", isOfBrowser: true } as const;

/** Runs jobs one at a time in a browser that is ended and replaced when one of them fails. */
function createJobs(browsers: DocumentsOptions["browsers"], jobMs: number, idleMs: number) {
  const jobQueue = createJobQueue(jobQueueLimits);
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
    // After a long wait or a slow start, a valid document has too little time.
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
      const inTurn = jobQueue.run(() => {
        clearTimeout(idleTimer);
        return perform({ limitMs, endMs }, work).finally(() => {
          idleTimer = setTimeout(() => void endBrowser(), idleMs).unref();
        });
      });
      // The turn lasts until the browser has started, because a start cannot be cancelled.
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
