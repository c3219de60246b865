/** Compares two results: new, fixed, changed and unknown findings. */
import type { ResultBasis, StoredFinding, StoredResult } from "../judge/result.ts";
import { type ShownState, shownStateOf } from "./ledger-rows.ts";

/** Two findings of the same check and code with different values. */
export interface ChangedFinding {
  readonly before: StoredFinding;
  readonly after: StoredFinding;
}

interface ChangedCheck {
  readonly key: string;
  /** State in the result; null if its catalog lacked the check. */
  readonly before: ShownState | null;
  readonly after: ShownState | null;
}

export interface Comparison {
  /** Later score minus earlier one; null when either is missing. */
  readonly scoreDelta: number | null;
  /** If false, differences may come from checks, limits or data files rather than the site. */
  readonly sameRules: boolean;
  readonly appeared: readonly StoredFinding[];
  /** Present now, unknown before: the check had not run. */
  readonly newlyChecked: readonly StoredFinding[];
  readonly fixed: readonly StoredFinding[];
  /** Present before, unknown now: the check did not run. */
  readonly noLongerChecked: readonly StoredFinding[];
  readonly changed: readonly ChangedFinding[];
  readonly unchanged: readonly StoredFinding[];
  /** Checks by key. */
  readonly checks: readonly ChangedCheck[];
  readonly checksUnchanged: number;
}

/** Versions, limits and data that a result was judged with. */
export type Rules = Pick<StoredResult, "algorithmVersion" | "catalogVersion" | "basis">;

/** Scores are comparable only if true. */
export function sameRules(one: Rules, other: Rules): boolean {
  return (
    one.algorithmVersion === other.algorithmVersion && one.catalogVersion === other.catalogVersion && sameBasis(one.basis, other.basis)
  );
}

/** Compares only data files that both scans used: an unused file cannot change verdicts. Results of earlier releases have no plugins. */
function sameBasis(one: ResultBasis | undefined, other: ResultBasis | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const sameDates = Object.entries(one.dataDates).every(([name, date]) => (other.dataDates[name] ?? date) === date);
  const samePlugins = changedPluginsOf(one, other).length === 0;
  // Every scan uses a public suffix list: without a date the embedded one.
  const sameSuffixes = one.dataDates.publicSuffixes === other.dataDates.publicSuffixes;
  return one.headerValueCharsMax === other.headerValueCharsMax && sameDates && samePlugins && sameSuffixes;
}

/** Keys of plugin checks whose code changed. */
export function changedPluginsOf({ plugins = {} }: ResultBasis, { plugins: others = {} }: ResultBasis): readonly string[] {
  return Object.keys(plugins).filter((key) => others[key] !== undefined && others[key] !== plugins[key]);
}

type IsSameFinding = (one: StoredFinding, other: StoredFinding) => boolean;

/** `isSame` compares two findings of one check and code; by default by value. */
export function compareResults(
  before: StoredResult,
  after: StoredResult,
  isSame: IsSameFinding = (one, other) => JSON.stringify(one.values) === JSON.stringify(other.values),
): Comparison {
  const { pairs, gone, added } = matchFindings(before.findings, after.findings, isSame);
  const [newlyChecked, appeared] = partition(added, (finding) => !hasVerdict(before, finding.checkKey));
  const [noLongerChecked, fixed] = partition(gone, (finding) => !hasVerdict(after, finding.checkKey));
  const [unchanged, changed] = partition(pairs, (pair) => isSame(pair.before, pair.after));
  const rows = checkPairs(before, after);
  const checks = rows.filter((row) => row.before !== row.after);
  return {
    scoreDelta: before.score === null || after.score === null ? null : after.score - before.score,
    sameRules: sameRules(before, after),
    appeared,
    newlyChecked,
    fixed,
    noLongerChecked,
    changed,
    unchanged: unchanged.map((pair) => pair.after),
    checks,
    checksUnchanged: rows.length - checks.length,
  };
}

/** True if the check has a verdict in the result; `notApplicable` counts. */
function hasVerdict({ ledger }: StoredResult, key: string): boolean {
  return ledger.some((row) => row.key === key && row.state !== "notChecked");
}

/** A check may report one code several times: equal findings match first, then the rest in order. `gone`: earlier ones without a match. */
function matchFindings(before: readonly StoredFinding[], after: readonly StoredFinding[], isSame: IsSameFinding) {
  const gone = [...before];
  const pairs: ChangedFinding[] = [];
  const take = (finding: StoredFinding, matches: IsSameFinding) => {
    const at = gone.findIndex((other) => other.code === finding.code && other.checkKey === finding.checkKey && matches(other, finding));
    const [match] = at < 0 ? [] : gone.splice(at, 1);
    if (match !== undefined) pairs.push({ before: match, after: finding });
    return match !== undefined;
  };
  const changed = after.filter((finding) => !take(finding, isSame));
  const added = changed.filter((finding) => !take(finding, () => true));
  return { pairs, gone, added };
}

function checkPairs(before: StoredResult, after: StoredResult): readonly ChangedCheck[] {
  const states = ({ ledger }: StoredResult) => new Map(ledger.map((row) => [row.key, shownStateOf(row)]));
  const [earlier, later] = [states(before), states(after)];
  const keys = [...new Set([...earlier.keys(), ...later.keys()])].sort();
  return keys.map((key) => ({ key, before: earlier.get(key) ?? null, after: later.get(key) ?? null }));
}

function partition<T>(all: readonly T[], matches: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(matches), all.filter((one) => !matches(one))];
}
