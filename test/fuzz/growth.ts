/** Measures how a reader's time grows with its input: whatever an attacker repeats, twice the length may take twice the time and no more. */

import type { FuzzedParser } from "./parser.ts";

/** Characters of the shortest and of the longest input; each length is four times the one before. */
const shortChars = 16_384;
const longChars = 65_536;
/** Four times the length: four times the time when it is linear, sixteen times when it is quadratic. */
export const ratioMax = 11;
/** Below this a ratio tells of the machine, not of the reader. */
const noiseMs = 8;
/** A ratio that is worth a longer look. */
const ratioToLookAt = 6;

export interface Growth {
  /** What was repeated, as JSON. */
  readonly input: string;
  /** For 64 KiB. */
  readonly longMs: number;
  /** Time for 64 KiB by time for 16 KiB; 1 where both are too short to compare. */
  readonly ratio: number;
}

/** Signs that part, open, close and escape in one grammar or another. */
const signs = [..."\"'()<>[]{};:,.=-_/\\%@#&?*+!| \t\n\r0a", "\u00fc", "\ufffd"];

/** The input that grows the most and the one that takes the longest, of all that repeat a word or two words of the grammar. */
export function worstGrowth(
  { words, samples }: Pick<FuzzedParser, "words" | "samples">,
  read: (text: string) => unknown,
): readonly [growth: Growth, slowest: Growth] {
  const pieces = [...new Set([...words, ...signs])];
  // A beginning that makes sense, so that what follows is read at all.
  const heads = ["", ...samples, ...words.toSorted((a, b) => b.length - a.length)].slice(0, headsMax);
  let worst = nothing;
  let slowest = nothing;
  for (const piece of [...pieces, ...pairsOf(pieces)]) {
    for (const head of piece.length === 1 ? heads : ["", heads[piece.length % heads.length] ?? ""]) {
      const growth = growthOf(head, piece, read);
      if (growth.ratio > worst.ratio) worst = growth;
      if (growth.longMs > slowest.longMs) slowest = growth;
    }
  }
  return [worst, slowest];
}

const nothing: Growth = { input: "", longMs: 0, ratio: 1 };
const headsMax = 12;
const pairsMax = 120;

/** Pairs, each piece in many of them; all of them would be thousands. */
function pairsOf(pieces: readonly string[]): readonly string[] {
  const all = pieces.flatMap((first) => pieces.map((second) => first + second));
  const step = Math.max(1, Math.floor(all.length / pairsMax));
  return all.filter((_, at) => at % step === 0);
}

function growthOf(head: string, piece: string, read: (text: string) => unknown): Growth {
  const input = `${JSON.stringify(head)} and ${JSON.stringify(piece)} again and again`;
  const textOf = (chars: number) => `${head}${piece.repeat(Math.ceil(chars / piece.length))}`.slice(0, chars - 1).concat("!");
  const long = textOf(longChars);
  const longMs = quickest(long, read, 1);
  if (longMs < noiseMs) return { input, longMs, ratio: 1 };
  const short = textOf(shortChars);
  const ratio = longMs / quickest(short, read, 1);
  if (ratio < ratioToLookAt) return { input, longMs, ratio };
  const settledMs = quickest(long, read, 6);
  return { input, longMs: settledMs, ratio: settledMs < noiseMs ? 1 : settledMs / quickest(short, read, 6) };
}

/** Of several times: what else the machine does only ever adds. */
function quickest(text: string, read: (text: string) => unknown, times: number): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let at = 0; at < times; at++) {
    const start = performance.now();
    read(text);
    bestMs = Math.min(bestMs, performance.now() - start);
  }
  return bestMs;
}
