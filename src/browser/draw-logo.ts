/** Decodes an uploaded image in a blank page of the browser, and draws it again as a small PNG. */
import { type DecodedLogo, logoBytesMax } from "../base/documents.ts";
import { type ImageSize, parseImageSize } from "../parse/image-size.ts";
import { closedProxyUrl, endOfPage, openPage } from "./browser-page.ts";
import type { ScanBrowser } from "./slot.ts";

/** Of the drawn image, in pixels: twice the size at which reports show it. */
const drawnWidthMax = 480;
const drawnHeightMax = 160;
/** Parts of the full size that are tried. The last has fewer bytes than the limit even without compression. */
const scales = [1, 0.75];
const dataUrlStart = "data:image/png;base64,";
/** Characters of Base64 for `logoBytesMax`. */
const urlCharsMax = dataUrlStart.length + Math.ceil(logoBytesMax / 3) * 4;

interface DrawingLimits {
  readonly widthMax: number;
  readonly heightMax: number;
  readonly scales: readonly number[];
  readonly urlCharsMax: number;
}

/** Null if the browser cannot decode it, or what it sends is not what was asked for. @throws Error when the browser is gone or late, or the signal aborts. */
export async function drawLogo(
  browser: ScanBrowser,
  bytes: Uint8Array,
  type: ImageSize["type"],
  commandMs: number,
  signal: AbortSignal,
): Promise<DecodedLogo | null> {
  const { session, close } = await openPage(browser, closedProxyUrl);
  try {
    const limits: DrawingLimits = { widthMax: drawnWidthMax, heightMax: drawnHeightMax, scales, urlCharsMax };
    const given = [Buffer.from(bytes).toString("base64"), type, limits].map((value) => JSON.stringify(value));
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

/** Checks everything again: the image may have taken over the process that decoded it. */
function drawnLogo(url: unknown): DecodedLogo | null {
  if (typeof url !== "string" || !url.startsWith(dataUrlStart) || url.length > urlCharsMax) return null;
  const png = new Uint8Array(Buffer.from(url.slice(dataUrlStart.length), "base64"));
  const size = parseImageSize(png);
  if (size === null || size === "broken" || size.type !== "image/png" || png.length > logoBytesMax) return null;
  const { width, height } = size;
  return width <= drawnWidthMax && height <= drawnHeightMax ? { png, width, height } : null;
}

/** Runs in the page, so it may use nothing from outside. */
async function drawInPage(base64: string, type: string, limits: DrawingLimits): Promise<string | null> {
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
