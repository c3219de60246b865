/** Pagination of lists that start at the newest item. */
import { useI18n } from "../../report/context.ts";

interface PaginationProps {
  /** Path of the first page; null if this is it. */
  readonly first: string | null;
  /** Path of the next page; null at the end. */
  readonly next: string | null;
}

/** Null for a single page. */
export function Pagination({ first, next }: PaginationProps) {
  const i18n = useI18n();
  if (first === null && next === null) return null;
  return (
    <nav class="pagination" aria-label={i18n.t("components.pages.label")}>
      {first === null ? (
        <span />
      ) : (
        <a class="button" href={first}>
          {i18n.t("components.pages.first")}
        </a>
      )}
      {next !== null && (
        <a class="button" href={next} rel="next">
          {i18n.t("components.pages.next")}
        </a>
      )}
    </nav>
  );
}
