/** Lines for Caddy's Caddyfile. */
import { cookiePattern, createTarget, indented, linesIn, policyName, type Renderers } from "./target.ts";

/** Part of a site block. `header` parts may share one block, which runs after the application. */
type Part = { readonly in: "site" | "header" | "tls" | "plain"; readonly lines: readonly string[]; readonly short?: string };

const renderers: Renderers<Part> = {
  header: ({ name, value, replaces }) => headerPart(`${name} `, value, !replaces),
  "remove-header": ({ name }) => ({ in: "header", lines: [`-${name}`], short: `header -${name}` }),
  policy: ({ directives, present }) => headerPart(`${present === "none" ? "" : "+"}${policyName} `, directives, true),
  // RE2 has no lookahead: a cookie that has the attribute gets it twice, which browsers take for one.
  cookie: (fix) => ({
    in: "header",
    lines: fix.attributes.map((attribute) => `Set-Cookie ^(${cookiePattern(fix)}.*)$ "$1; ${attribute}"`),
  }),
  certificate: ({ host }) => ({
    in: "site",
    lines: [`tls ${["fullchain", "privkey"].map((name) => `/etc/letsencrypt/live/${host}/${name}.pem`).join(" ")}`],
  }),
  "https-redirect": () => ({ in: "plain", lines: ["redir https://{host}{uri} permanent"] }),
  "tls-protocols": () => ({ in: "tls", lines: ["protocols tls1.2 tls1.3"] }),
  // Caddy offers no other suites.
  "tls-ciphers": () => ({ in: "tls", lines: [] }),
  "tls-curves": () => ({ in: "tls", lines: ["curves x25519 secp256r1 secp384r1"] }),
  charset: () => ({ in: "header", lines: ['Content-Type ^text/html$ "text/html; charset=utf-8"'] }),
  "server-version": () => ({ in: "header", lines: ["-Server"], short: "header -Server" }),
  "no-listing": () => ({ in: "site", lines: ["file_server"] }),
  "forwarded-scheme": () => ({ in: "site", lines: ["request_header X-Forwarded-Proto {scheme}"] }),
  "path-redirect": ({ from, to }) => ({ in: "site", lines: [`redir ${from} ${to} 301`] }),
  "path-type": ({ path, type }) => {
    const value = quotedValue(type);
    return value === null ? null : { in: "site", lines: [`header ${path} Content-Type ${value}`] };
  },
  "text-file": ({ path, folder }) => ({ in: "site", lines: [`handle ${path} {`, `  root * ${folder}`, "  file_server", "}"] }),
};

function headerPart(field: string, value: string, short: boolean): Part | null {
  const text = quotedValue(value);
  if (text === null) return null;
  const line = `${field}${text}`;
  return { in: "header", lines: [line], ...(short ? { short: `header ${line}` } : {}) };
}

/** Quoted value; null for braces, which enclose placeholders. Caddy has an escape for quotes only, so a backslash needs backquotes. */
function quotedValue(value: string): string | null {
  if (/[{}]/.test(value)) return null;
  if (!/["\\]/.test(value)) return `"${value}"`;
  return value.includes("`") ? null : `\`${value}\``;
}

function block(opening: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${opening} {`, ...indented(lines), "}"];
}

export const caddy = createTarget<Part>({
  label: "Caddy",
  renderers,
  lines: (parts) => [
    ...parts.flatMap(({ in: place, lines, short }) => {
      if (place === "tls") return [];
      if (place !== "header") return lines;
      return short === undefined ? block("header", ["defer", ...lines]) : [short];
    }),
    ...block("tls", linesIn(parts, "tls")),
  ],
  bothPorts: {
    redirect: () => ["@plain protocol http", "redir @plain https://{host}{uri} permanent"],
    // One block for all headers: its changes run after the application, in the order of Caddy.
    lines: (parts) => {
      const headers = linesIn(parts, "header");
      return [
        ...(headers.length === 0 ? [] : block("header", ["defer", ...headers])),
        ...linesIn(parts, "site"),
        ...block("tls", linesIn(parts, "tls")),
      ];
    },
  },
});
