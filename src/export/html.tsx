/** Reports as one HTML file that needs neither network nor script. */
import { renderToString } from "preact-render-to-string";
import type { ReportDocument } from "../report/context.ts";
import { createI18n } from "../text/translator.ts";
import type { ExportSettings, ExportWriter } from "./export.ts";
import { HtmlFile } from "./html/file.tsx";

export const writeHtml: ExportWriter = (scans, settings) =>
  `<!doctype html>${renderToString(<HtmlFile scans={scans} document={documentOf(settings)} version={settings.version} brand={settings.brand ?? null} />)}\n`;

function documentOf({ locale, texts, checks, origin }: ExportSettings): ReportDocument {
  return {
    // A file shows no time relative to now, so the clock is never read.
    i18n: createI18n(texts, locale, new Date(0)),
    texts,
    checks,
    live: false,
    alone: true,
    hrefOf: (path) => (origin === null ? null : `${origin}${path}`),
    idOf: (id) => id,
  };
}
