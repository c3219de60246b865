/** Fuzz targets for what accounts upload and type for their brand. */
import { parseAccent } from "../../src/parse/accent-color.ts";
import { parseImageSize } from "../../src/parse/image-size.ts";
import { isTextLine, splitTags, tagSeparators } from "../../src/parse/text.ts";
import { pngImage, webpPixels } from "../support/images.ts";
import type { FuzzTarget } from "./target.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1");
const [png, lossy, lossless] = [pngImage(2, 3, [1, 2, 3, 255]), webpPixels.lossy, webpPixels.lossless].map((file) =>
  file.toString("latin1"),
) as [string, string, string];
const sizeOf = (text: string) => {
  const size = parseImageSize(bytesOf(text));
  return size === "broken" ? null : size;
};

export const uploadTargets: readonly FuzzTarget[] = [
  {
    name: "image-size",
    tokens: [
      ..."\0\x01\x02\x08\x2f\xff",
      "IHDR",
      "IDAT",
      "IEND",
      "\0\0\0\x0d",
      "VP8 ",
      "VP8L",
      "VP8X",
      "ANMF",
      "\x9d\x01\x2a",
      "\x0a\0\0\0",
    ],
    heads: [png.slice(0, 33), lossy.slice(0, 20), lossless.slice(0, 20), "RIFF\x20\0\0\0WEBPVP8X"],
    samples: [png, lossy, lossless],
    functions: { parseImageSize: (text) => parseImageSize(bytesOf(text)) },
    properties: {
      "a size is at least 1 and at most 31 bits": (text) => {
        const size = sizeOf(text);
        return size === null || [size.width, size.height].every((length) => Number.isInteger(length) && length >= 1 && length < 2 ** 31);
      },
      "an image begins as its type does": (text) => {
        const size = sizeOf(text);
        return size === null || text.startsWith(size.type === "image/png" ? "\x89PNG\r\n\x1a\n" : "RIFF");
      },
      "no image stays one behind another byte": (text) => parseImageSize(bytesOf(`x${text}`)) === null,
    },
  },
  {
    name: "accent-color",
    tokens: [..."#0123456789abcdefABCDEF gG\n", "#fff", "rgb(", "red"],
    samples: ["#1f4fa3", "abc", " #FFF "],
    functions: { parseAccent },
    properties: {
      "a colour has six digits and parses to itself": (text) => {
        const color = parseAccent(text);
        return color === null || color === "low-contrast" || (/^#[0-9a-f]{6}$/.test(color) && parseAccent(color) === color);
      },
    },
  },
  {
    name: "text-line",
    tokens: [..." ,;|\n\r\t\u202e\u2066\u2028ab", "shop", "key account"],
    samples: ["shop, live", "a|b;;c", "Example Ltd\u202e"],
    functions: { isTextLine, splitTags },
    properties: {
      "tags are trimmed, not empty, and without separators": (text) =>
        splitTags(text).every((tag) => tag !== "" && tag === tag.trim() && !tagSeparators.test(tag)),
      "tags joined again are the same tags": (text) => splitTags(splitTags(text).join(", ")).join("\0") === splitTags(text).join("\0"),
      "a line has no line break and no control of direction": (text) => !isTextLine(text) || !/[\n\r\u2028\u2029\u202a-\u202e]/.test(text),
    },
  },
];
