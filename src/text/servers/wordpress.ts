/** Lines for WordPress: PHP for a file of `wp-content/mu-plugins`. PHP runs it when it sends the head of a response, after all plugins. */
import type { Fix } from "../../check/fix.ts";
import {
  cookiePattern,
  inexpressible,
  policyName,
  type Renderers,
  renderFix,
  type ServerNote,
  type Target,
  type WriteNote,
} from "./target.ts";

interface Part {
  readonly in: "headers" | "cookies";
  readonly lines: readonly string[];
}

const renderers: Renderers<Part> = {
  header: ({ name, value }) => ({ in: "headers", lines: [`header( ${quotedValue(`${name}: ${value}`)} );`] }),
  "remove-header": ({ name }) => ({ in: "headers", lines: [`header_remove( '${name}' );`] }),
  policy: ({ directives, present }) => ({
    in: "headers",
    lines: [`header( ${quotedValue(`${policyName}: ${directives}`)}${present === "none" ? "" : ", false"} );`],
  }),
  "new-policy": inexpressible,
  cookie: (fix) => ({
    in: "cookies",
    lines: fix.attributes.map((attribute) => {
      const [name = ""] = attribute.toLowerCase().split("=");
      return `if ( preg_match( '/^Set-Cookie: *${cookiePattern(fix)}(?!.*; *${name})/i', $cookie ) ) $cookie .= '; ${attribute}';`;
    }),
  }),
  certificate: inexpressible,
  // Behind a proxy, WordPress does not know the scheme, and its redirect would never end.
  "https-redirect": inexpressible,
  "tls-protocols": inexpressible,
  "tls-ciphers": inexpressible,
  "tls-curves": inexpressible,
  charset: inexpressible,
  "server-version": inexpressible,
  "no-listing": inexpressible,
  "forwarded-scheme": inexpressible,
  "path-redirect": inexpressible,
  "path-type": inexpressible,
  "text-file": inexpressible,
};

/** PHP expands `$` and backslashes in double quotes only. */
function quotedValue(value: string): string {
  if (!/["$\\]/.test(value)) return `"${value}"`;
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function linesOf(fixes: readonly Fix[]): readonly string[] {
  const parts = fixes.flatMap((fix) => renderFix(renderers, fix) ?? []);
  const linesIn = (place: Part["in"]) => parts.filter((part) => part.in === place).flatMap(({ lines }) => lines);
  const cookies = linesIn("cookies");
  return [
    "header_register_callback( function () {",
    ...linesIn("headers").map((line) => `  ${line}`),
    ...(cookies.length === 0 ? [] : eachCookie(cookies)),
    "} );",
  ];
}

/** Removes all cookies and sends them again. */
function eachCookie(lines: readonly string[]): readonly string[] {
  return [
    "  $cookies = preg_grep( '/^Set-Cookie:/i', headers_list() );",
    "  header_remove( 'Set-Cookie' );",
    "  foreach ( $cookies as $cookie ) {",
    ...lines.map((line) => `    ${line}`),
    "    header( $cookie, false );",
    "  }",
  ];
}

function whole(fixes: readonly Fix[], notes: readonly ServerNote[], write: WriteNote): readonly string[] {
  // A closing tag would end the code even within a comment.
  return ["<?php", ...notes.map((note) => `// ${write(note).replaceAll("?>", "")}`), ...linesOf(fixes)];
}

export const wordpress: Target = {
  label: "WordPress",
  expresses: (fix) => renderFix(renderers, fix) !== null,
  lines: (fixes) => ["<?php", ...linesOf(fixes)],
  whole,
};
