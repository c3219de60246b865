/** A picture of the page as a visitor's window shows it, small enough to keep; it is for people, and no check sees it. */
import { within } from "../../base/deadline.ts";
import type { CDPSession } from "./browser-session.ts";

/** The window of every scan, in CSS pixels: what a page lays out and loads depends on it. */
export const viewport = { width: 1_280, height: 800, deviceScaleFactor: 1, mobile: false } as const;
/** Both tries together. A page whose thread is busy draws nothing, and is not waited for. */
const screenshotMs = 2_000;
/** Larger pictures are tried once more at the next quality, and then left out. */
const bytesMax = 400_000;
const qualities = [60, 25];

/** The bytes of a `screenshotType` image, or null where there is none to be had. Never rejects. */
export function takeScreenshot(session: CDPSession): Promise<Uint8Array | null> {
  return within(
    screenshotMs,
    firstThatFits(session).catch(() => null),
    null,
  );
}

async function firstThatFits(session: CDPSession): Promise<Uint8Array | null> {
  for (const quality of qualities) {
    const { data } = await session.send(
      "Page.captureScreenshot",
      { format: "jpeg", quality, optimizeForSpeed: true, captureBeyondViewport: false },
      { timeout: screenshotMs },
    );
    const bytes = new Uint8Array(Buffer.from(data, "base64"));
    if (isJpeg(bytes) && bytes.length <= bytesMax) return bytes;
  }
  return null;
}

/** ISO/IEC 10918-1, annex B: start of image, and the first byte of the next marker. */
function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}
