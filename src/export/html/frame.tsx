/** What all HTML files have: head with style and policy, the brand at the top, and what made the file at the bottom. */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { type Brand, BrandFooter, BrandHeader, BrandMark } from "../../report/brand.tsx";
import { DocumentContext, type ReportDocument } from "../../report/context.ts";
import { createI18n, languageTag } from "../../text/translator.ts";
import type { ExportSettings } from "../export.ts";
import { fileIcon, filePolicy, fileStyle } from "./file-style.ts";

interface HtmlFrameProps {
  readonly document: ReportDocument;
  /** Of the content; the brand follows it. */
  readonly title: string;
  /** Text at the top of every printed page. */
  readonly printHeader: string;
  /** Sentence at the bottom on the time of the content. */
  readonly saved: string;
  /** Of assay. */
  readonly version: string;
  /** Null for that of assay. */
  readonly brand: Brand | null;
  readonly children: ComponentChildren;
}

/** Text of an HTML file that needs neither network nor script. */
export function htmlText(props: HtmlFrameProps): string {
  return `<!doctype html>${renderToString(<HtmlFrame {...props} />)}\n`;
}

export function fileDocument({
  locale,
  texts,
  checks,
  origin,
}: Pick<ExportSettings, "locale" | "texts" | "checks" | "origin">): ReportDocument {
  return {
    // A file shows no time relative to now, so the clock is never read.
    i18n: createI18n(texts, locale),
    texts,
    checks,
    live: false,
    alone: true,
    hrefOf: (path) => (origin === null ? null : `${origin}${path}`),
    idOf: (id) => id,
  };
}

function HtmlFrame({ document, title, printHeader, saved, version, brand, children }: HtmlFrameProps) {
  const { i18n } = document;
  return (
    <DocumentContext.Provider value={document}>
      <html lang={languageTag(i18n.locale)} data-print-header={printHeader}>
        <Head title={`${title} - ${brand?.name ?? "assay"}`} version={version} />
        <body>
          <a class="skip" href="#main">
            {i18n.t("layout.skip")}
          </a>
          <header class="site-header">
            {brand !== null ? (
              <BrandHeader brand={brand} />
            ) : (
              <span class="brand">
                <BrandMark />
                assay
              </span>
            )}
          </header>
          <main id="main" tabIndex={-1}>
            {children}
            <p class="muted">{i18n.t("report.noLegalStatement")}</p>
          </main>
          <Footer document={document} saved={saved} version={version} brand={brand} />
        </body>
      </html>
    </DocumentContext.Provider>
  );
}

function Head({ title, version }: Pick<HtmlFrameProps, "title" | "version">) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={filePolicy} />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <meta name="robots" content="noindex" />
      <meta name="generator" content={`assay ${version}`} />
      <link rel="icon" href={fileIcon} />
      <style dangerouslySetInnerHTML={{ __html: fileStyle }} />
    </head>
  );
}

function Footer({ document: { i18n, hrefOf }, saved, version, brand }: Pick<HtmlFrameProps, "document" | "saved" | "version" | "brand">) {
  const appliance = hrefOf("/");
  const madeBy = i18n.t("report.file.madeBy", { version });
  return (
    <footer class="site-footer">
      {brand !== null && <BrandFooter brand={brand} />}
      <p>{saved}</p>
      <p>{appliance === null ? madeBy : <a href={appliance}>{madeBy}</a>}</p>
    </footer>
  );
}
