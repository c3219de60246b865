/** Submit button of a form. */
import type { ComponentChildren } from "preact";

export interface SubmitButtonProps {
  /** `primary`: main action of the page; `danger`: irreversible; `plain`: any other. */
  readonly kind?: "primary" | "danger" | "plain";
  /** Smaller, for table rows. */
  readonly compact?: boolean;
  /** Sent with the form. */
  readonly name?: string;
  readonly value?: string;
  /** Accessible name where several buttons of a page have the same text. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function SubmitButton({ kind = "primary", compact = false, label, children, ...rest }: SubmitButtonProps) {
  return (
    <button type="submit" class={compact ? `${kind} compact` : kind} {...(label === undefined ? {} : { "aria-label": label })} {...rest}>
      {children}
    </button>
  );
}
