/** Results with any bytes and correct sums, as a hostile worker sends them. */
import { zstdCompressSync } from "node:zlib";
import { partBytesMax, type ResultManifest, type SentBytes } from "../../src/fleet/messages.ts";
import { type PackedResult, packResult, sha256Of } from "../../src/fleet/results.ts";

export const sentBytes = (bytes: Uint8Array): SentBytes => ({
  bytes: bytes.length,
  sha256: sha256Of(bytes),
  parts: Math.ceil(bytes.length / partBytesMax),
});

const cut = (bytes: Uint8Array) =>
  Array.from({ length: Math.ceil(bytes.length / partBytesMax) }, (_, at) => bytes.subarray(at * partBytesMax, (at + 1) * partBytesMax));

/** `changes` replace parts of the manifest. */
export function sentResult(result: Uint8Array, image: Uint8Array | null = null, changes: Partial<ResultManifest> = {}): PackedResult {
  const screenshot = image === null ? null : sentBytes(image);
  const manifest = { ...packResult("crashed").manifest, result: sentBytes(result), screenshot, ...changes };
  return { parts: [...cut(result), ...(image === null ? [] : cut(image))], manifest };
}

export function sentJson(value: unknown, image: Uint8Array | null = null): PackedResult {
  return sentResult(zstdCompressSync(Buffer.from(JSON.stringify(value))), image);
}
