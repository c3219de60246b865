/** Where a score comes from: points that were passed, and what holds it down. */
import type { StoredResult } from "../../judge/result.ts";

export interface Points {
  readonly passed: number;
  /** Of all checks that ran. */
  readonly ran: number;
  /** Of those that apply and did not run. */
  readonly notChecked: number;
}

/** Null for results from before weights were kept. */
export function pointsOf({ ledger }: StoredResult): Points | null {
  if (ledger.some(({ weight }) => weight === undefined)) return null;
  const sum = (...states: readonly string[]) =>
    ledger.filter((row) => states.includes(row.state)).reduce((total, { weight = 0 }) => total + weight, 0);
  return { passed: sum("passed"), ran: sum("passed", "violated"), notChecked: sum("notChecked") };
}

/** What the points alone give, 0 to 100; null where nothing ran. */
export function shareOf({ passed, ran }: Points): number | null {
  return ran === 0 ? null : Math.round((100 * passed) / ran);
}
