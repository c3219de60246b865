/** Texts made to hurt the parsers of records and files: random pieces of their grammars, and long runs of few characters. */
import fc from "fast-check";

/** Strings of any bytes, and of up to 40 of the pieces. */
export function hostileTexts(...pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join("")),
  );
}

const longChars = 65_536;
/** A quadratic reader would take minutes for all of the runs of one piece. */
const runMsMax = 3_000;

/** Milliseconds over the bound that parsing runs of the piece takes, each behind one of the heads and before one of the tails: zero when it is linear. */
export function slowness(parse: (text: string) => unknown, piece: string, heads: readonly string[], tails: readonly string[]): number {
  const run = piece.repeat(longChars / piece.length);
  const start = performance.now();
  for (const head of heads) for (const tail of tails) parse(head + run + tail);
  return Math.max(0, performance.now() - start - runMsMax);
}
