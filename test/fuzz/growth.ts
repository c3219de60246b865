/** Measures how a reader's time grows with its input: whatever an attacker repeats, twice the length may take twice the time and no more. */

import type { FuzzedParser } from "./parser.ts";

/** Characters of the shortest and of the longest input; each length is four times the one before. */
const shortChars = 16_384;
const longChars = 65_536;
/** Four times the length: four times the time when it is linear, sixteen times when it is quadratic. */
export const ratioMax = 11;
/** Below this the ratio to a shorter input tells of the machine, not of the reader; that to a longer one has to do. */
const noiseMs = 8;
/** Below this nobody waits, whatever it grows to within the limits of evidence. */
const faintMs = 2;
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
      // One is enough to mend, and the others would take their time.
      if (growth.ratio > ratioMax) return [growth, slowest];
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
  const [short, long, longer] = [shortChars, longChars, 4 * longChars];
  const longMs = quickest(textOf(long), read, 1);
  if (longMs < faintMs) return { input, longMs, ratio: 1 };
  const ratio = longMs < noiseMs ? quickest(textOf(longer), read, 1) / longMs : longMs / quickest(textOf(short), read, 2);
  if (ratio < ratioToLookAt) return { input, longMs, ratio };
  const settledMs = quickest(textOf(long), read, 6);
  if (settledMs < faintMs) return { input, longMs: settledMs, ratio: 1 };
  // What grows too fast goes on growing; the collecting of garbage does not.
  const settledRatio = Math.min(settledMs / quickest(textOf(short), read, 6), quickest(textOf(longer), read, 2) / settledMs);
  return { input, longMs: settledMs, ratio: settledRatio };
}

/** Of several times: what else the machine does only ever adds. The processor's time counts where other programs hold it up. */
function quickest(text: string, read: (text: string) => unknown, times: number): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let at = 0; at < times; at++) {
    const [start, startCpu] = [performance.now(), process.cpuUsage()];
    read(text);
    const { user, system } = process.cpuUsage(startCpu);
    bestMs = Math.min(bestMs, performance.now() - start, (user + system) / 1_000);
  }
  return bestMs;
}
