/** Whether the score of a site has dropped. Pure. */
import { bands, standing } from "../judge/result.ts";
import type { SiteState } from "../store/site-runs.ts";
import { isConfirmation, seenOn } from "./second-look.ts";

/** Smaller drops within a band are no event. They leave the reference as it is, so that many of them add up to one. */
const scoreDropMin = 5;

export interface ComparedScore {
  /** By measured address, without the limit for unread main defences. */
  readonly scores: ReadonlyMap<string, number>;
  /** Measured addresses that cannot be compared: they may lower the reference, and are no drop. */
  readonly begun: readonly string[];
  /** False if rules have changed what is measured. */
  readonly comparable: boolean;
  /** False if something had no verdict that may have lowered the score: then no rise is proven. */
  readonly complete: boolean;
  /** Whether everything was read that the doubted score was seen on. */
  readonly doubtRead: boolean;
}

export interface ScoreChange extends Pick<SiteState, "score" | "doubtedScore"> {
  /** The reference before the drop; null without a confirmed drop. */
  readonly droppedFrom: number | null;
  /** Score of a drop, if addresses cannot be compared that may be lower. */
  readonly droppedTo?: number;
}

/** A drop counts when a second run confirms it; a rise counts at once. */
export function changeOfScore(
  known: Pick<SiteState, "score" | "doubtedScore">,
  { begun, ...given }: ComparedScore,
  now: Date,
): ScoreChange {
  if (begun.length === 0) return changeOfCompared(known, given, now);
  const scores = new Map([...given.scores].filter(([url]) => !begun.includes(url)));
  const change = changeOfCompared(known, { ...given, scores }, now);
  const reference = Math.min(change.score, ...begun.flatMap((url) => given.scores.get(url) ?? []));
  const { doubtedScore } = change;
  const isDoubted = doubtedScore !== null && isDrop(reference, doubtedScore.score);
  return { ...change, score: reference, doubtedScore: isDoubted ? doubtedScore : null, droppedTo: Math.min(...scores.values()) };
}

function changeOfCompared(
  { score: reference, doubtedScore }: Pick<SiteState, "score" | "doubtedScore">,
  { comparable, complete, doubtRead, scores }: Omit<ComparedScore, "begun">,
  now: Date,
): ScoreChange & { readonly score: number } {
  const score = Math.min(...scores.values());
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
