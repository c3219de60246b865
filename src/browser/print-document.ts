/** Prints an HTML document of our own as PDF: no script runs in it, and it reaches nothing but itself. */
import { type CDPSession, closedProxyUrl, endOfPage, openPage } from "./browser-page.ts";
import type { ScanBrowser } from "./slot.ts";

/** Nothing has this name (RFC 6761 section 6.4), and its only document is answered here. */
const documentUrl = "https://document.invalid/";
/** Beside the policy that the document has itself. */
const documentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/** Several times that of the longest report. */
const pdfBytesMax = 32 * 1024 ** 2;
const pieceBytes = 1024 ** 2;

/** Commands get `commandMs`. @throws Error if the document cannot be loaded or printed, the PDF is too long, or the signal aborts. */
export async function printDocument(
  browser: ScanBrowser,
  html: string,
  commandMs: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
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
    // The page may be gone by now.
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
