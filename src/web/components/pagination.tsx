/** The way through a list that is read from the newest on, a page at a time. */
import { useWords } from "../context.ts";

interface PaginationProps {
  /** Own path of the list's beginning; null when this is it. */
  readonly first: string | null;
  /** Own path of what follows; null at the end. */
  readonly next: string | null;
}

/** Nothing at all where the list has one page. */
export function Pagination({ first, next }: PaginationProps) {
  const words = useWords();
  if (first === null && next === null) return null;
  return (
    <nav class="pagination" aria-label={words.say("components.pages.label")}>
      {first === null ? (
        <span />
      ) : (
        <a class="button" href={first}>
          {words.say("components.pages.first")}
        </a>
      )}
      {next !== null && (
        <a class="button" href={next} rel="next">
          {words.say("components.pages.next")}
        </a>
      )}
    </nav>
  );
}
