/** Sets two results side by side: what is new, what is mended, what has changed, and what one of the two could not tell. */
import type { State } from "../check/check.ts";
import type { StoredFinding, StoredResult } from "../judge/result.ts";

/** Two findings of the same check and code that say different things. */
export interface ChangedFinding {
  readonly before: StoredFinding;
  readonly after: StoredFinding;
}

export interface ChangedCheck {
  readonly key: string;
  /** Null where the catalog of that result had no such check. */
  readonly before: State | null;
  readonly after: State | null;
}

export interface Comparison {
  /** Later score minus earlier one; null when either is missing. */
  readonly scoreDelta: number | null;
  /** By different rules, different scores and findings say little about the site. */
  readonly sameRules: boolean;
  readonly appeared: readonly StoredFinding[];
  /** There before, and not known to be there before: its check had not run. */
  readonly firstLookedAt: readonly StoredFinding[];
  readonly fixed: readonly StoredFinding[];
  /** There before, and now unknown: its check did not run, which mends nothing. */
  readonly noLongerLookedAt: readonly StoredFinding[];
  readonly changed: readonly ChangedFinding[];
  readonly unchanged: readonly StoredFinding[];
  /** By key. */
  readonly checks: readonly ChangedCheck[];
  readonly checksUnchanged: number;
}

/** By which a result was judged. */
export type Rules = Pick<StoredResult, "algorithmVersion" | "catalogVersion">;

/** Two scores compare only where this is true. */
export function sameRules(one: Rules, other: Rules): boolean {
  return one.algorithmVersion === other.algorithmVersion && one.catalogVersion === other.catalogVersion;
}

type SaysTheSame = (one: StoredFinding, other: StoredFinding) => boolean;

/** `saysTheSame` decides about two findings of one check and code; left out, their values do. */
export function compareResults(
  before: StoredResult,
  after: StoredResult,
  saysTheSame: SaysTheSame = (one, other) => JSON.stringify(one.values) === JSON.stringify(other.values),
): Comparison {
  const { pairs, gone, added } = matched(before.findings, after.findings, saysTheSame);
  const [firstLookedAt, appeared] = parted(added, (finding) => !answered(before, finding.checkKey));
  const [noLongerLookedAt, fixed] = parted(gone, (finding) => !answered(after, finding.checkKey));
  const [unchanged, changed] = parted(pairs, (pair) => saysTheSame(pair.before, pair.after));
  const rows = checkPairs(before, after);
  const checks = rows.filter((row) => row.before !== row.after);
  return {
    scoreDelta: before.score === null || after.score === null ? null : after.score - before.score,
    sameRules: sameRules(before, after),
    appeared,
    firstLookedAt,
    fixed,
    noLongerLookedAt,
    changed,
    unchanged: unchanged.map((pair) => pair.after),
    checks,
    checksUnchanged: rows.length - checks.length,
  };
}

/** Whether the result has the word of that check; `notApplicable` is one. */
function answered({ ledger }: StoredResult, key: string): boolean {
  return ledger.some((row) => row.key === key && row.state !== "notChecked");
}

interface Matched {
  readonly pairs: readonly ChangedFinding[];
  /** Of the earlier ones, those without a partner. */
  readonly gone: readonly StoredFinding[];
  readonly added: readonly StoredFinding[];
}

/** A check may report one code several times, so those that say the same find each other first, and the rest in their order. */
function matched(before: readonly StoredFinding[], after: readonly StoredFinding[], saysTheSame: SaysTheSame): Matched {
  const gone = [...before];
  const pairs: ChangedFinding[] = [];
  const take = (finding: StoredFinding, fits: SaysTheSame) => {
    const at = gone.findIndex((other) => other.code === finding.code && other.checkKey === finding.checkKey && fits(other, finding));
    const [partner] = at < 0 ? [] : gone.splice(at, 1);
    if (partner !== undefined) pairs.push({ before: partner, after: finding });
    return partner !== undefined;
  };
  const changed = after.filter((finding) => !take(finding, saysTheSame));
  const added = changed.filter((finding) => !take(finding, () => true));
  return { pairs, gone, added };
}

function checkPairs(before: StoredResult, after: StoredResult): readonly ChangedCheck[] {
  const states = ({ ledger }: StoredResult) => new Map(ledger.map((row) => [row.key, row.state]));
  const [earlier, later] = [states(before), states(after)];
  const keys = [...new Set([...earlier.keys(), ...later.keys()])].sort();
  return keys.map((key) => ({ key, before: earlier.get(key) ?? null, after: later.get(key) ?? null }));
}

function parted<T>(all: readonly T[], belongs: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}
