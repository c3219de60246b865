/** Parts that most pages have, with texts by their keys: sections with a heading, messages, and tables of records. */
import type { ComponentChildren, ComponentProps } from "preact";
import { type Column, DataTable, Section } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";
import { type PageText, textOf } from "./forms.tsx";

interface PageSectionProps {
  /** Id of the heading. */
  readonly id: string;
  readonly title: PageText;
  readonly children: ComponentChildren;
}

export function PageSection({ id, title, children }: PageSectionProps) {
  return (
    <Section id={id} title={textOf(useVisit(), title)}>
      {children}
    </Section>
  );
}

interface AlertProps extends Pick<ComponentProps<typeof Notice>, "kind"> {
  readonly children: ComponentChildren;
}

/** Message on what the visitor did, announced at once by screen readers. Null without one. */
export function Alert({ kind = "info", children }: AlertProps) {
  return children === null || children === undefined ? null : (
    <Notice kind={kind} alert>
      <p>{children}</p>
    </Notice>
  );
}

interface RecordColumn<R> extends Omit<Column, "label"> {
  readonly label: TextPath;
  /** Null leaves the cell empty. */
  readonly cell: (row: R, at: number) => ComponentChildren;
}

interface RecordTableProps<R> {
  /** Same as the heading above: only for screen readers. */
  readonly caption: PageText;
  readonly rows: readonly R[];
  readonly columns: readonly RecordColumn<R>[];
}

export function RecordTable<R>({ caption, rows, columns }: RecordTableProps<R>) {
  const visit = useVisit();
  const labelled = columns.map(({ label, ...column }) => ({ ...column, label: visit.i18n.t(label) }));
  return <DataTable caption={textOf(visit, caption)} captionUnseen rows={rows} columns={labelled} />;
}
