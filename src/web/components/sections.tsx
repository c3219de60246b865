/** Parts that most pages have: sections with a heading, messages, and tables of records. */
import type { ComponentChildren, ComponentProps } from "preact";
import { type Column, DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";
import { type PageText, textOf } from "./forms.tsx";

interface PageSectionProps {
  /** Id of the heading. */
  readonly id: string;
  /** Id of the section, for links that lead to it. */
  readonly anchor?: string;
  readonly title: PageText;
  readonly children: ComponentChildren;
}

export function PageSection({ id, anchor, title, children }: PageSectionProps) {
  return (
    <section {...(anchor !== undefined && { id: anchor })} aria-labelledby={id}>
      <h2 id={id}>{textOf(useVisit(), title)}</h2>
      {children}
    </section>
  );
}

interface AlertProps extends Pick<ComponentProps<typeof Notice>, "kind"> {
  readonly children: ComponentChildren;
}

/** Message on what the visitor did, announced at once by screen readers. Null without one. */
export function Alert({ kind = "info", children }: AlertProps) {
  return children === null || children === undefined ? null : <Notice kind={kind} alert text={children} />;
}

/** English text of a program. */
export function EnglishQuote({ children }: { readonly children: string }) {
  return (
    <q lang="en" {...untranslated}>
      {children}
    </q>
  );
}

/** Sentence on what a plan includes, with the link to all plans. */
export function PlanLimit({ text }: { readonly text: string }) {
  return (
    <>
      {text} <a href="/plans">{useVisit().i18n.t("tokens.plans")}</a>
    </>
  );
}

interface EmptyStateProps {
  readonly title: string;
  readonly text?: string;
  /** Optional `<p class="actions">`. */
  readonly children?: ComponentChildren;
}

/** Message in place of an empty list, with the next step. */
export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

type Cell<R> = (row: R, at: number) => ComponentChildren;

/** A column is its cell, or a cell with what is special about the column. */
type TextColumn<R> = Cell<R> | (Omit<Column, "label"> & { readonly cell: Cell<R> });

interface TextTableProps<R> {
  readonly caption: PageText;
  /** Default true: most tables stand below a heading with the same text. */
  readonly captionUnseen?: boolean;
  readonly rows: readonly R[];
  readonly rowId?: (row: R) => string;
  /** In their order, by the path of their label. A cell that is null is empty; a column that is undefined is left out. */
  readonly columns: { readonly [P in TextPath]?: TextColumn<R> | undefined };
}

/** Table of one row per item, whose columns are named by the paths of their labels. */
export function TextTable<R>({ caption, captionUnseen = true, columns, ...rows }: TextTableProps<R>) {
  const visit = useVisit();
  const shown = Object.entries(columns).flatMap(([path, column]) => {
    const label = visit.i18n.t(path as TextPath);
    if (column === undefined) return [];
    return [typeof column === "function" ? { label, cell: column } : { label, ...column }];
  });
  return <DataTable caption={textOf(visit, caption)} captionUnseen={captionUnseen} columns={shown} {...rows} />;
}
