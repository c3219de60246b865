/** Message in place of an empty list, with the next step. */
import type { ComponentChildren } from "preact";

interface EmptyStateProps {
  readonly title: string;
  /** Optional sentence and `<p class="actions">`. */
  readonly children?: ComponentChildren;
}

export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}
