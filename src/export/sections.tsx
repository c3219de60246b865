/** Text in sections as one HTML file. A terminal shows the same sections. */
import { DataTable } from "../report/components/layout.tsx";
import { ConfigLines } from "../report/components/remediation.tsx";
import type { ExportSettings } from "./export.ts";
import { fileDocument, htmlText } from "./html.tsx";

/** Texts may hold what a page wrote, without control characters. They are escaped here. */
export interface TextSection {
  readonly heading: string;
  /** True for a part of the section before it. */
  readonly isPart: boolean;
  readonly paragraphs: readonly string[];
  /** Column heads first. */
  readonly table: readonly (readonly string[])[];
  readonly items: readonly { readonly text: string; readonly notes: readonly string[] }[];
  /** Lines to copy. */
  readonly lines: readonly string[];
  /** What follows the lines. */
  readonly remarks: readonly string[];
}

type FileSettings = Pick<ExportSettings, "locale" | "texts" | "checks" | "version">;

export function sectionsHtml(title: string, sections: readonly TextSection[], settings: FileSettings): string {
  const document = fileDocument({ ...settings, origin: null });
  return htmlText({
    document,
    title,
    printHeader: title,
    saved: document.i18n.t("report.file.saved"),
    version: settings.version,
    brand: null,
    children: (
      <>
        <h1>{title}</h1>
        {sections.map((section, at) => (
          <Section key={String(at)} {...section} />
        ))}
      </>
    ),
  });
}

function Section({ heading, isPart, paragraphs, table: [head = [], ...rows], items, lines, remarks }: TextSection) {
  return (
    <section>
      {isPart ? <h3>{heading}</h3> : <h2>{heading}</h2>}
      <Paragraphs texts={paragraphs} />
      {rows.length > 0 && (
        <DataTable
          caption={heading}
          captionUnseen
          rows={rows}
          columns={head.map((label, at) => ({ label, header: at === head.length - 1, cell: (row: readonly string[]) => row[at] }))}
        />
      )}
      {items.length > 0 && (
        <ul>
          {items.map(({ text, notes }, at) => (
            <li key={String(at)}>
              {text}
              <Paragraphs texts={notes} />
            </li>
          ))}
        </ul>
      )}
      {lines.length > 0 && <ConfigLines label={heading}>{lines.join("\n")}</ConfigLines>}
      <Paragraphs texts={remarks} />
    </section>
  );
}

function Paragraphs({ texts }: { readonly texts: readonly string[] }) {
  return texts.map((text) => <p key={text}>{text}</p>);
}
