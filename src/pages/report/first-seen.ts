/** Since when a finding stands, by the earlier scans of the same URL that are looked at. */
import type { StoredFinding, StoredResult } from "../../judge/result.ts";

export interface EarlierResult {
  /** When that scan ended; ISO 8601, UTC. */
  readonly at: string;
  readonly token: string;
  readonly result: StoredResult;
}

export type FirstSeen =
  /** The scan before this one looked, and it was not there. */
  | { readonly seen: "now" }
  /** Since that scan, without a break; `orEarlier` when no scan that is looked at was without it. */
  | { readonly seen: "before"; readonly at: string; readonly token: string; readonly orEarlier: boolean };

/** `earlier`: newest first. Null when no earlier scan looked. One that did not run the check says nothing either way. */
export function firstSeen(
  { code, checkKey }: Pick<StoredFinding, "code" | "checkKey">,
  earlier: readonly EarlierResult[],
): FirstSeen | null {
  const looked = earlier.filter(({ result }) => result.ledger.some((row) => row.key === checkKey && row.state !== "notChecked"));
  const without = looked.findIndex(({ result }) => !result.findings.some((finding) => finding.code === code));
  if (looked.length === 0) return null;
  const oldest = looked[(without < 0 ? looked.length : without) - 1];
  return oldest === undefined ? { seen: "now" } : { seen: "before", at: oldest.at, token: oldest.token, orEarlier: without < 0 };
}
