/** Check state as icon, text and colour. */
import type { State } from "../../check/check.ts";
import { useI18n } from "../context.ts";
import { Icon, type IconName } from "./icon.tsx";

const styles = {
  passed: ["tick", "good"],
  violated: ["warning", "poor"],
  notChecked: ["question", "unknown"],
  notApplicable: ["dash", "unknown"],
} as const satisfies Record<State, readonly [IconName, string]>;

export function StateLabel({ state }: { readonly state: State }) {
  const i18n = useI18n();
  const [mark, colour] = styles[state];
  return (
    <span class={`state ${colour}`}>
      <Icon name={mark} />
      <span class="word">{i18n.state(state)}</span>
    </span>
  );
}
