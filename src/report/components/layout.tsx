/** Tables, lists of facts, and sections. */
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { useDocument } from "../context.ts";

export interface Column {
  readonly label: string;
  /** Right-aligned. */
  readonly numeric?: boolean;
  /** Row header; defaults to the first column. */
  readonly header?: boolean;
  /** Column name only for screen readers. */
  readonly unseen?: boolean;
}

/** Most columns of a table that fits a narrow screen; wider tables become cards earlier. */
const fewColumnsMax = 3;

const Columns = createContext<readonly Column[]>([]);

interface CaptionProps {
  readonly caption: string;
  /** Caption only for screen readers, where a heading has the same text. */
  readonly captionUnseen?: boolean;
}

interface TableProps extends CaptionProps {
  readonly columns: readonly Column[];
  /** `RowGroup` elements. */
  readonly children: ComponentChildren;
}

export function Table({ caption, captionUnseen = false, columns, children }: TableProps) {
  return (
    <Columns.Provider value={columns}>
      <div class={columns.length > fewColumnsMax ? "table wide" : "table"}>
        <table class="cards">
          <caption {...(captionUnseen ? { class: "unseen" } : {})}>{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ label, numeric = false, unseen = false }) => (
                <th key={label} scope="col" {...(numeric ? { class: "num" } : {})}>
                  {unseen ? <span class="unseen">{label}</span> : label}
                </th>
              ))}
            </tr>
          </thead>
          {children}
        </table>
      </div>
    </Columns.Provider>
  );
}

export interface DataTableProps<R> extends CaptionProps {
  /** Null leaves a cell empty. */
  readonly columns: readonly (Column & { readonly cell: (row: R, at: number) => ComponentChildren })[];
  readonly rows: readonly R[];
  readonly rowId?: (row: R) => string;
}

/** Table of one row per item. */
export function DataTable<R>({ columns, rows, rowId, ...caption }: DataTableProps<R>) {
  return (
    <Table columns={columns} {...caption}>
      <RowGroup>
        {rows.map((row, at) => (
          <Row key={String(at)} {...(rowId && { id: rowId(row) })} cells={columns.map(({ cell }) => cell(row, at))} />
        ))}
      </RowGroup>
    </Table>
  );
}

interface RowGroupProps {
  /** Heading row of the group. */
  readonly label?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function RowGroup({ label, children }: RowGroupProps) {
  const columns = useContext(Columns);
  return (
    <tbody>
      {label !== undefined && (
        <tr class="group">
          <th scope="rowgroup" colSpan={columns.length}>
            {label}
          </th>
        </tr>
      )}
      {children}
    </tbody>
  );
}

interface RowProps {
  readonly id?: string;
  /** One per column; null leaves the cell empty. */
  readonly cells: readonly ComponentChildren[];
}

export function Row({ cells, ...rest }: RowProps) {
  const columns = useContext(Columns);
  const markedAt = columns.findIndex(({ header }) => header === true);
  const headerAt = Math.max(markedAt, 0);
  return (
    <tr {...rest}>
      {columns.map(({ label, numeric = false, unseen = false }, at) => {
        const attributes = { ...(numeric ? { class: "num" } : {}), ...(unseen || at === headerAt ? {} : { "data-label": label }) };
        return at === headerAt ? (
          <th key={label} scope="row" {...attributes}>
            {cells[at]}
          </th>
        ) : (
          <td key={label} {...attributes}>
            {cells[at] === undefined || cells[at] === null ? null : <div>{cells[at]}</div>}
          </td>
        );
      })}
    </tr>
  );
}

interface FactRowProps {
  readonly name: ComponentChildren;
  /** Fragment target. */
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** A name with its value, in a `dl`. */
export function FactRow({ name, children, ...rest }: FactRowProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd {...rest}>{children}</dd>
    </>
  );
}

interface DetailsProps {
  readonly summary: ComponentChildren;
  /** Fragment target that opens the section. */
  readonly id?: string;
  readonly children: ComponentChildren;
}

export function Details({ summary, children, ...rest }: DetailsProps) {
  return (
    <details {...rest}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}

interface SectionProps {
  readonly title: ComponentChildren;
  /** Element id of the heading, which then names the section. */
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** Section of a page. */
export function Section({ title, id, children }: SectionProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface ReportSectionProps {
  /** Id of its heading within the report. */
  readonly headingId: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function ReportSection({ headingId, children, ...rest }: ReportSectionProps) {
  const { alone, idOf } = useDocument();
  return (
    <section {...rest} {...(alone ? { "aria-labelledby": idOf(headingId) } : {})}>
      {children}
    </section>
  );
}
