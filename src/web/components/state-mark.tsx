/** The state of a check: shape, word and colour. */
import type { State } from "../../check/check.ts";
import { useWords } from "../context.ts";
import { Mark, type MarkName } from "./mark.tsx";

const looks = {
  passed: ["tick", "good"],
  violated: ["warning", "poor"],
  notChecked: ["question", "unknown"],
  notApplicable: ["dash", "unknown"],
} as const satisfies Record<State, readonly [MarkName, string]>;

export function StateMark({ state }: { readonly state: State }) {
  const words = useWords();
  const [mark, colour] = looks[state];
  return (
    <span class={`state ${colour}`}>
      <Mark name={mark} />
      <span class="word">{words.state(state)}</span>
    </span>
  );
}
