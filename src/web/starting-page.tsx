/** The only page of a server that is not open yet. It needs neither store nor assets, and asks again by itself. */
import { renderToString } from "preact-render-to-string";
import type { HttpHandler } from "../http/server.ts";
import type { PageLocale, Texts } from "../text/i18n.ts";
import { createI18n, languageTag } from "../text/translator.ts";
import { acceptedLocale } from "./visit.ts";

export interface StartingPageOptions {
  /** Called for the first page. */
  readonly texts: () => Texts;
  readonly defaultLocale: PageLocale;
  /** Whole percent of the store that is checked; null while it is not checked. */
  readonly percent: () => number | null;
  readonly retryAfterSeconds: number;
}

/** Part of the page, as the style sheet of all other pages is not served yet. */
const style = ":root{color-scheme:light dark}body{max-width:40rem;margin:15vh auto;padding:0 1rem;font:1.1rem/1.5 system-ui,sans-serif}";
const styleHash = new Bun.CryptoHasher("sha256").update(style).digest("base64");

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Answers every path with 503. */
export function createStartingPages({ texts, defaultLocale, percent, retryAfterSeconds }: StartingPageOptions): HttpHandler {
  return {
    server: null,
    fetch: (request) => {
      const locale = acceptedLocale(request.headers.get("accept-language"), texts().locales) ?? defaultLocale;
      const i18n = createI18n(texts(), locale);
      const title = i18n.t("errors.starting.title");
      const checked = percent();
      const html = renderToString(
        <html lang={languageTag(locale)}>
          <head>
            <meta charset="utf-8" />
            <title>{`${title} - assay`}</title>
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="robots" content="noindex" />
            <meta http-equiv="refresh" content={String(retryAfterSeconds)} />
            <style dangerouslySetInnerHTML={{ __html: style }} />
          </head>
          <body>
            <main>
              <h1>{title}</h1>
              <p>{checked === null ? i18n.t("errors.starting.what") : i18n.t("errors.starting.checking", { percent: checked })}</p>
              <p>{i18n.t("errors.starting.next")}</p>
            </main>
          </body>
        </html>,
      );
      return new Response(`<!doctype html>${html}`, { status: 503, headers: { ...headers, "retry-after": String(retryAfterSeconds) } });
    },
  };
}
