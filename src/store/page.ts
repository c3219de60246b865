/** Lists that are read page by page, newest first. */

/** `cursor` is the id of the last item already seen; null begins at the newest. */
export interface PageAsked {
  readonly limit: number;
  readonly cursor: number | null;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** To be handed back for the page after this one; null when this was the last. */
  readonly nextCursor: number | null;
}

/** Cuts a page from items that were read one further than the limit. */
export function pageOf<T extends { readonly id: number }>(items: readonly T[], limit: number): Page<T> {
  const shown = items.slice(0, limit);
  return { items: shown, nextCursor: items.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
