/** Building blocks of the evidence: names, failures, lists, tables, header fields, DNS records, counts of omitted rows. */

import type { ComponentChildren } from "preact";
import type { TextRecords } from "../../evidence/dns-facts.ts";
import { probeFailures, type Reading, read } from "../../evidence/evidence.ts";
import { isReadingName } from "../../evidence/facts.ts";
import type { HeaderField } from "../../evidence/http-facts.ts";
import type { ResultBasis } from "../../judge/result.ts";
import type { I18n } from "../../text/translator.ts";
import { DataTable, FactRow } from "../components/layout.tsx";
import { UntrustedLines, UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";

const ledgerReasons = ["header-truncated", "headers-dropped", "check-undecided", "check-failed"] as const;

export function failureText(i18n: I18n, because: string): string {
  const known = probeFailures.find((failure) => failure === because);
  return known === undefined ? i18n.t("evidence.failures.unknown", { because }) : i18n.t(`evidence.failures.${known}`);
}

export function readingName(i18n: I18n, name: string): string {
  return isReadingName(name) ? i18n.t(`evidence.readings.${name}`) : name;
}

/** Reason of a `notChecked` row: a reason of the ledger itself, or `<reading>: <failure>`. */
export function whyNotChecked(i18n: I18n, because: string | undefined, basis: ResultBasis | undefined): string {
  if (because === "header-truncated" && basis !== undefined)
    return i18n.t("evidence.reasons.headerLimit", { charsMax: i18n.number(basis.headerValueCharsMax) });
  if (because === undefined) return i18n.t("evidence.reasons.unknown");
  const ofLedger = ledgerReasons.find((reason) => reason === because);
  if (ofLedger !== undefined) return i18n.t(`evidence.reasons.${ofLedger}`);
  const [reading = "", failure = ""] = because.split(": ");
  return i18n.t("evidence.reasons.reading", { reading: readingName(i18n, reading), because: failureText(i18n, failure) });
}

/** Display limits: a page stays small for any site. The JSON report holds everything. */
export const displayLimits = {
  headerFieldsMax: 60,
  headerCharsMax: 1_000,
  lineCharsMax: 300,
  rowsMax: 30,
  recordsMax: 12,
  recordCharsMax: 600,
  bodyCharsMax: 3_000,
  namesMax: 24,
} as const;

interface ReadingContentProps<F> {
  readonly reading: Reading<F>;
  readonly children: (facts: F) => ComponentChildren;
}

/** Renders the facts of a reading, or the reason why it failed. */
export function ReadingContent<F>({ reading, children }: ReadingContentProps<F>) {
  const i18n = useI18n();
  if (reading.status === "read") return <>{children(reading.facts)}</>;
  return (
    <p class="muted">
      {i18n.t("evidence.notRead")} {failureText(i18n, reading.because)}
    </p>
  );
}

/** Text from the site. */
export function foreign(text: string, charsMax = Number.POSITIVE_INFINITY) {
  return <UntrustedText charsMax={charsMax}>{text}</UntrustedText>;
}

/** A URL or another short value from the site, cut at the display limit. */
export function line(text: string) {
  return foreign(text, displayLimits.lineCharsMax);
}

/** Items that a page shows, and the number of those that it omits or that the scan dropped. */
export function capped<T>(items: readonly T[], dropped: number, max: number = displayLimits.rowsMax) {
  const shown = items.slice(0, max);
  return { shown, omitted: items.length - shown.length + dropped };
}

export function OmittedCount({ count }: { readonly count: number }) {
  const i18n = useI18n();
  return count > 0 ? <p class="muted small">{i18n.count("evidence.others", count)}</p> : null;
}

/** Several pieces of content as one. */
export function inline(...pieces: readonly ComponentChildren[]) {
  return <>{pieces}</>;
}

/** Marks a value that was longer than the scan keeps. */
function TruncatedNote({ truncated }: { readonly truncated: boolean }) {
  const i18n = useI18n();
  return truncated ? <span class="muted">{i18n.t("evidence.cut")}</span> : null;
}

export function cut(value: ComponentChildren, truncated: boolean) {
  return inline(value, " ", <TruncatedNote truncated={truncated} />);
}

/** A name and its value; false where there is nothing to show. */
type EntryRow = readonly [name: ComponentChildren, value: ComponentChildren] | false;

export function entries(rows: readonly EntryRow[], kind?: "records" | "certificate") {
  return (
    <dl {...(kind === undefined ? {} : { class: kind })}>
      {rows.map(
        (row, at) =>
          row && (
            <FactRow key={String(at)} name={row[0]}>
              {row[1]}
            </FactRow>
          ),
      )}
    </dl>
  );
}

/** Label of a column, its cells, and whether they are numbers. */
type ColumnOf<R> = readonly [label: string, cell: (row: R) => ComponentChildren, numeric?: "numeric"];

/** Table with a caption for screen readers; null without a row. */
export function rowTable<R>(caption: string, rows: readonly R[], columns: readonly ColumnOf<R>[]) {
  if (rows.length === 0) return null;
  const described = columns.map(([label, cell, numeric]) => ({ label, cell, numeric: numeric !== undefined }));
  return <DataTable caption={caption} captionUnseen rows={rows} columns={described} />;
}

/** Table of the rows that a page shows, and the number of the others. */
export function cappedTable<R>(
  caption: string,
  { shown, omitted }: { readonly shown: readonly R[]; readonly omitted: number },
  columns: readonly ColumnOf<R>[],
) {
  return (
    <>
      {rowTable(caption, shown, columns)}
      <OmittedCount count={omitted} />
    </>
  );
}

/** List of URLs with the number of those that it omits; null if empty. */
export function urlList(urls: readonly string[], dropped: number) {
  const { shown, omitted } = capped(urls, dropped);
  return (
    <>
      {shown.length > 0 && (
        <ul>
          {shown.map((url, at) => (
            <li key={String(at)}>{line(url)}</li>
          ))}
        </ul>
      )}
      <OmittedCount count={omitted} />
    </>
  );
}

/** `dropped`: number of fields that the scan did not keep. */
export function headerTable(i18n: I18n, caption: string, headers: readonly HeaderField[], dropped: number) {
  if (headers.length === 0) return <p class="muted">{i18n.t("evidence.headers.none")}</p>;
  return cappedTable(caption, capped(headers, dropped, displayLimits.headerFieldsMax), [
    [i18n.t("evidence.headers.name"), ({ name }) => foreign(name)],
    [
      i18n.t("evidence.headers.value"),
      ({ value, truncated }) => <span class="mono">{cut(foreign(value, displayLimits.headerCharsMax), truncated)}</span>,
    ],
  ]);
}

interface RecordsAnswer extends Pick<TextRecords, "nameExists" | "records"> {
  readonly recordsDropped?: number;
}

/** A name that was queried, and its answer. */
export interface RecordsQuery {
  readonly name: string;
  readonly answer: Reading<RecordsAnswer>;
}

export function recordsQuery(answer: TextRecords): RecordsQuery {
  return { name: answer.name, answer: read(answer) };
}

/** Query of an existing name with complete records. */
export function foundQuery(name: string, texts: readonly string[], recordsDropped = 0): RecordsQuery {
  return { name, answer: read({ nameExists: true, records: texts.map(uncut), recordsDropped }) };
}

export function uncut(text: string) {
  return { text, truncated: false };
}

export function records(queries: readonly RecordsQuery[]) {
  if (queries.length === 0) return null;
  return entries(
    queries.map(({ name, answer }) => [
      foreign(name),
      <ReadingContent key="answer" reading={answer}>
        {(facts) => <RecordList answer={facts} />}
      </ReadingContent>,
    ]),
    "records",
  );
}

/** Records of one answer, or the reason why it has no record. */
export function RecordList({ answer: { nameExists, records: all, recordsDropped = 0 } }: { readonly answer: RecordsAnswer }) {
  const i18n = useI18n();
  if (all.length === 0) return <span class="muted">{i18n.t(nameExists ? "evidence.dns.noRecords" : "evidence.dns.noName")}</span>;
  const { shown, omitted } = capped(all, recordsDropped, displayLimits.recordsMax);
  return (
    <>
      <ul class="plain mono">
        {shown.map(({ text, truncated }, at) => (
          <li key={String(at)}>{cut(foreign(text, displayLimits.recordCharsMax), truncated)}</li>
        ))}
      </ul>
      <OmittedCount count={omitted} />
    </>
  );
}

/** Content of a small text file; null if empty. */
export function fileBody(body: string, truncated: boolean) {
  if (body === "") return null;
  return (
    <>
      <UntrustedLines charsMax={displayLimits.bodyCharsMax}>{body}</UntrustedLines>
      <TruncatedNote truncated={truncated} />
    </>
  );
}
