/** State of a ledger row as reports show it. */
import { type State, states } from "../check/check.ts";
import { isNote, type LedgerRow } from "../judge/result.ts";

/** `note`: violated, but of a check that has no effect on the score. */
export type ShownState = State | "note";
export const shownStates: readonly ShownState[] = states.flatMap((state) => (state === "violated" ? [state, "note" as const] : [state]));

export function shownStateOf(row: LedgerRow): ShownState {
  return isNote(row) ? "note" : row.state;
}

export function countShownStates(rows: readonly LedgerRow[]): Readonly<Record<ShownState, number>> {
  const count = (state: ShownState) => rows.filter((row) => shownStateOf(row) === state).length;
  return {
    passed: count("passed"),
    violated: count("violated"),
    note: count("note"),
    notChecked: count("notChecked"),
    notApplicable: count("notApplicable"),
  };
}
