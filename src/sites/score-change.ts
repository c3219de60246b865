/** Whether the score of a site has dropped. Pure. */
import { bands, standing } from "../judge/rank.ts";
import type { SiteState } from "../store/site-runs.ts";
import { isConfirmation, seenOn } from "./second-look.ts";

/** Smaller drops within a band are no event. They leave the reference as it is, so that many of them add up to one. */
const scoreDropMin = 5;

export interface ComparedScore {
  /** Lowest of all addresses, without the limit for unread main defences. */
  readonly score: number;
  /** False if rules have changed what is measured. */
  readonly comparable: boolean;
  /** False if something had no verdict that may have lowered the score: then no rise is proven. */
  readonly complete: boolean;
  /** Whether everything was read that the doubted score was seen on. */
  readonly doubtRead: boolean;
  /** By measured address. */
  readonly scores: ReadonlyMap<string, number>;
}

export interface ScoreChange extends Pick<SiteState, "score" | "doubtedScore"> {
  /** The reference before the drop; null without a confirmed drop. */
  readonly droppedFrom: number | null;
}

/** A drop counts when a second run confirms it; a rise counts at once. */
export function changeOfScore(
  { score: reference, doubtedScore }: Pick<SiteState, "score" | "doubtedScore">,
  { score, comparable, complete, doubtRead, scores }: ComparedScore,
  now: Date,
): ScoreChange {
  if (reference === null || !comparable) {
    const kept = reference !== null && !complete ? Math.min(reference, score) : score;
    return { score: kept, doubtedScore: null, droppedFrom: null };
  }
  if (!isDrop(reference, score)) {
    const kept = complete ? Math.max(reference, score) : reference;
    return { score: kept, doubtedScore: doubtRead ? null : doubtedScore, droppedFrom: null };
  }
  const urls = [...scores].filter(([, one]) => isDrop(reference, one)).map(([url]) => url);
  if (doubtedScore === null) return { score: reference, doubtedScore: { score, since: now.toISOString(), urls }, droppedFrom: null };
  if (!isConfirmation(doubtedScore.since, now)) return { score: reference, doubtedScore: seenOn(doubtedScore, urls), droppedFrom: null };
  return { score, doubtedScore: null, droppedFrom: reference };
}

function isDrop(reference: number, score: number): boolean {
  const bandAt = (value: number) => bands.indexOf(standing(value).band);
  return reference - score >= scoreDropMin || bandAt(score) > bandAt(reference);
}
