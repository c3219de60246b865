/** Random text of any Unicode characters. */
import fc from "fast-check";

const surrogatesFrom = 0xd800;
const surrogateCount = 0x800;

const character = fc.integer({ min: 0, max: 0x10ffff - surrogateCount }).map(
  (at) => String.fromCodePoint(at < surrogatesFrom ? at : at + surrogateCount),
  (text) => {
    const codePoint = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (codePoint === undefined || String.fromCodePoint(codePoint) !== text) throw new Error("not one character");
    return codePoint < surrogatesFrom ? codePoint : codePoint - surrogateCount;
  },
);

/** Same texts as `fc.string({ unit: "binary" })`, which takes half a second of CPU to list all characters. */
export function unicodeText(constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
