/** Sums of the weights behind a score of algorithm version 2: the share of the passed weight. */
import type { StoredResult } from "../judge/result.ts";

export interface Points {
  readonly passed: number;
  /** Weight of all checks that ran. */
  readonly ran: number;
  /** Weight of applicable checks that did not run. */
  readonly notChecked: number;
}

/** Null for results of older versions, which store no weights. */
export function pointsOf({ ledger }: StoredResult): Points | null {
  if (ledger.some(({ weight }) => weight === undefined)) return null;
  const sum = (...states: readonly string[]) =>
    ledger.filter((row) => states.includes(row.state)).reduce((total, { weight = 0 }) => total + weight, 0);
  return { passed: sum("passed"), ran: sum("passed", "violated"), notChecked: sum("notChecked") };
}

/** Score by weights alone, 0 to 100; null if nothing ran. */
export function passedPercent({ passed, ran }: Points): number | null {
  return ran === 0 ? null : Math.round((100 * passed) / ran);
}
