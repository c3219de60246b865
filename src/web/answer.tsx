/** Builds every answer of the pages, so that no header is ever forgotten. */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { VisitContext } from "./context.ts";
import { Layout } from "./layout.tsx";
import type { Visit } from "./visit.ts";

type Headers = Readonly<Record<string, string>>;

export interface PageGiven {
  /** Of the document; the product's name is added. */
  readonly title: string;
  /** What stands in `main`; its first element is the page's one `h1`. */
  readonly children: ComponentChildren;
  readonly status?: number;
  readonly headers?: Headers;
  /** Reloads the page where there is no script, in seconds. */
  readonly refreshSeconds?: number;
  /** Keeps the page out of search engines. */
  readonly noIndex?: boolean;
  /** Holds what is nobody else's business: no cache keeps it, nor does the way back after signing out. */
  readonly secret?: boolean;
}

/** Below this, packing saves no packet. */
const packedBytesMin = 1_400;
/** Of zlib's 1 to 9: a report packs to within a few percent of the best in a third of its time. */
const packingLevel = 4;

/** A whole page. */
export function page(visit: Visit, { status = 200, headers = {}, secret = false, ...given }: PageGiven): Response {
  const html = renderToString(
    <VisitContext.Provider value={visit}>
      <Layout {...given} />
    </VisitContext.Provider>,
  );
  const bytes = Buffer.from(`<!doctype html>${html}`);
  // The length of what is packed tells how alike the secrets of a page are to its query, which anybody may choose (BREACH). The words of
  // forms, which every page may have, are masked.
  const packed = !secret && bytes.length >= packedBytesMin && /\bgzip\b/.test(visit.request.headers.get("accept-encoding") ?? "");
  return respond(visit, status, packed ? Bun.gzipSync(bytes, { level: packingLevel }) : bytes, {
    "content-type": "text/html; charset=utf-8",
    "content-language": visit.i18n.locale,
    "cache-control": secret ? "no-store" : "private, no-cache",
    vary: "Accept-Encoding, Accept-Language, Cookie",
    ...(packed ? { "content-encoding": "gzip" } : {}),
    ...headers,
  });
}

/** To another own page: 303, so that a reload does not send the form again. `path` is ours, never the visitor's. */
export function redirect(visit: Visit, path: string): Response {
  return respond(visit, 303, null, { location: path, "cache-control": "no-store" });
}

/** Anything else; `headers` name its type. */
export function respond(
  visit: Visit,
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | null,
  headers: Headers,
): Response {
  const response = new Response(body, { status, headers: { ...headersOfEveryAnswer(visit), ...headers } });
  for (const line of visit.setCookies) response.headers.append("set-cookie", line);
  return response;
}

/** The policy of a page: nothing from elsewhere, no script but the one with this page's nonce, no markup made by script. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** What no page of ours asks a browser for. */
const permissionsPolicy = ["camera", "display-capture", "geolocation", "microphone", "midi", "payment", "publickey-credentials-get", "usb"]
  .map((feature) => `${feature}=()`)
  .join(", ");

function headersOfEveryAnswer({ nonce, own, requestId, settings: { hsts } }: Visit): Headers {
  return {
    "content-security-policy": policyOf(nonce),
    // Elsewhere browsers ignore it, and complain.
    ...(own.https || own.loopback ? { "cross-origin-opener-policy": "same-origin" } : {}),
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": permissionsPolicy,
    // Not `no-referrer`: with that, forms come with `Origin: null`.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-request-id": requestId,
    ...(own.https && hsts !== null ? { "strict-transport-security": hsts } : {}),
  };
}
