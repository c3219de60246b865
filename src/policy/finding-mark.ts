/** What the policy of a caller says about one finding. The score is never touched. */

/** An accepted finding. */
export interface Acceptance {
  /** Why the finding is accepted; never empty. */
  readonly reason: string;
  /** Last day on which it is accepted, `YYYY-MM-DD`; null for no end. */
  readonly until: string | null;
}

export interface FindingMark {
  /** Null if the finding counts. */
  readonly accepted: Acceptance | null;
  /** Whether the baseline has the finding; `unknown` if its program could not report it yet, null without a baseline. */
  readonly inBaseline: boolean | "unknown" | null;
}

/** Marks by finding code. A code without a mark is neither accepted nor in a baseline. */
export type FindingMarks = ReadonlyMap<string, FindingMark>;
