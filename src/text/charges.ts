/** Points that violated rows charge, from algorithm version 3 on. */
import type { StoredResult } from "../judge/result.ts";
import { hasCharges, remainingScore } from "../judge/score.ts";

export interface Charges {
  readonly points: number;
  /** Score that they leave, before caps. */
  readonly remaining: number;
}

/** Null for results of older versions, whose score is the share of the passed weight. */
export function chargesOf(result: StoredResult): Charges | null {
  if (!hasCharges(result)) return null;
  const points = result.ledger.reduce((sum, { charged = 0 }) => sum + charged, 0);
  return { points, remaining: remainingScore(points) };
}
