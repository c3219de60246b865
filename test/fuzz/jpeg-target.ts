/** Fuzz target for the structure of images, as a hostile worker may send them. */
import { readFileSync } from "node:fs";
import { parseJpeg } from "../../src/parse/jpeg.ts";
import { pixelJpeg, shopPicture } from "../support/finished-scans.ts";
import type { FuzzTarget } from "./target.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1");
const [picture, pixel] = [readFileSync(shopPicture).toString("latin1"), pixelJpeg.toString("latin1")];
/** The head of a picture, with a few bytes of its scan. */
const shortPicture = `${picture.slice(0, 1_000)}\xff\xd9`;

export const jpegTarget: FuzzTarget = {
  file: "jpeg",
  tokens: [
    ..."\0\x01\x02\x08\x11\xff",
    ...["\xff\xd8", "\xff\xd9", "\xff\xda", "\xff\xc0", "\xff\xc2", "\xff\xc3", "\xff\xc4", "\xff\xdb", "\xff\xe0", "\xff\xfe", "\xff\xd0"],
    "\0\x0b\x08\0\x01\0\x01\x01\x01\x11\0",
    "\x89PNG\r\n",
  ],
  heads: ["\xff\xd8", pixel.slice(0, -2), "\xff\xd8\xff\xe0"],
  samples: [pixel, shortPicture],
  functions: { parseJpeg: (text) => parseJpeg(bytesOf(text)) },
  properties: {
    "an image begins with SOI and ends with EOI": (text) =>
      parseJpeg(bytesOf(text)) === null || (text.startsWith("\xff\xd8\xff") && text.endsWith("\xff\xd9")),
    "a size is at least 1 and at most 65535": (text) => {
      const size = parseJpeg(bytesOf(text));
      return size === null || [size.width, size.height].every((length) => length >= 1 && length <= 65_535);
    },
    "no image stays one behind other bytes, or before them": (text) =>
      parseJpeg(bytesOf(`x${text}`)) === null && parseJpeg(bytesOf(`${text}x`)) === null,
  },
};
