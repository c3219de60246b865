/** Renders a whole HTML page, and the page of an error: what happened, the next step, and the request id of the log entry. */
import type { ComponentChildren, ComponentProps } from "preact";
import { renderToString } from "preact-render-to-string";
import { DocumentContext } from "../report/context.ts";
import { PageHead } from "./components/navigation.tsx";
import { pageDocument, VisitContext } from "./context.ts";
import type { PageError } from "./errors.ts";
import { Layout } from "./layout.tsx";
import { compressedBody, type ResponseHeaders, respond } from "./response.ts";
import type { SharedVisit, Visit } from "./visit.ts";

export interface PageContent {
  /** Document title; the product name is appended. */
  readonly title: string;
  /** Heading, which is the title by default, and what stands beside it. Absent for a page that renders its own. */
  readonly head?: Partial<ComponentProps<typeof PageHead>>;
  /** Content of `main`, after the heading. */
  readonly children: ComponentChildren;
  readonly status?: number;
  readonly headers?: ResponseHeaders;
  /** Reload interval for browsers without script. */
  readonly refreshSeconds?: number;
  /** Excludes the page from search engines. */
  readonly noIndex?: boolean;
  /** Running header of the printed pages. */
  readonly printHeader?: string;
  /** One sentence for link previews and search engines. */
  readonly description?: string;
  /** For link previews. */
  readonly picture?: {
    readonly path: string;
    readonly alt: string;
    readonly type: string;
    readonly widthPx: number;
    readonly heightPx: number;
  };
  /** Personal content: never cached, not even for the back button after signing out. */
  readonly secret?: boolean;
}

export function page(visit: Visit, content: PageContent): Response {
  const { status = 200, headers = {}, secret = false } = content;
  const html = htmlOf(visit, content);
  const { body, compressed } = secret ? { body: html, compressed: false } : compressedBody(visit, html);
  return respond(visit, status, body, { ...pageHeaders(visit, { secret, compressed }), ...headers });
}

export function htmlOf(visit: SharedVisit, { headers: _headers, secret: _secret, head, children, ...layout }: PageContent): string {
  const html = renderToString(
    <VisitContext.Provider value={visit}>
      <DocumentContext.Provider value={pageDocument(visit)}>
        <Layout {...layout}>
          {head !== undefined && <PageHead title={layout.title} {...head} />}
          {children}
        </Layout>
      </DocumentContext.Provider>
    </VisitContext.Provider>,
  );
  return `<!doctype html>${html}`;
}

export function pageHeaders(
  { i18n }: Visit,
  { secret = false, compressed }: Pick<PageContent, "secret"> & { readonly compressed: boolean },
): ResponseHeaders {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-language": i18n.locale,
    "cache-control": secret ? "no-store" : "private, no-cache",
    vary: "Accept-Encoding, Accept-Language, Cookie",
    ...(compressed ? { "content-encoding": "gzip" } : {}),
  };
}

export function errorPage(visit: Visit, { status, kind, values, headers }: PageError): Response {
  const { i18n, requestId } = visit;
  const title = i18n.t(`errors.${kind}.title`, values);
  return page(visit, {
    title,
    status,
    headers,
    noIndex: true,
    head: { lead: i18n.t(`errors.${kind}.what`, values) },
    children: (
      <>
        <p>{i18n.t(`errors.${kind}.next`, values)}</p>
        <p class="muted small">{i18n.t("errors.reference", { status, requestId })}</p>
      </>
    ),
  });
}
