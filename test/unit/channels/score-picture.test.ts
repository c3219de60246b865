/** Score rings of mails: filled as far as the score says, and visible on light and dark cards. */

import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { scoreColors, scorePicture, scorePicturePx } from "../../../src/channels/score-picture.ts";
import { parseImageSize } from "../../../src/parse/image-size.ts";

describe("the picture of a score", () => {
  const rowsOf = (png: Uint8Array) => {
    const at = Buffer.from(png).indexOf("IDAT");
    return inflateSync(png.slice(at + 4, at + 4 + Buffer.from(png).readUInt32BE(at - 4)));
  };
  const side = 2 * scorePicturePx;
  /** Opacity on the ring, at this share of the way round from the top. */
  const opacityAt = (score: number | null, share: number) => {
    const [x, y] = [side / 2 + 76 * Math.sin(2 * Math.PI * share), side / 2 - 76 * Math.cos(2 * Math.PI * share)];
    return rowsOf(scorePicture(score))[Math.floor(y) * (side + 1) + 1 + Math.floor(x)] ?? 0;
  };

  test("is a PNG for screens of two pixels a point", () => {
    for (const score of [null, 0, 9, 52, 100]) expect(parseImageSize(scorePicture(score))).toMatchObject({ width: side, height: side });
  });

  test.each([
    [0, [false, false, false, false]],
    [20, [true, false, false, false]],
    [52, [true, true, false, false]],
    [60, [true, true, true, false]],
    [99, [true, true, true, true]],
    [100, [true, true, true, true]],
  ])("%s is filled that far", (score, filled) => {
    expect([0.1, 0.4, 0.55, 0.9].map((share) => opacityAt(score, share) > 200)).toEqual(filled);
  });

  test("has a zero in its middle, the same on both sides", () => {
    const rows = rowsOf(scorePicture(0));
    const inner = Array.from({ length: 100 }, (_, row) => {
      const from = (side / 2 - 50 + row) * (side + 1) + 1 + side / 2 - 50;
      return [...rows.subarray(from, from + 100)];
    });
    expect(inner.flat().some((opacity) => opacity > 200)).toBe(true);
    expect(inner.map((row) => row.toReversed())).toEqual(inner);
  });

  test("is a whole line where nothing was measured", () => {
    const middle = (side / 2) * (side + 1) + 1 + side / 2;
    const across = rowsOf(scorePicture(null)).subarray(middle - 14, middle + 14);
    expect([...across]).toEqual(Array(28).fill(255));
  });

  test("differs for each score", () => {
    const all = [null, ...Array.from({ length: 101 }, (_, score) => score)].map((score) =>
      Buffer.from(scorePicture(score)).toString("base64"),
    );
    expect(new Set(all).size).toBe(102);
  });

  test("can be seen on light and dark cards", () => {
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = [...Buffer.from(color.slice(1), "hex")].map((value) =>
        value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    for (const color of Object.values(scoreColors))
      for (const card of ["#ffffff", "#1a1d21"]) {
        const [dark = 0, light = 0] = [luminance(color), luminance(card)].toSorted((one, other) => one - other);
        expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(3);
      }
  });
});
