/** Parts of a page whose headings and labels are texts of the locale: sections and tables. */
import type { ComponentChildren } from "preact";
import { DataTable } from "../../report/components/layout.tsx";
import type { TextValues } from "../../text/i18n.ts";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";

interface SectionProps {
  /** Id of the heading. */
  readonly id: string;
  /** Id of the section, for links that lead to it. */
  readonly anchor?: string;
  readonly title: TextPath;
  /** Placeholder values of the title. */
  readonly values?: TextValues;
  readonly children: ComponentChildren;
}

/** Section with its heading. */
export function PageSection({ id, anchor, title, values, children }: SectionProps) {
  const { i18n } = useVisit();
  return (
    <section {...(anchor === undefined ? {} : { id: anchor })} aria-labelledby={id}>
      <h2 id={id}>{i18n.t(title, values)}</h2>
      {children}
    </section>
  );
}

type Cell<R> = (row: R) => ComponentChildren;

/** A column is its cell, or a cell with what is special about the column. */
type TextColumn<R> = Cell<R> | { readonly cell: Cell<R>; readonly numeric?: boolean; readonly unseen?: boolean };

interface TextTableProps<R> {
  readonly caption: TextPath;
  /** Default true: most tables stand below a heading with the same text. */
  readonly captionUnseen?: boolean;
  readonly rows: readonly R[];
  readonly rowId?: (row: R) => string;
  /** In their order, by the path of their label. A cell that is null is empty; a column that is undefined is left out. */
  readonly columns: { readonly [P in TextPath]?: TextColumn<R> | undefined };
}

/** Table of one row per item. */
export function TextTable<R>({ caption, captionUnseen = true, columns, ...rows }: TextTableProps<R>) {
  const { i18n } = useVisit();
  const shown = Object.entries(columns).flatMap(([path, column]) => {
    const label = i18n.t(path as TextPath);
    if (column === undefined) return [];
    return [typeof column === "function" ? { label, cell: column } : { label, ...column }];
  });
  return <DataTable caption={i18n.t(caption)} captionUnseen={captionUnseen} columns={shown} {...rows} />;
}
