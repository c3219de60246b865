/** Sizes of PNG and WebP images: cut off, and with headers that contradict each other. */
import { describe, expect, test } from "vitest";
import { parseImageSize } from "../../../src/parse/image-size.ts";
import { pixelJpeg } from "../../support/finished-scans.ts";
import { pngChunk, pngFile, pngHeader, pngImage, riffFile, webpPixels } from "../../support/images.ts";

const noData = Buffer.alloc(0);
const png = pngImage(7, 5, [10, 20, 30, 255]);
const { lossy, lossless } = webpPixels;
const lossyData = lossy.subarray(20, 42);
const losslessData = lossless.subarray(20, 33);

/** Canvas of an extended file, which states the size less one each. */
function canvas(width: number, height: number, flags = 0): Buffer {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return data;
}

function lossySize(width: number, height: number): Buffer {
  const data = Buffer.from(lossyData);
  data.writeUInt16LE(width, 6);
  data.writeUInt16LE(height, 8);
  return data;
}

describe("the size of", () => {
  test.each<[string, Buffer, unknown]>([
    ["a PNG", png, { type: "image/png", width: 7, height: 5 }],
    [
      "a PNG with chunks of other kinds",
      pngFile(pngHeader(3, 4), pngChunk("tEXt", Buffer.from("a"))),
      { type: "image/png", width: 3, height: 4 },
    ],
    ["a PNG with bytes after its end", Buffer.concat([png, Buffer.from("\n")]), { type: "image/png", width: 7, height: 5 }],
    ["a lossy WebP", lossy, { type: "image/webp", width: 1, height: 1 }],
    ["a lossy WebP with a scale", riffFile(["VP8 ", lossySize(0xc000 | 300, 200)]), { type: "image/webp", width: 300, height: 200 }],
    ["a lossless WebP", lossless, { type: "image/webp", width: 1, height: 1 }],
    [
      "an extended WebP",
      riffFile(["VP8X", canvas(1, 1)], ["ICCP", noData], ["VP8L", losslessData]),
      { type: "image/webp", width: 1, height: 1 },
    ],
  ])("%s is read", (_name, file, size) => {
    expect(parseImageSize(file)).toEqual(size as never);
  });
});

describe("is no image of these types:", () => {
  test.each<[string, Uint8Array]>([
    ["nothing", noData],
    ["a JPEG", pixelJpeg],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["a GIF", Buffer.from("GIF89a\x01\0\x01\0")],
    ["a PNG behind a space", Buffer.concat([Buffer.from(" "), png])],
    ["a PNG whose signature lost a line break", Buffer.from(png.toString("latin1").replace("\r", ""), "latin1")],
    ["a WAVE file", Buffer.from("RIFF\x04\0\0\0WAVE", "latin1")],
    ["an animated WebP", riffFile(["VP8X", canvas(1, 1, 0x02)], ["ANIM", Buffer.alloc(6)], ["ANMF", Buffer.alloc(16)])],
    ["an animated WebP without the flag", riffFile(["VP8X", canvas(1, 1)], ["ANMF", Buffer.alloc(16)], ["VP8L", losslessData])],
  ])("%s", (_name, file) => {
    expect(parseImageSize(file)).toBeNull();
  });
});

describe("is broken:", () => {
  const header = pngHeader(7, 5);
  test.each<[string, Buffer]>([
    ["a PNG that does not begin with its header", pngFile(pngChunk("IDAT", noData), header)],
    ["a PNG with a second header of another size", pngFile(header, pngHeader(9_999, 9_999))],
    ["a PNG whose header is short", pngFile(pngChunk("IHDR", Buffer.alloc(12, 1)))],
    ["a PNG without width", pngFile(pngHeader(0, 5))],
    ["a PNG with a negative height", pngFile(pngHeader(5, 0x80000000))],
    [
      "a PNG with a chunk that is longer than the file",
      Buffer.concat([pngFile(header).subarray(0, 33), Buffer.from("\x7f\xff\xff\xffIDAT\0\0\0\0", "latin1")]),
    ],
    ["a lossy WebP without height", riffFile(["VP8 ", lossySize(5, 0)])],
    ["a lossy WebP that begins with no key frame", riffFile(["VP8 ", Buffer.concat([Buffer.from([0x31]), lossyData.subarray(1)])])],
    ["a lossy WebP without start code", riffFile(["VP8 ", Buffer.alloc(10)])],
    ["a lossless WebP without signature", riffFile(["VP8L", Buffer.alloc(5)])],
    ["a WebP without image", riffFile(["VP8X", canvas(1, 1)])],
    ["a WebP without chunks", riffFile()],
    ["a WebP with two images", riffFile(["VP8L", losslessData], ["VP8 ", lossySize(9_999, 9_999)])],
    ["a WebP whose image is larger than its canvas", riffFile(["VP8X", canvas(1, 1)], ["VP8 ", lossySize(9_999, 9_999)])],
    ["a WebP whose canvas is larger than its image", riffFile(["VP8X", canvas(9_999, 9_999)], ["VP8L", losslessData])],
    ["a WebP that begins with another chunk", riffFile(["ICCP", noData], ["VP8L", losslessData])],
  ])("%s", (_name, file) => {
    expect(parseImageSize(file)).toBe("broken");
  });

  test.each([
    ["PNG", png],
    ["lossy WebP", lossy],
    ["lossless WebP", lossless],
    ["extended WebP", riffFile(["VP8X", canvas(1, 1)], ["VP8L", losslessData])],
  ])("a %s that is cut off anywhere behind its signature", (_name, file) => {
    const signatureBytes = 12;
    for (let length = signatureBytes; length < file.length; length++)
      expect([length, parseImageSize(file.subarray(0, length))]).toEqual([length, "broken"]);
  });
});
