/** Packs what a worker gathered: JSON, compressed, cut into parts with a manifest. Limits of a result are here, for both sides. */
import { createHash } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { evidenceVersion } from "../evidence/evidence.ts";
import { boundedText } from "../evidence/redact.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { screenshotBytesMax } from "../probe/browser/page-screenshot.ts";
import type { Gathered } from "../scan/task.ts";
import { fleetProtocol, packedBytesMax, partBytesMax, type ResultManifest, type SentBytes } from "./messages.ts";

/** The head derives from the evidence whether the page was reachable. The screenshot is sent apart. */
export type SentResult = Pick<Gathered, "evidence" | "timings" | "refusals"> | { readonly failed: ScanErrorCode };

/** Bytes of the JSON. Evidence of a large site has 0.1 MB, and 2 MB at most so far. */
export const resultBytesMax = 8 * 1024 ** 2;
/** Parts of one result besides its manifest. */
export const partsMax = Math.ceil(packedBytesMax / partBytesMax) + Math.ceil(screenshotBytesMax / partBytesMax);
/** Refusals of the SSRF guard in one result, and characters of each: the first ones show the cause. */
export const refusalsMax = 50;
export const refusalCharsMax = 500;

export interface PackedResult {
  /** Parts of the result first, then parts of the screenshot. Each has at most `partBytesMax` bytes. */
  readonly parts: readonly Uint8Array[];
  readonly manifest: ResultManifest;
}

/** A result that exceeds the limits is packed as failed with `too-large`. */
export function packResult(gathered: Gathered | ScanErrorCode): PackedResult {
  if (typeof gathered === "string") return packed({ failed: gathered }, null) ?? neverTooLarge(gathered);
  const { evidence, timings, refusals, screenshot } = gathered;
  const firstRefusals = refusals.slice(0, refusalsMax).map((refusal) => boundedText(refusal, refusalCharsMax).text);
  return packed({ evidence, timings, refusals: firstRefusals }, screenshot) ?? packResult("too-large");
}

function packed(result: SentResult, screenshot: Uint8Array | null): PackedResult | null {
  const json = Buffer.from(JSON.stringify(result));
  if (json.length > resultBytesMax) return null;
  const compressed = zstdCompressSync(json);
  if (compressed.length > packedBytesMax) return null;
  const parts = [...cut(compressed), ...cut(screenshot ?? new Uint8Array())];
  const sentScreenshot = screenshot === null ? null : sentBytes(screenshot);
  return { parts, manifest: { v: fleetProtocol, evidenceVersion, result: sentBytes(compressed), screenshot: sentScreenshot } };
}

function neverTooLarge(code: ScanErrorCode): never {
  throw new Error(`the result ${code} exceeds the limits of results`);
}

function cut(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / partBytesMax);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * partBytesMax, (at + 1) * partBytesMax));
}

function sentBytes(bytes: Uint8Array): SentBytes {
  return { bytes: bytes.length, sha256: sha256Of(bytes), parts: Math.ceil(bytes.length / partBytesMax) };
}

/** Lower-case hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
