/** Export formats by the name that callers use. A new format is one file and one entry here. */
import { writeCsv } from "./csv.ts";
import type { ExportWriter } from "./export.ts";
import { writeGitlab } from "./gitlab.ts";
import { writeHtml } from "./html.tsx";
import { writeJson } from "./json.ts";
import { writeJunit } from "./junit.ts";
import { writeMd } from "./md.ts";
import { writeSarif } from "./sarif.ts";

export interface ExportFormat {
  /** Extension of files and of API paths. */
  readonly extension: string;
  readonly mediaType: string;
  readonly write: ExportWriter;
}

export const exportFormats = {
  html: { extension: "html", mediaType: "text/html; charset=utf-8", write: writeHtml },
  json: { extension: "json", mediaType: "application/json", write: writeJson },
  sarif: { extension: "sarif", mediaType: "application/sarif+json", write: writeSarif },
  junit: { extension: "junit.xml", mediaType: "application/xml", write: writeJunit },
  gitlab: { extension: "gitlab.json", mediaType: "application/json", write: writeGitlab },
  csv: { extension: "csv", mediaType: "text/csv; charset=utf-8", write: writeCsv },
  md: { extension: "md", mediaType: "text/markdown; charset=utf-8", write: writeMd },
} as const satisfies Readonly<Record<string, ExportFormat>>;

/** A browser prints it from the HTML file. */
export const pdfFormat = { extension: "pdf", mediaType: "application/pdf" } as const;

export type ExportFormatName = keyof typeof exportFormats;
