/** Screenshot of the page for people; checks do not use it. */
import { type Clock, systemClock, within } from "../../base/clock.ts";
import { heededMs, isHindered, patientTimers } from "../../base/standstill.ts";
import { type CDPSession, commandLimit } from "../../browser/browser-page.ts";

/** Size in CSS pixels. Fixed for every scan, because layout and subresources depend on it. */
export const viewport = { width: 1_280, height: 800, deviceScaleFactor: 1, mobile: false } as const;
/** Milliseconds for all qualities. A page with a busy main thread renders nothing. */
const screenshotMs = 2_000;
/** Deadlines of one screenshot: a second one follows if a standstill has hindered the first. */
const deadlinesMax = 2;
/** Bytes of an image. A larger one is retried at the next quality. */
export const screenshotBytesMax = 400_000;
const qualities = [60, 25];

/**
 * Screenshot; null without a shown document, or if rendering fails. `late`: not rendered within the deadline. `hindered`: not rendered either,
 * but this thread or the browser had no processor for a part of the time.
 */
export type PageImage = Uint8Array | null | "late" | "hindered";

/** Clock of the deadline, and the milliseconds in which the thread or the browser could not go on. */
export interface ScreenshotTime {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly stoodMs: () => number;
}

/**
 * Never rejects. A late screenshot may also be caused by an earlier page that keeps the browser busy. One that a standstill has hindered
 * gets its deadline once more.
 */
export async function takeScreenshot(
  session: Pick<CDPSession, "send">,
  { clock, stoodMs }: ScreenshotTime = { clock: systemClock, stoodMs: heededMs },
): Promise<PageImage> {
  const timers = patientTimers(clock, stoodMs);
  const image = captureWithinLimit(session).catch(() => null);
  for (let left = deadlinesMax; ; left--) {
    const fromMs = clock.monotonicMs();
    const stoodBeforeMs = stoodMs();
    const taken = await within(timers, screenshotMs, image, "late" as const);
    if (taken !== "late") return taken;
    if (!isHindered(stoodMs() - stoodBeforeMs, clock.monotonicMs() - fromMs)) return "late";
    if (left === 1) return "hindered";
  }
}

async function captureWithinLimit(session: Pick<CDPSession, "send">): Promise<Uint8Array | null> {
  for (const quality of qualities) {
    const { data } = await session.send(
      "Page.captureScreenshot",
      { format: "jpeg", quality, optimizeForSpeed: true, captureBeyondViewport: false },
      commandLimit(deadlinesMax * screenshotMs),
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
