/** Collapsed section; printed open. */
import type { ComponentChildren } from "preact";

interface DetailsProps {
  readonly summary: ComponentChildren;
  /** Fragment target that opens the section. */
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
