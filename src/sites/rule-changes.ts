/** What in a run cannot be compared with earlier runs, because rules or data files have changed. Pure. */
import type { RunRules, SiteState } from "../store/site-runs.ts";
import type { MeasuredReading } from "./run-reading.ts";

/** Checks whose findings begin anew with a run, without events; `all`: the run begins a new baseline. */
export type SilentChecks = "all" | ReadonlySet<string>;

export function isSilent(silent: SilentChecks, checkKey: string): boolean {
  return silent === "all" || silent.has(checkKey);
}

/**
 * All checks in the first run, and with another catalog, algorithm, header limit or public suffix list.
 * After a change of another data file: the checks that use it. Also checks that have a verdict for the first time.
 */
export function silentChecksOf(state: SiteState, reading: MeasuredReading): SilentChecks {
  // Rows of earlier releases may have no addresses.
  const dataNames = state.rules === null || state.addresses === undefined ? null : changedDataOf(state.rules, reading.rules);
  if (dataNames === null) return "all";
  const unread = new Set(state.unread);
  const keys = [...reading.checks].filter(([key, { evidence }]) => unread.has(key) || dataNames.some((name) => evidence.has(name)));
  return new Set(keys.map(([key]) => key));
}

/** Rules after a run. A data file that this run did not use keeps the date of the last run that used it. */
export function rulesAfter({ rules }: SiteState, { rules: read }: MeasuredReading, silent: SilentChecks): RunRules {
  if (silent === "all" || read.basis === undefined) return read;
  return { ...read, basis: { ...read.basis, dataDates: { ...rules?.basis?.dataDates, ...read.basis.dataDates } } };
}

/** Checks that have had no verdict on any address since the baseline. */
export function unreadAfter({ unread = [] }: SiteState, { checks }: MeasuredReading, silent: SilentChecks): readonly string[] {
  const known = silent === "all" ? [...checks.keys()] : unread;
  return known.filter((key) => (checks.get(key)?.decidedUrls.size ?? 0) === 0);
}

/** Data files with another date, if nothing else differs; else null. */
function changedDataOf(before: RunRules, after: RunRules): readonly string[] | null {
  if (before.algorithmVersion !== after.algorithmVersion || before.catalogVersion !== after.catalogVersion) return null;
  if (before.basis === undefined || after.basis === undefined) return before.basis === after.basis ? [] : null;
  const [earlier, later] = [before.basis.dataDates, after.basis.dataDates];
  // Every scan uses a public suffix list: without a date the embedded one.
  const sameBasis = before.basis.headerValueCharsMax === after.basis.headerValueCharsMax && earlier.publicSuffixes === later.publicSuffixes;
  return sameBasis ? Object.keys(later).filter((name) => earlier[name] !== undefined && earlier[name] !== later[name]) : null;
}
