/** Tables that become cards on narrow screens: each cell knows the name of its column. */
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";

export interface Column {
  readonly label: string;
  /** Figures, which stand to the right. */
  readonly numeric?: boolean;
  /** Names the row; the first column does when none is marked. */
  readonly header?: boolean;
  /** The column's name is read out but not shown. */
  readonly unseen?: boolean;
}

const Columns = createContext<readonly Column[]>([]);

interface TableProps {
  readonly caption: string;
  /** Read out but not shown: where a heading above says the same. */
  readonly captionUnseen?: boolean;
  readonly columns: readonly Column[];
  /** `RowGroup`s. */
  readonly children: ComponentChildren;
}

export function Table({ caption, captionUnseen = false, columns, children }: TableProps) {
  return (
    <Columns.Provider value={columns}>
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
    </Columns.Provider>
  );
}

interface RowGroupProps {
  /** Heading of the group: a row of its own. */
  readonly label?: ComponentChildren;
  /** For scripts that filter. */
  readonly area?: string;
  /** There, and not shown. */
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
  /** For scripts that filter. */
  readonly state?: string;
  readonly hidden?: boolean;
  /** One for each column; null leaves it empty. */
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
        const given = { ...(numeric ? { class: "num" } : {}), ...(unseen || at === headerAt ? {} : { "data-label": label }) };
        return at === headerAt ? (
          <th key={label} scope="row" {...given}>
            {cells[at]}
          </th>
        ) : (
          <td key={label} {...given}>
            {cells[at] === undefined || cells[at] === null ? null : <div>{cells[at]}</div>}
          </td>
        );
      })}
    </tr>
  );
}
