/** Check state as mark, text and colour. */
import type { ShownState } from "../../text/ledger-rows.ts";
import { capitalised } from "../../text/translator.ts";
import { useI18n } from "../context.ts";

/** The mark is drawn by the style sheet: a report has dozens of labels, and drawn icons would be half of its elements. */
const styles = {
  passed: ["", "good"],
  violated: ["!", "poor"],
  note: ["i", "unknown"],
  notChecked: ["?", "unknown"],
  notApplicable: ["\u2013", "unknown"],
} as const satisfies Record<ShownState, readonly [string, string]>;

export function StateLabel({ state }: { readonly state: ShownState }) {
  return <MarkedText as={state} text={useI18n().state(state)} />;
}

interface MarkedTextProps {
  /** State whose mark and colour the text gets. */
  readonly as: ShownState;
  readonly text: string;
}

export function MarkedText({ as, text }: MarkedTextProps) {
  const [mark, colour] = styles[as];
  return (
    <span class={`state ${colour}`} data-mark={mark}>
      {capitalised(text, useI18n())}
    </span>
  );
}
