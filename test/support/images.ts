/** PNG and WebP files that tests upload. */
import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** One pixel each, lossy and lossless. */
export const webpPixels = {
  lossy: Buffer.from("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "base64"),
  lossless: Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64"),
} as const;

export function pngChunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The header that a PNG of this size has, with colour and transparency in 8 bits each. */
export function pngHeader(width: number, height: number): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return pngChunk("IHDR", data);
}

export function pngFile(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([signature, ...chunks, pngChunk("IEND", Buffer.alloc(0))]);
}

/** Image of one colour, or of random colours, which no compression makes smaller. */
export function pngImage(width: number, height: number, pixel: readonly number[] | "noise"): Buffer {
  const rows = Array.from({ length: height }, () => {
    const colors = pixel === "noise" ? randomBytes(width * 4) : Buffer.alloc(width * 4, Buffer.from(pixel));
    return Buffer.concat([Buffer.from([0]), colors]);
  });
  return pngFile(pngHeader(width, height), pngChunk("IDAT", deflateSync(Buffer.concat(rows))));
}

export function riffFile(...chunks: readonly (readonly [name: string, data: Uint8Array])[]): Buffer {
  const body = Buffer.concat(
    chunks.map(([name, data]) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(data.length);
      return Buffer.concat([Buffer.from(name, "latin1"), length, data, Buffer.alloc(data.length % 2)]);
    }),
  );
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length + 4);
  return Buffer.concat([Buffer.from("RIFF"), size, Buffer.from("WEBP"), body]);
}
