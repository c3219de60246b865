/** The pieces that all parts of the evidence are made of: readings that gave nothing, header fields, text records, lists that end. */
import type { ComponentChildren } from "preact";
import type { Reading } from "../../../evidence/evidence.ts";
import type { HeaderField, TextRecords } from "../../../evidence/facts.ts";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { UntrustedLines, UntrustedText } from "../../components/untrusted-text.tsx";
import { useI18n } from "../../context.ts";
import { failureText } from "./reading-texts.ts";

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
  const i18n = useI18n();
  if (reading.status === "read") return <>{children(reading.facts)}</>;
  return (
    <p class="muted">
      {i18n.t("evidence.notRead")} {failureText(i18n, reading.because)}
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
export function UntrustedLine({ children }: { readonly children: string }) {
  return <UntrustedText charsMax={shown.lineCharsMax}>{children}</UntrustedText>;
}

/** How many there are that are not shown, or were not kept. */
export function Others({ count }: { readonly count: number }) {
  const i18n = useI18n();
  return count > 0 ? <p class="muted small">{i18n.count("evidence.others", count)}</p> : null;
}

interface HeaderTableProps {
  readonly caption: string;
  readonly headers: readonly HeaderField[];
  /** Fields that the scan did not keep. */
  readonly dropped: number;
}

export function HeaderTable({ caption, headers, dropped }: HeaderTableProps) {
  const i18n = useI18n();
  const fields = headers.slice(0, shown.headerFieldsMax);
  if (fields.length === 0) return <p class="muted">{i18n.t("evidence.headers.none")}</p>;
  return (
    <>
      <Table
        caption={caption}
        captionUnseen
        columns={[{ label: i18n.t("evidence.headers.name"), header: true }, { label: i18n.t("evidence.headers.value") }]}
      >
        <RowGroup>
          {fields.map(({ name, value, truncated }, at) => (
            <Row
              key={String(at)}
              cells={[
                <UntrustedText key="name">{name}</UntrustedText>,
                <span key="value" class="mono">
                  <UntrustedText>{value}</UntrustedText> <Cut truncated={truncated} />
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
  const i18n = useI18n();
  return truncated ? <span class="muted">{i18n.t("evidence.cut")}</span> : null;
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
        <Entry key={String(at)} name={<UntrustedText>{name}</UntrustedText>}>
          <Read reading={answer}>{(facts) => <RecordList answer={facts} />}</Read>
        </Entry>
      ))}
    </dl>
  );
}

function RecordList({ answer: { nameExists, records, recordsDropped = 0 } }: { readonly answer: RecordsAnswer }) {
  const i18n = useI18n();
  if (records.length === 0) return <span class="muted">{i18n.t(nameExists ? "evidence.dns.noRecords" : "evidence.dns.noName")}</span>;
  return (
    <>
      <ul class="plain mono">
        {records.slice(0, shown.recordsMax).map(({ text, truncated }, at) => (
          <li key={String(at)}>
            <UntrustedText charsMax={shown.recordCharsMax}>{text}</UntrustedText> <Cut truncated={truncated} />
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
      <UntrustedLines charsMax={shown.bodyCharsMax}>{body}</UntrustedLines>
      <Cut truncated={truncated} />
    </>
  );
}
