/** Head of a page, tabs between related pages, and links between the pages of a list. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../../report/context.ts";

interface Crumb {
  readonly href: string;
  readonly text: string;
}

interface PageHeadProps {
  readonly title: ComponentChildren;
  /** Short text below the heading. */
  readonly lead?: ComponentChildren;
  /** Ancestor pages, outermost first. */
  readonly breadcrumbs?: readonly Crumb[];
  /** For the home page. */
  readonly large?: boolean;
  readonly children?: ComponentChildren;
}

/** Breadcrumbs, the only `h1`, lead and actions. */
export function PageHead({ title, lead, breadcrumbs = [], large = false, children }: PageHeadProps) {
  return (
    <>
      {breadcrumbs.length > 0 && <Breadcrumb breadcrumbs={breadcrumbs} />}
      <div class={large ? "page-head large" : "page-head"}>
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {children !== undefined && <div class="actions">{children}</div>}
      </div>
    </>
  );
}

function Breadcrumb({ breadcrumbs }: { readonly breadcrumbs: readonly Crumb[] }) {
  return (
    <nav class="breadcrumb" aria-label={useI18n().t("components.breadcrumb")}>
      <ol>
        {breadcrumbs.map(({ href, text }) => (
          <li key={href}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface TabLink {
  readonly href: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** Tabs between related pages; the current one is marked. */
export function Tabs({ label, links }: { readonly label: string; readonly links: readonly TabLink[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {links.map(({ href, text, isCurrent }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? "page" : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface PaginationProps {
  /** Where this page begins; null for the first page. */
  readonly cursor: number | null;
  /** Where the next page begins; null at the end. */
  readonly next: number | null;
  readonly pathOf: (cursor: number | null) => string;
}

/** Pagination of lists that start at the newest item. Null for a single page. */
export function Pagination({ cursor, next, pathOf }: PaginationProps) {
  const i18n = useI18n();
  if (cursor === null && next === null) return null;
  return (
    <nav class="pagination" aria-label={i18n.t("components.pages.label")}>
      {cursor === null ? (
        <span />
      ) : (
        <a class="button" href={pathOf(null)}>
          {i18n.t("components.pages.first")}
        </a>
      )}
      {next !== null && (
        <a class="button" href={pathOf(next)} rel="next">
          {i18n.t("components.pages.next")}
        </a>
      )}
    </nav>
  );
}

interface NumberedPagesProps {
  /** Page number, 1 for the first one. */
  readonly page: number;
  readonly pages: number;
  readonly hrefOf: (page: number) => string;
}

/** Pagination of lists of known length: the first page, the last one, and those around this one. Null for a single page. */
export function NumberedPages({ page, pages, hrefOf }: NumberedPagesProps) {
  const i18n = useI18n();
  if (pages === 1) return null;
  const numbers = [...new Set([1, page - 1, page, page + 1, pages])].filter((number) => number >= 1 && number <= pages);
  return (
    <nav class="numbered" aria-label={i18n.t("components.pages.label")}>
      <ol>
        {numbers.map((number, at) => (
          <li key={number}>
            {at > 0 && number - (numbers[at - 1] ?? 0) > 1 && <span class="muted">{"\u2026"}</span>}
            <a
              id={`page-${number}`}
              href={hrefOf(number)}
              rel={number === page - 1 ? "prev" : number === page + 1 ? "next" : undefined}
              aria-label={i18n.t("components.pages.number", { page: i18n.number(number) })}
              aria-current={number === page ? "page" : undefined}
            >
              {i18n.number(number)}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
