/** Export formats by the name that callers use, and the names of exported files. */

import { hostOf } from "../parse/site.ts";
import { writeCsv } from "./csv.ts";
import { type ExportWriter, writeJson } from "./export.ts";
import { writeGitlab } from "./gitlab.ts";
import { writeHtml } from "./html.tsx";
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

/** Keeps the file name below the usual limit of 255 bytes. */
const hostCharsMax = 120;

const clientCharsMax = 80;
/** German spelling without umlauts; all other letters lose their accents. */
const germanLetters: Readonly<Record<string, string>> = {
  "\u00e4": "ae",
  "\u00f6": "oe",
  "\u00fc": "ue",
  "\u00c4": "Ae",
  "\u00d6": "Oe",
  "\u00dc": "Ue",
  "\u00df": "ss",
};

/** A scan that is over, as far as the name of its file shows it. */
interface NamedScan {
  readonly token: string;
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly endedAt: string;
}

/** `example.org_2026-11-19_<token>.<extension>`: only letters, digits, dots, hyphens and underscores. */
export function exportFileName({ token, url, endedAt }: NamedScan, extension: string): string {
  const host = (hostOf(url) ?? "").slice(0, hostCharsMax).replaceAll(/[^\w.-]/g, "-");
  return `${host}_${endedAt.slice(0, 10)}_${token}.${extension}`;
}

/**
 * `security-report_<client>_2026-11-19.<extension>`: only letters, digits, dots, hyphens and underscores. A name without such letters
 * becomes `client`.
 */
export function clientReportFileName(client: string, now: Date, extension: string): string {
  const german = client
    .normalize("NFC")
    .replaceAll(/[\u00c4\u00d6\u00dc\u00e4\u00f6\u00fc\u00df]/g, (letter) => germanLetters[letter] ?? letter);
  const plain = german.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const safe = plain
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, clientCharsMax)
    .replaceAll(/^-|-$/g, "");
  return `security-report_${safe === "" ? "client" : safe}_${now.toISOString().slice(0, 10)}.${extension}`;
}
