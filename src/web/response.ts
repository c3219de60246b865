/** Responses of the pages: all pass through here, so that none lacks a security header. */
import type { Visit } from "./visit.ts";

export type ResponseHeaders = Readonly<Record<string, string>>;

/** Redirects with 303, so that a reload does not resubmit the form. `path` must never come from the visitor. */
export function redirect(visit: Visit, path: string): Response {
  return respond(visit, 303, null, { location: path, "cache-control": "no-store" });
}

/** Any other response; `headers` must name the content type. */
export function respond(
  visit: Visit,
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | null,
  headers: ResponseHeaders,
): Response {
  const response = new Response(body, { status, headers: { ...securityHeaders(visit), ...headers } });
  for (const line of visit.setCookies) response.headers.append("set-cookie", line);
  return response;
}

/** A smaller body fits into one packet anyway. */
const compressedBytesMin = 1_400;
/** zlib level: a report compresses to within a few percent of the best in a third of its time. */
const compressionLevel = 4;

/** Body as sent. It must hold no secret: the compressed length leaks how much of one resembles the query (BREACH). */
export function compressedBody(visit: Visit, text: string): { readonly body: Uint8Array<ArrayBuffer>; readonly compressed: boolean } {
  const bytes = Buffer.from(text);
  const compressed = bytes.length >= compressedBytesMin && acceptsGzip(visit);
  return { body: compressed ? Bun.gzipSync(bytes, { level: compressionLevel }) : bytes, compressed };
}

/** RFC 9110 section 12.5.3: a weight of 0 refuses a coding, and `*` stands for all that are not named. */
export function acceptsGzip({ request }: Visit): boolean {
  const weights = new Map<string, number>();
  for (const coding of (request.headers.get("accept-encoding") ?? "").toLowerCase().split(",")) {
    const [name = "", weight = "q=1"] = coding.split(";").map((part) => part.trim());
    weights.set(name, Number(/^q\s*=\s*([\d.]+)$/.exec(weight)?.[1] ?? Number.NaN));
  }
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

/** CSP of every page: own files, no inline script or style, no HTML built by script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
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

const permissionsPolicy = ["camera", "display-capture", "geolocation", "microphone", "midi", "payment", "publickey-credentials-get", "usb"]
  .map((feature) => `${feature}=()`)
  .join(", ");

function securityHeaders({ server, requestId, settings: { config } }: Visit): ResponseHeaders {
  return {
    "content-security-policy": contentSecurityPolicy,
    // Browsers ignore it on other origins, with a console warning.
    ...(server.https || server.loopback ? { "cross-origin-opener-policy": "same-origin" } : {}),
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": permissionsPolicy,
    // `no-referrer` would send forms with `Origin: null`, which the CSRF check refuses.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-request-id": requestId,
    ...(server.https && config["security.hsts"] !== "off" ? { "strict-transport-security": config["security.hsts"] } : {}),
  };
}
