/** Points that violated rows charge, from algorithm version 3 on. */
import type { StoredResult } from "../judge/result.ts";
import { remainingScore } from "../judge/score.ts";

const algorithmVersionMin = 3;

export interface Charges {
  readonly points: number;
  /** Score that they leave, before caps. */
  readonly remaining: number;
}

/** Null for results of older versions, whose score is the share of the passed weight. */
export function chargesOf({ algorithmVersion, ledger }: StoredResult): Charges | null {
  if (algorithmVersion < algorithmVersionMin) return null;
  const points = ledger.reduce((sum, { charged = 0 }) => sum + charged, 0);
  return { points, remaining: remainingScore(points) };
}
