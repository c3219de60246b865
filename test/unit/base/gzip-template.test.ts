/** Gzip templates against zlib: any text, any holes, any content. */
import { randomBytes } from "node:crypto";
import { crc32, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createGzipTemplate, fillTemplate, type TemplatePart } from "../../../src/base/gzip-template.ts";
import { unicodeText } from "../../support/unicode-text.ts";

const part = fc.oneof(unicodeText({ maxLength: 300 }), fc.record({ holeBytes: fc.integer({ min: 0, max: 200 }) }));
const level = 6;

function plainOf(parts: readonly TemplatePart[], contents: readonly Uint8Array[]): Buffer {
  const left = [...contents];
  return Buffer.concat(parts.map((each) => (typeof each === "string" ? Buffer.from(each) : (left.shift() ?? Buffer.alloc(0)))));
}

test("unpack to the text with the contents in place, each time with the right checksum", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.string(), (given, end) => {
      const parts = [...given, end];
      const template = createGzipTemplate(parts, level);
      for (let answer = 0; answer < 2; answer++) {
        const contents = template.holes.map(({ length }) => randomBytes(length));
        const plain = plainOf(parts, contents);
        const packed = fillTemplate(template, contents);
        // Checks CRC-32 and length itself; Bun's own decoder is another program.
        expect(gunzipSync(packed).equals(plain)).toBe(true);
        expect(Buffer.from(Bun.gunzipSync(packed)).equals(plain)).toBe(true);
        expect(Buffer.from(packed).readUInt32LE(packed.length - 8)).toBe(crc32(plain));
      }
    }),
    { numRuns: 200 },
  );
});

test("refer back across holes, farther than one window", () => {
  const line = "<li>the same line of a list</li>\n";
  const parts = Array.from({ length: 40 }, (_none, at): TemplatePart => (at % 2 === 1 ? { holeBytes: 86 } : line.repeat(200))).concat(line);
  const template = createGzipTemplate(parts, level);
  const contents = template.holes.map(() => randomBytes(86));
  const packed = fillTemplate(template, contents);
  expect(gunzipSync(packed).equals(plainOf(parts, contents))).toBe(true);
  const whole = Bun.gzipSync(Buffer.from(line.repeat(4_001))).length;
  // A hole costs its bytes, two block heads and the rest of a byte.
  expect(packed.length).toBeLessThan(whole + 20 * (86 + 40));
});

test("have the same length whatever fills them", () => {
  const template = createGzipTemplate(["secret=", { holeBytes: 6 }, "; you sent: secret=abcdef"], level);
  const lengths = ["abcdef", "zzzzzz"].map((content) => fillTemplate(template, [Buffer.from(content)]).length);
  expect(lengths[0]).toBe(lengths[1]);
});

test("stay unchanged when they are filled", () => {
  const template = createGzipTemplate(["a", { holeBytes: 2 }, "b"], level);
  const before = Buffer.from(template.bytes);
  fillTemplate(template, [Buffer.from("xy")]);
  expect(before.equals(template.bytes)).toBe(true);
});

test.each([[[]], [[Buffer.from("xyz")]]])("refuse contents that do not fit", (contents) => {
  expect(() => fillTemplate(createGzipTemplate(["a", { holeBytes: 2 }, "b"], level), contents)).toThrow("hole 0 has 2 bytes");
});
