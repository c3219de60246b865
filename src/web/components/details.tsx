/** What only some want to read: folded on the screen, open on paper. */
import type { ComponentChildren } from "preact";

interface DetailsProps {
  readonly summary: ComponentChildren;
  /** Opens by itself when the address names it. */
  readonly id?: string;
  readonly open?: boolean;
  readonly children: ComponentChildren;
}

export function Details({ summary, open = false, children, ...rest }: DetailsProps) {
  return (
    <details open={open} {...rest}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
