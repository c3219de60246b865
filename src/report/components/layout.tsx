/** Tables and sections. */
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

interface DataTableProps<R> extends CaptionProps {
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
  /** Attribute for client scripts that filter. */
  readonly area?: string;
  readonly hidden?: boolean;
  readonly children: ComponentChildren;
}

export function RowGroup({ label, area, hidden = false, children }: RowGroupProps) {
  const columns = useContext(Columns);
  return (
    <tbody hidden={hidden} {...(area === undefined ? {} : { "data-area": area })}>
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
  /** Attribute for client scripts that filter. */
  readonly state?: string;
  readonly hidden?: boolean;
  /** One per column; null leaves the cell empty. */
  readonly cells: readonly ComponentChildren[];
}

export function Row({ id, state, hidden = false, cells }: RowProps) {
  const columns = useContext(Columns);
  const headerAt = Math.max(
    columns.findIndex(({ header }) => header === true),
    0,
  );
  return (
    <tr hidden={hidden} {...(id === undefined ? {} : { id })} {...(state === undefined ? {} : { "data-state": state })}>
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

interface DetailsProps {
  readonly summary: ComponentChildren;
  /** Fragment target that opens the section. */
  readonly id?: string;
  readonly open?: boolean;
  readonly children: ComponentChildren;
}

export function Details({ summary, open = false, children, ...rest }: DetailsProps) {
  return (
    <details open={open} {...rest}>
      <summary>{summary}</summary>
      {children}
    </details>
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
