/** Where a list has nothing to show: says so, and what to do about it. */
import type { ComponentChildren } from "preact";

interface EmptyStateProps {
  readonly title: string;
  /** A sentence, and perhaps `<p class="actions">` with a link. */
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
