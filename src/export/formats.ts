/** Export formats by the name that callers use. A new format is one file and one entry here. */
import type { ExportWriter } from "./export.ts";
import { writeJson } from "./json.ts";

export interface ExportFormat {
  /** Extension of files and of API paths. */
  readonly extension: string;
  readonly mediaType: string;
  readonly write: ExportWriter;
}

export const exportFormats = {
  json: { extension: "json", mediaType: "application/json", write: writeJson },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type ExportFormatName = keyof typeof exportFormats;
