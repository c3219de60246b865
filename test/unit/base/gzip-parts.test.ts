/** Joined gzip bodies: the parts in their order, readable by any decompressor. */
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { joinGzip, packPart, storedPart } from "../../../src/base/gzip-parts.ts";

const long = "abcdefghij".repeat(20_000);

describe("joined parts", () => {
  test.each([
    ["nothing", []],
    ["one part", ["text"]],
    ["empty parts", ["", "a", "", "b", ""]],
    ["characters of several bytes", ["K\u00e4se", "\u{1f9c0}", "\u00df"]],
    ["parts beyond a stored block", [long, "end", long]],
  ])("of %s are the text", (_case, texts) => {
    for (const part of [storedPart, (text: string) => packPart(text, 4)])
      expect(gunzipSync(joinGzip(texts.map(part))).toString()).toBe(texts.join(""));
  });

  test("may be used again in another order", () => {
    const [one, two, frame] = [packPart(`one ${long}`, 1), packPart("two", 9), storedPart("<frame>")];
    expect(gunzipSync(joinGzip([frame, one, two, frame])).toString()).toBe(`<frame>one ${long}two<frame>`);
    expect(gunzipSync(joinGzip([two, one, two])).toString()).toBe(`twoone ${long}two`);
  });

  test("are checked by the decompressor", () => {
    const bytes = joinGzip([packPart(long, 4), storedPart("end")]);
    for (const at of [bytes.length - 1, bytes.length - 8, bytes.length - 14]) {
      const broken = bytes.slice();
      broken[at] = (broken[at] ?? 0) ^ 1;
      expect(() => gunzipSync(broken)).toThrow();
    }
  });

  test("a stored part has the same length for every text of one length", () => {
    const lengthOf = (text: string) => joinGzip([storedPart(text), packPart(long, 4)]).length;
    expect(lengthOf("abcdefghijabcdefghij")).toBe(lengthOf("zq1-x_0?9!7w5+3=2/8&"));
  });
});
