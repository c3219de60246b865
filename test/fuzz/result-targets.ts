/** Fuzz targets for what a hostile worker sends: the structure of images and of JSON. */
import { readFileSync } from "node:fs";
import { parseJpeg } from "../../src/parse/image-size.ts";
import { type JsonSize, jsonSize } from "../../src/parse/json.ts";
import { pixelJpeg, shopPicture } from "../support/finished-scans.ts";
import type { FuzzTarget } from "./target.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1");
const [picture, pixel] = [readFileSync(shopPicture).toString("latin1"), pixelJpeg.toString("latin1")];
/** The head of a picture, with a few bytes of its scan. */
const shortPicture = `${picture.slice(0, 1_000)}\xff\xd9`;

const jpegTarget: FuzzTarget = {
  name: "jpeg",
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

function parsedSize(json: string): JsonSize | null {
  try {
    return sizeIn(JSON.parse(json));
  } catch {
    return null;
  }
}

function sizeIn(value: unknown): JsonSize {
  if (typeof value !== "object" || value === null) return { values: 1, depth: 0 };
  const parts = Object.values(value).map(sizeIn);
  const values = 1 + parts.reduce((sum, part) => sum + part.values, 0);
  return { values, depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)) };
}

const jsonTarget: FuzzTarget = {
  name: "json-size",
  tokens: ["[", "]", "{", "}", ",", ":", '"', "\\", '\\"', '"a"', "1", "null", " ", "\u00fc"],
  heads: ["[", '"', "{", '["\\', "[,"],
  samples: ['[{"a":[1,"]}\\\\"],"b,":"\\""},[],{}]', '"\\\\"', "[[[]]]", '{"a":1,"a":{}}'],
  functions: { jsonSize: (text) => jsonSize(Buffer.from(text)) },
  properties: {
    "valid JSON never has more values or depth": (text) => {
      const parsed = parsedSize(text);
      if (parsed === null) return true;
      const { values, depth } = jsonSize(Buffer.from(text));
      // The parser keeps the last of equal names.
      return values >= parsed.values && depth >= parsed.depth;
    },
    "the depth of lists is exact": (text) => jsonSize(Buffer.from(`[[${JSON.stringify(text)}]]`)).depth === 2,
  },
};

export const resultTargets: readonly FuzzTarget[] = [jpegTarget, jsonTarget];
