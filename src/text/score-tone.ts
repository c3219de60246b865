/** Colours of scores: five steps from green to red, by the names of the tokens in the style sheets. */
import type { Rank } from "../judge/result.ts";

/** Names of the colours, the best first; `unknown` for no score. */
export const scoreTones = ["good", "lime", "warn", "orange", "poor", "unknown"] as const;
export type ScoreTone = (typeof scoreTones)[number];

const tones: Readonly<Record<Rank, ScoreTone>> = {
  excellent: "good",
  strong: "good",
  solid: "lime",
  fair: "warn",
  weak: "orange",
  bad: "poor",
  critical: "poor",
  unknown: "unknown",
};

/** Colour of a rank. A word or a figure stands beside it everywhere. */
export function toneOf(rank: Rank): ScoreTone {
  return tones[rank];
}
