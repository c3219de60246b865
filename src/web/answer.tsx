/** Builds all responses of the pages, so that none lacks a security header. */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { VisitContext } from "./context.ts";
import { Layout } from "./layout.tsx";
import type { Visit } from "./visit.ts";

type Headers = Readonly<Record<string, string>>;

export interface PageContent {
  /** Document title; the product name is appended. */
  readonly title: string;
  /** Content of `main`; its first element holds the only `h1`. */
  readonly children: ComponentChildren;
  readonly status?: number;
  readonly headers?: Headers;
  /** Reload interval for browsers without script. */
  readonly refreshSeconds?: number;
  /** Excludes the page from search engines. */
  readonly noIndex?: boolean;
  /** Personal content: never cached, not even for the back button after signing out. */
  readonly secret?: boolean;
}

/** A smaller body fits into one packet anyway. */
const packedBytesMin = 1_400;
/** zlib level: a report compresses to within a few percent of the best in a third of its time. */
const packingLevel = 4;

export function page(visit: Visit, { status = 200, headers = {}, secret = false, ...given }: PageContent): Response {
  const html = renderToString(
    <VisitContext.Provider value={visit}>
      <Layout {...given} />
    </VisitContext.Provider>,
  );
  const bytes = Buffer.from(`<!doctype html>${html}`);
  // Compressed length leaks how much secrets of a page resemble its query (BREACH). CSRF tokens are masked, so pages with forms may still
  // be compressed.
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

/** Redirects with 303, so that a reload does not resubmit the form. `path` must never come from the visitor. */
export function redirect(visit: Visit, path: string): Response {
  return respond(visit, 303, null, { location: path, "cache-control": "no-store" });
}

/** Any other response; `headers` must name the content type. */
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

/** CSP of every page: own resources, one script by nonce, no HTML built by script. */
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

const permissionsPolicy = ["camera", "display-capture", "geolocation", "microphone", "midi", "payment", "publickey-credentials-get", "usb"]
  .map((feature) => `${feature}=()`)
  .join(", ");

function headersOfEveryAnswer({ nonce, own, requestId, settings: { hsts } }: Visit): Headers {
  return {
    "content-security-policy": policyOf(nonce),
    // Browsers ignore it on other origins, with a console warning.
    ...(own.https || own.loopback ? { "cross-origin-opener-policy": "same-origin" } : {}),
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": permissionsPolicy,
    // `no-referrer` would send forms with `Origin: null`, which the CSRF check refuses.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-request-id": requestId,
    ...(own.https && hsts !== null ? { "strict-transport-security": hsts } : {}),
  };
}
