/** Screenshot of the page for people; checks do not use it. */
import { within } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import { type CDPSession, commandLimit } from "../../browser/browser-page.ts";

/** Size in CSS pixels. Fixed for every scan, because layout and subresources depend on it. */
export const viewport = { width: 1_280, height: 800, deviceScaleFactor: 1, mobile: false } as const;
/** Deadline for all attempts. A page with a busy main thread renders nothing. */
const screenshotMs = 2_000;
/** Bytes of an image. A larger one is retried at the next quality. */
export const screenshotBytesMax = 400_000;
const qualities = [60, 25];

/** Screenshot; null without a shown document, or if rendering fails. `late`: not rendered within the deadline. */
export type PageImage = Uint8Array | null | "late";

/** Never rejects. A late screenshot may also be caused by an earlier page that keeps the browser busy. */
export function takeScreenshot(session: CDPSession): Promise<PageImage> {
  return within(
    deadlineClock,
    screenshotMs,
    captureWithinLimit(session).catch(() => null),
    "late" as const,
  );
}

async function captureWithinLimit(session: CDPSession): Promise<Uint8Array | null> {
  for (const quality of qualities) {
    const { data } = await session.send(
      "Page.captureScreenshot",
      { format: "jpeg", quality, optimizeForSpeed: true, captureBeyondViewport: false },
      commandLimit(screenshotMs),
    );
    const bytes = new Uint8Array(Buffer.from(data, "base64"));
    if (isJpeg(bytes) && bytes.length <= screenshotBytesMax) return bytes;
  }
  return null;
}

/** ISO/IEC 10918-1, annex B: start of image, and the first byte of the next marker. */
function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}
