/** Shared blocks of the evidence parts: failed readings, header fields, DNS records, counts of omitted rows. */
import type { ComponentChildren } from "preact";
import type { TextRecords } from "../../evidence/dns-facts.ts";
import type { Reading } from "../../evidence/evidence.ts";
import type { HeaderField } from "../../evidence/http-facts.ts";
import { DataTable } from "../components/table.tsx";
import { UntrustedLines, UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import { failureText } from "./reading-texts.ts";

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

export function Entry({ name, children }: { readonly name: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** A URL or another short value from the site, cut at the display limit. */
export function UntrustedLine({ children }: { readonly children: string }) {
  return <UntrustedText charsMax={displayLimits.lineCharsMax}>{children}</UntrustedText>;
}

/** Number of items that the page omits or the scan dropped. */
export function OmittedCount({ count }: { readonly count: number }) {
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
  const fields = headers.slice(0, displayLimits.headerFieldsMax);
  if (fields.length === 0) return <p class="muted">{i18n.t("evidence.headers.none")}</p>;
  return (
    <>
      <DataTable
        caption={caption}
        captionUnseen
        rows={fields}
        columns={[
          { label: i18n.t("evidence.headers.name"), cell: ({ name }) => <UntrustedText>{name}</UntrustedText> },
          { label: i18n.t("evidence.headers.value"), cell: HeaderValue },
        ]}
      />
      <OmittedCount count={headers.length - fields.length + dropped} />
    </>
  );
}

function HeaderValue({ value, truncated }: HeaderField) {
  return (
    <span class="mono">
      <UntrustedText charsMax={displayLimits.headerCharsMax}>{value}</UntrustedText> <TruncatedNote truncated={truncated} />
    </span>
  );
}

/** Marks a value that was longer than the scan keeps. */
export function TruncatedNote({ truncated }: { readonly truncated: boolean }) {
  const i18n = useI18n();
  return truncated ? <span class="muted">{i18n.t("evidence.cut")}</span> : null;
}

interface RecordsAnswer extends Pick<TextRecords, "nameExists" | "records"> {
  readonly recordsDropped?: number;
}

interface RecordsProps {
  /** DNS names that were queried, each with its answer. */
  readonly queries: readonly { readonly name: string; readonly answer: Reading<RecordsAnswer> }[];
}

export function Records({ queries }: RecordsProps) {
  if (queries.length === 0) return null;
  return (
    <dl class="records">
      {queries.map(({ name, answer }, at) => (
        <Entry key={String(at)} name={<UntrustedText>{name}</UntrustedText>}>
          <ReadingContent reading={answer}>{(facts) => <RecordList answer={facts} />}</ReadingContent>
        </Entry>
      ))}
    </dl>
  );
}

/** Records of one answer, or why there are none. */
export function RecordList({ answer: { nameExists, records, recordsDropped = 0 } }: { readonly answer: RecordsAnswer }) {
  const i18n = useI18n();
  if (records.length === 0) return <span class="muted">{i18n.t(nameExists ? "evidence.dns.noRecords" : "evidence.dns.noName")}</span>;
  return (
    <>
      <ul class="plain mono">
        {records.slice(0, displayLimits.recordsMax).map(({ text, truncated }, at) => (
          <li key={String(at)}>
            <UntrustedText charsMax={displayLimits.recordCharsMax}>{text}</UntrustedText> <TruncatedNote truncated={truncated} />
          </li>
        ))}
      </ul>
      <OmittedCount count={Math.max(0, records.length - displayLimits.recordsMax) + recordsDropped} />
    </>
  );
}

/** Content of a small text file; null if empty. */
export function FileBody({ body, truncated }: { readonly body: string; readonly truncated: boolean }) {
  if (body === "") return null;
  return (
    <>
      <UntrustedLines charsMax={displayLimits.bodyCharsMax}>{body}</UntrustedLines>
      <TruncatedNote truncated={truncated} />
    </>
  );
}
