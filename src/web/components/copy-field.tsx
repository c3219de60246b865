/** Read-only value with a copy button. */
import type { ComponentChildren } from "preact";
import { untranslated } from "../../report/components/untrusted-text.tsx";

interface CopyFieldProps {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly value: string;
  /** Button text before and after copying. */
  readonly copy: string;
  readonly copied: string;
}

export function CopyField({ id, label, value, copy, copied }: CopyFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="with-button">
        <input id={id} type="text" readOnly value={value} {...untranslated} />
        <button type="button" class="primary" data-copy={`#${id}`} data-copied={copied} hidden>
          {copy}
        </button>
      </div>
    </div>
  );
}
