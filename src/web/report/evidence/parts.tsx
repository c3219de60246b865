/** The pieces that all parts of the evidence are made of: readings that gave nothing, header fields, text records, lists that end. */
import type { ComponentChildren } from "preact";
import type { Reading } from "../../../evidence/evidence.ts";
import type { HeaderField, TextRecords } from "../../../evidence/facts.ts";
import { Foreign, ForeignLines } from "../../components/foreign.tsx";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { useWords } from "../../context.ts";
import { failureText } from "./reading-words.ts";

/** How much of each is shown; the whole is in the JSON. A page has to stay small whatever a site sends. */
export const shown = {
  headerFieldsMax: 60,
  lineCharsMax: 300,
  rowsMax: 30,
  recordsMax: 12,
  recordCharsMax: 600,
  bodyCharsMax: 3_000,
  namesMax: 24,
} as const;

interface ReadProps<F> {
  readonly reading: Reading<F>;
  readonly children: (facts: F) => ComponentChildren;
}

/** What a reading brought, or why there is nothing. */
export function Read<F>({ reading, children }: ReadProps<F>) {
  const words = useWords();
  if (reading.status === "read") return <>{children(reading.facts)}</>;
  return (
    <p class="muted">
      {words.say("evidence.notRead")} {failureText(words, reading.because)}
    </p>
  );
}

/** A name and what it stands for, of a list of such. */
export function Entry({ name, children }: { readonly name: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** An address or another line of a site, as far as it tells something. */
export function ForeignLine({ children }: { readonly children: string }) {
  return <Foreign charsMax={shown.lineCharsMax}>{children}</Foreign>;
}

/** How many there are that are not shown, or were not kept. */
export function Others({ count }: { readonly count: number }) {
  const words = useWords();
  return count > 0 ? <p class="muted small">{words.count("evidence.others", count)}</p> : null;
}

interface HeaderTableProps {
  readonly caption: string;
  readonly headers: readonly HeaderField[];
  /** Fields that the scan did not keep. */
  readonly dropped: number;
}

export function HeaderTable({ caption, headers, dropped }: HeaderTableProps) {
  const words = useWords();
  const fields = headers.slice(0, shown.headerFieldsMax);
  if (fields.length === 0) return <p class="muted">{words.say("evidence.headers.none")}</p>;
  return (
    <>
      <Table
        caption={caption}
        captionUnseen
        columns={[{ label: words.say("evidence.headers.name"), header: true }, { label: words.say("evidence.headers.value") }]}
      >
        <RowGroup>
          {fields.map(({ name, value, truncated }, at) => (
            <Row
              key={String(at)}
              cells={[
                <Foreign key="name">{name}</Foreign>,
                <span key="value" class="mono">
                  <Foreign>{value}</Foreign> <Cut truncated={truncated} />
                </span>,
              ]}
            />
          ))}
        </RowGroup>
      </Table>
      <Others count={headers.length - fields.length + dropped} />
    </>
  );
}

/** Marks what came longer than a scan keeps. */
export function Cut({ truncated }: { readonly truncated: boolean }) {
  const words = useWords();
  return truncated ? <span class="muted">{words.say("evidence.cut")}</span> : null;
}

interface RecordsAnswer extends Pick<TextRecords, "nameExists" | "records"> {
  readonly recordsDropped?: number;
}

interface RecordsProps {
  /** Each name that was asked, and what came back. */
  readonly asked: readonly { readonly name: string; readonly answer: Reading<RecordsAnswer> }[];
}

/** The records at each name. */
export function Records({ asked }: RecordsProps) {
  if (asked.length === 0) return null;
  return (
    <dl class="records">
      {asked.map(({ name, answer }, at) => (
        <Entry key={String(at)} name={<Foreign>{name}</Foreign>}>
          <Read reading={answer}>{(facts) => <RecordList answer={facts} />}</Read>
        </Entry>
      ))}
    </dl>
  );
}

function RecordList({ answer: { nameExists, records, recordsDropped = 0 } }: { readonly answer: RecordsAnswer }) {
  const words = useWords();
  if (records.length === 0) return <span class="muted">{words.say(nameExists ? "evidence.dns.noRecords" : "evidence.dns.noName")}</span>;
  return (
    <>
      <ul class="plain mono">
        {records.slice(0, shown.recordsMax).map(({ text, truncated }, at) => (
          <li key={String(at)}>
            <Foreign charsMax={shown.recordCharsMax}>{text}</Foreign> <Cut truncated={truncated} />
          </li>
        ))}
      </ul>
      <Others count={Math.max(0, records.length - shown.recordsMax) + recordsDropped} />
    </>
  );
}

/** A small text file as it came; nothing where it is empty. */
export function FileBody({ body, truncated }: { readonly body: string; readonly truncated: boolean }) {
  if (body === "") return null;
  return (
    <>
      <ForeignLines charsMax={shown.bodyCharsMax}>{body}</ForeignLines>
      <Cut truncated={truncated} />
    </>
  );
}
