/** Lines for WordPress: PHP for a file of `wp-content/mu-plugins`. PHP runs it when it sends the head of a response, after all plugins. */
import { attributeName, cookiePattern, createTarget, indented, linesIn, policyName, type Renderers } from "./target.ts";

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
  cookie: (fix) => ({
    in: "cookies",
    lines: fix.attributes.map((attribute) => {
      const pattern = `/^Set-Cookie: *${cookiePattern(fix)}(?!.*; *${attributeName(attribute)})/i`;
      return `if ( preg_match( '${pattern}', $cookie ) ) $cookie .= '; ${attribute}';`;
    }),
  }),
  // No redirect to https: behind a proxy, WordPress does not know the scheme, and its redirect would never end.
};

/** PHP expands `$` and backslashes in double quotes only. */
function quotedValue(value: string): string {
  if (!/["$\\]/.test(value)) return `"${value}"`;
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** Removes all cookies and sends them again. */
function eachCookie(lines: readonly string[]): readonly string[] {
  return [
    "  $cookies = preg_grep( '/^Set-Cookie:/i', headers_list() );",
    "  header_remove( 'Set-Cookie' );",
    "  foreach ( $cookies as $cookie ) {",
    ...indented(lines, 2),
    "    header( $cookie, false );",
    "  }",
  ];
}

export const wordpress = createTarget<Part>({
  label: "WordPress",
  renderers,
  // A closing tag would end the code even within a comment.
  comment: (text) => `// ${text.replaceAll("?>", "")}`,
  lines: (parts, comments) => {
    const cookies = linesIn(parts, "cookies");
    return [
      ...["<?php", ...comments, "header_register_callback( function () {"],
      ...indented(linesIn(parts, "headers")),
      ...(cookies.length === 0 ? [] : eachCookie(cookies)),
      "} );",
    ];
  },
});
