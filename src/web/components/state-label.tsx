/** Check state as icon, text and colour. */
import type { ShownState } from "../../text/row-state.ts";
import { useI18n } from "../context.ts";
import { Icon, type IconName } from "./icon.tsx";

const styles = {
  passed: ["tick", "good"],
  violated: ["warning", "poor"],
  note: ["info", "unknown"],
  notChecked: ["question", "unknown"],
  notApplicable: ["dash", "unknown"],
} as const satisfies Record<ShownState, readonly [IconName, string]>;

export function StateLabel({ state }: { readonly state: ShownState }) {
  const i18n = useI18n();
  const [mark, colour] = styles[state];
  return (
    <span class={`state ${colour}`}>
      <Icon name={mark} />
      <span class="word">{i18n.state(state)}</span>
    </span>
  );
}
