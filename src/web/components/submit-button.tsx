/** The button that sends a form. */
import type { ComponentChildren } from "preact";

interface SubmitButtonProps {
  /** `primary`: the one thing that the page is for; `danger`: what cannot be undone; `plain`: everything else. */
  readonly kind?: "primary" | "danger" | "plain";
  /** Small, for a row of a table. */
  readonly compact?: boolean;
  /** Sent with the form. */
  readonly name?: string;
  readonly value?: string;
  /** Says more than the button's text where several on a page read the same. */
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
