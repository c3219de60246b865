/** Generates inputs for a fuzz target: random tokens, mutated and spliced samples, and binary noise. */
import fc from "fast-check";
import { unicodeText } from "../support/unicode-text.ts";
import type { FuzzTarget } from "./target.ts";

const tokensMax = 24;
/** Number of tokens of the occasional long input. */
const longTokensMax = 600;

export function inputsOf({ tokens, samples }: Pick<FuzzTarget, "tokens" | "samples">): fc.Arbitrary<string> {
  const noise = unicodeText({ maxLength: 3 });
  const token = fc.oneof({ arbitrary: fc.constantFrom(...tokens), weight: 12 }, { arbitrary: noise, weight: 1 });
  const sequence = (lengthMax: number) => fc.array(token, { maxLength: lengthMax, size: "max" }).map((parts) => parts.join(""));
  const sample = fc.constantFrom(...samples);
  const offset = fc.nat({ max: Math.max(...samples.map((text) => text.length)) });
  /** A sample in which tokens replace a few characters. */
  const mutated = fc
    .tuple(sample, offset, fc.nat({ max: 8 }), fc.array(token, { maxLength: 4 }))
    .map(([text, at, length, parts]) => text.slice(0, at) + parts.join("") + text.slice(at + length));
  const spliced = fc
    .tuple(sample, offset, token, sample, offset)
    .map(([a, cutA, glue, b, cutB]) => a.slice(0, cutA) + glue + b.slice(cutB));
  return fc.oneof(
    { arbitrary: sequence(tokensMax), weight: 40 },
    { arbitrary: mutated, weight: 40 },
    { arbitrary: spliced, weight: 15 },
    { arbitrary: unicodeText({ maxLength: 60 }), weight: 4 },
    { arbitrary: sequence(longTokensMax), weight: 1 },
  );
}
