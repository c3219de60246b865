/** HTML of a component as a page shows it. */
import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { DocumentContext, type ReportDocument } from "../../src/report/context.ts";
import { createTexts, type PageLocale } from "../../src/text/i18n.ts";
import { createI18n } from "../../src/text/translator.ts";

const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks });

/** Page without checks. */
export function pageIn(locale: PageLocale = "en-gb"): ReportDocument {
  return { i18n: createI18n(texts, locale), texts, checks: [], live: true, alone: true, hrefOf: (path) => path, idOf: (id) => id };
}

export function partHtml(part: VNode, document: ReportDocument): string {
  return renderToString(<DocumentContext.Provider value={document}>{part}</DocumentContext.Provider>);
}
