/** Measures how the run time of a parser grows with its input: repeated input may cost linear time only. */

import type { FuzzTarget } from "./target.ts";

/** Lengths of the short and the long input; a still longer one has four times the long length. */
const shortChars = 16_384;
const longChars = 65_536;
/** Four times the length takes 4 times as long if linear, 16 times if quadratic. */
export const ratioMax = 11;
/** Below this, timer noise dominates the ratio to the short input: the ratio to a longer input is used. */
const noiseMs = 8;
/** Below this, growth does not matter within the limits of evidence. */
const negligibleMs = 2;
/** From this ratio on, the measurement is repeated. */
const suspiciousRatio = 6;

export interface Growth {
  /** The repeated input, as JSON. */
  readonly input: string;
  /** Time for 64 KiB. */
  readonly longMs: number;
  /** Time for 64 KiB divided by time for 16 KiB; 1 if both are too short to compare. */
  readonly ratio: number;
}

/** Characters that separate, open, close or escape in some grammar. */
const punctuation = [..."\"'()<>[]{};:,.=-_/\\%@#&?*+!| \t\n\r0a", "\u00fc", "\ufffd"];
const tails = ["", "!", "\u00fc", " x\n"];

/**
 * The fastest growing input and the slowest one, of all that repeat one token or a pair of tokens.
 * `oneOf`: only one of so many inputs, from a random one on.
 */
export function worstGrowth(
  { tokens, samples, heads: unfinished = [] }: Pick<FuzzTarget, "tokens" | "samples" | "heads">,
  read: (text: string) => unknown,
  oneOf = 1,
): readonly [fastest: Growth, slowest: Growth] {
  const pieces = [...new Set([...tokens, ...punctuation])];
  // A valid beginning makes the parser read on.
  const heads = ["", ...samples, ...tokens.toSorted((a, b) => b.length - a.length)].slice(0, headsMax);
  let fastest = none;
  let slowest = none;
  const first = Math.floor(Math.random() * oneOf);
  for (const [at, { head, piece, tail }] of [...runsOf(pieces, heads, unfinished)].entries()) {
    if (at % oneOf !== first) continue;
    const growth = growthOf({ head, piece, tail }, read);
    if (growth.ratio > fastest.ratio) fastest = growth;
    if (growth.longMs > slowest.longMs) slowest = growth;
    // One failure is enough, and the others would be slow.
    if (growth.ratio > ratioMax) return [growth, slowest];
  }
  return [fastest, slowest];
}

const none: Growth = { input: "", longMs: 0, ratio: 1 };
const headsMax = 12;
const pairsMax = 120;

interface Run {
  readonly head: string;
  /** The repeated text. */
  readonly piece: string;
  readonly tail: string;
}

/** All combinations for single characters, a sample of them for longer pieces. */
function* runsOf(pieces: readonly string[], heads: readonly string[], unfinished: readonly string[]): Generator<Run> {
  for (const piece of pieces) for (const head of unfinished) for (const tail of tails) yield { head, piece, tail };
  for (const piece of [...pieces, ...pairsOf(pieces)]) {
    for (const head of piece.length === 1 ? heads : ["", heads[piece.length % heads.length] ?? ""]) yield { head, piece, tail: "!" };
  }
}

/** An even sample of all pairs: there are thousands. */
function pairsOf(pieces: readonly string[]): readonly string[] {
  const all = pieces.flatMap((first) => pieces.map((second) => first + second));
  const step = Math.max(1, Math.floor(all.length / pairsMax));
  return all.filter((_, at) => at % step === 0);
}

function growthOf({ head, piece, tail }: Run, read: (text: string) => unknown): Growth {
  const input = `${JSON.stringify(head)}, ${JSON.stringify(piece)} repeated, ${JSON.stringify(tail)}`;
  const textOf = (chars: number) => `${head}${piece.repeat(Math.ceil(chars / piece.length))}`.slice(0, chars - tail.length) + tail;
  const [short, long, longer] = [shortChars, longChars, 4 * longChars];
  const longMs = fastestMs(textOf(long), read, 1);
  if (longMs < negligibleMs) return { input, longMs, ratio: 1 };
  const ratio = longMs < noiseMs ? fastestMs(textOf(longer), read, 1) / longMs : longMs / fastestMs(textOf(short), read, 2);
  if (ratio < suspiciousRatio) return { input, longMs, ratio };
  const settledMs = fastestMs(textOf(long), read, 6);
  if (settledMs < negligibleMs) return { input, longMs: settledMs, ratio: 1 };
  // Quadratic growth shows in both ratios; a garbage collection in one only.
  const settledRatio = Math.min(settledMs / fastestMs(textOf(short), read, 6), fastestMs(textOf(longer), read, 2) / settledMs);
  return { input, longMs: settledMs, ratio: settledRatio };
}

/** The fastest of several runs, since other load only adds time. CPU time counts where other programs delay the process. */
function fastestMs(text: string, read: (text: string) => unknown, runs: number): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const [start, startCpu] = [performance.now(), process.cpuUsage()];
    read(text);
    const { user, system } = process.cpuUsage(startCpu);
    bestMs = Math.min(bestMs, performance.now() - start, (user + system) / 1_000);
  }
  return bestMs;
}
