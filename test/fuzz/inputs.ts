/** Makes inputs for a parser: words of its grammar in any order, sound inputs that were cut and pierced, and plain rubbish. */
import fc from "fast-check";
import type { FuzzedParser } from "./parser.ts";

const wordsMax = 24;
/** Now and then an input is long, as an attacker's would be. */
const longWordsMax = 600;

export function inputsOf({ words, samples }: Pick<FuzzedParser, "words" | "samples">): fc.Arbitrary<string> {
  const rubbish = fc.string({ unit: "binary", maxLength: 3 });
  const word = fc.oneof({ arbitrary: fc.constantFrom(...words), weight: 12 }, { arbitrary: rubbish, weight: 1 });
  const phrase = (lengthMax: number) => fc.array(word, { maxLength: lengthMax, size: "max" }).map((parts) => parts.join(""));
  const sample = fc.constantFrom(...samples);
  const place = fc.nat({ max: Math.max(...samples.map((text) => text.length)) });
  /** A sound input from which a piece was taken out, and into which words were put. */
  const pierced = fc
    .tuple(sample, place, fc.nat({ max: 8 }), fc.array(word, { maxLength: 4 }))
    .map(([text, at, length, parts]) => text.slice(0, at) + parts.join("") + text.slice(at + length));
  const joined = fc.tuple(sample, place, word, sample, place).map(([a, cutA, sign, b, cutB]) => a.slice(0, cutA) + sign + b.slice(cutB));
  return fc.oneof(
    { arbitrary: phrase(wordsMax), weight: 40 },
    { arbitrary: pierced, weight: 40 },
    { arbitrary: joined, weight: 15 },
    { arbitrary: fc.string({ unit: "binary", maxLength: 60 }), weight: 4 },
    { arbitrary: phrase(longWordsMax), weight: 1 },
  );
}
