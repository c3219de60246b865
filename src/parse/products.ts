/** Finds software and its versions in header fields and in the content of meta elements. */
import type { HeaderField } from "../evidence/http-facts.ts";

export interface Products {
  readonly words: readonly string[];
  readonly comments: readonly string[];
}

/** Words and comments of one value. An unclosed parenthesis extends to the end; an unopened one is part of its word. */
export function parseProducts(value: string): Products {
  const comments: string[] = [];
  let outside = "";
  let depth = 0;
  let start = 0;
  for (let at = 0; at < value.length; at++) {
    const char = value[at];
    if (depth > 0 && char === "\\") at++;
    else if (char === "(") {
      if (depth === 0) {
        outside += `${value.slice(start, at)} `;
        start = at + 1;
      }
      depth++;
    } else if (char === ")" && depth > 0) {
      depth--;
      if (depth === 0) {
        comments.push(value.slice(start, at));
        start = at + 1;
      }
    }
  }
  if (depth > 0) comments.push(value.slice(start));
  else outside += value.slice(start);
  return { words: outside.split(/[\s,]+/).filter((word) => word !== ""), comments };
}

/** Matches `nginx/1.18`, `openresty-1.21.4` and `6.0.4`, but not the digit in AmazonS3 or the main version in "Drupal 10". */
const version = /\/v?\d|\d\.\d/i;

/** True for a text that names a version with a slash or with a dot. */
export function namesVersion(text: string): boolean {
  return version.test(text);
}

/** Fields that other rules judge, or whose numbers are not versions. */
const otherFields: readonly string[] = (
  "server via x-powered-by x-aspnet-version x-aspnetmvc-version x-generator x-runtime x-version accept age alt-svc cache-control critical-ch " +
  "date dav etag expires feature-policy keep-alive last-modified link location mime-version nel p3p pragma refresh report-to " +
  "reporting-endpoints server-timing set-cookie sourcemap strict-transport-security traceparent tracestate upgrade vary x-pingback " +
  "x-sourcemap x-ua-compatible"
).split(" ");
/** Families of such fields: addresses, tags, times, and identifiers of requests. */
const otherFamilies =
  /^(?:accept|content|sec)-|-(?:addr|address|etag|hash|host|id|ip|key|length|nonce|policy|range|ranges|ray|tag|time|timestamp|token|trace|uri|url)$/;

/** Fields that products send with their version. Source: the documentation or the source code of each product. */
const productFields: readonly string[] = [
  "composed-by", // SPIP
  "liferay-portal",
  "microsoftsharepointteamservices",
  "powered-by",
  "x-cms",
  "x-content-powered-by", // K2
  "x-hudson",
  "x-jenkins",
  "x-mod-pagespeed",
  "x-page-speed",
  "x-powered-by-plesk",
  "x-powered-cms", // Bitrix
  "x-squid-error",
  "x-version-id", // Mattermost
];

/** Words before "version" that name a protocol or the site's own build, not software that others run. */
const ownVersions =
  /(?:^|-)(?:api|app|application|asset|assets|build|cache|client|config|content|data|dataservice|deploy|format|max|min|minimum|model|odata|page|protocol|release|required|schema|site|soap|spec|tls|ssl|http)-version$/;
/** Names before a slash that are protocols or interfaces: `HTTP/1.1`, and `registry/2.0` of Docker. */
const protocolNames =
  /^(?:api|dav|h2|http|https|irc|jsonrpc|oauth|odata|registry|rest|rtsp|schema|sip|soap|spdy|ssl|tls|v|version|webdav)$/i;

/** Fields that carry a product with its version, in order, as `name: value`. */
export function productVersionFields(headers: readonly HeaderField[]): readonly string[] {
  return headers.filter(isProductVersionField).map(({ name, value }) => `${name}: ${value}`);
}

function isProductVersionField({ name, value }: HeaderField): boolean {
  const field = name.toLowerCase();
  if (productFields.includes(field)) return /\d\.\d/.test(value);
  if (otherFields.includes(field) || otherFamilies.test(field)) return false;
  // Some servers repeat the User-Agent of the request.
  if (value.includes("Mozilla/")) return false;
  if (/^[a-z].*-version$/.test(field) && !ownVersions.test(field)) return /^v?\d+(?:\.\d+)+/i.test(value.trim());
  return value.split(/[\s,;]+/).some(isProductWithVersion);
}

/** `WildFly/26.1`, `squid/3.5.20`: a name, one slash and a version of at least two numbers. Private addresses are not versions. */
function isProductWithVersion(word: string): boolean {
  const name = /^\(?([a-z][\w.+-]*)\/(?!(?:10|127)(?:\.\d+){3}\)?$|192\.168(?:\.\d+){2}\)?$)v?\d+\.\d[\w.+~-]*\)?$/i.exec(word)?.[1];
  return name !== undefined && !protocolNames.test(name);
}
