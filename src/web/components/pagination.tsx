/** The way through a list that is read from the newest on, a page at a time. */
import { useI18n } from "../context.ts";

interface PaginationProps {
  /** Own path of the list's beginning; null when this is it. */
  readonly first: string | null;
  /** Own path of what follows; null at the end. */
  readonly next: string | null;
}

/** Nothing at all where the list has one page. */
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
