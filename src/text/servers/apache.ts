/** Lines for Apache, in its configuration and in `.htaccess` files. */
import type { Fix } from "../../check/fix.ts";
import {
  cipherNames,
  cookiePattern,
  inexpressible,
  policyName,
  type Renderers,
  renderFix,
  type ServerNote,
  type Target,
  type WriteNote,
} from "./target.ts";

const renderers: Renderers<readonly string[]> = {
  header: ({ name, value, replaces }) => {
    const text = headerValue(value);
    return text === null ? null : [...(replaces ? [`Header unset ${name}`] : []), `Header always set ${name} ${text}`];
  },
  "remove-header": ({ name }) => [`Header unset ${name}`, `Header always unset ${name}`],
  policy: ({ directives, present }) => {
    const text = headerValue(directives);
    return text === null ? null : [`Header always ${present === "none" ? "set" : "add"} ${policyName} ${text}`];
  },
  "new-policy": inexpressible,
  // A field of the application is in the first table, one of Apache itself in the second.
  cookie: (fix) =>
    fix.attributes.flatMap((attribute) => {
      const [name = ""] = attribute.toLowerCase().split("=");
      const edit = `edit Set-Cookie "(?i)^(${cookiePattern(fix)}(?:(?!;\\s*${name}\\b).)*)$" "$1; ${attribute}"`;
      return [`Header ${edit}`, `Header always ${edit}`];
    }),
  certificate: ({ host, also }) => [
    ...(also === "listen" ? ["SSLEngine on"] : []),
    ...(also === "name" ? [`ServerName ${host}`] : []),
    `SSLCertificateFile /etc/letsencrypt/live/${host}/fullchain.pem`,
    `SSLCertificateKeyFile /etc/letsencrypt/live/${host}/privkey.pem`,
  ],
  "https-redirect": ({ host }) => [`Redirect permanent / https://${host}/`],
  "tls-protocols": () => ["SSLProtocol -all +TLSv1.2 +TLSv1.3"],
  "tls-ciphers": () => [`SSLCipherSuite ${cipherNames}`],
  "tls-curves": () => ["SSLOpenSSLConfCmd Curves X25519:prime256v1:secp384r1"],
  charset: () => ["AddDefaultCharset UTF-8"],
  // The second line is for the header of an application behind Apache.
  "server-version": () => ["ServerTokens Prod", "Header unset Server"],
  "no-listing": () => ["Options -Indexes"],
  "forwarded-scheme": () => ['RequestHeader set X-Forwarded-Proto "https"'],
  "path-redirect": ({ from, to }) => [`Redirect permanent ${from} ${to}`],
  "path-type": ({ path, type }) => {
    const text = quotedValue(type);
    return text === null ? null : [`<Location ${path}>`, `ForceType ${text}`, "</Location>"];
  },
  "text-file": ({ path, folder }) => [`Alias ${path} ${folder}${path}`],
};

/** Redirect that asks for the scheme, since both ports may read the file. */
function conditionalRedirect(host: string): readonly string[] {
  return ["RewriteEngine On", "RewriteCond %{HTTPS} !=on", `RewriteRule ^ https://${host}%{REQUEST_URI} [R=301,L]`];
}

/** `.htaccess` files may hold neither TLS settings nor aliases. */
const htaccessRenderers: Renderers<readonly string[]> = {
  ...renderers,
  certificate: inexpressible,
  "https-redirect": ({ host }) => conditionalRedirect(host),
  "tls-protocols": inexpressible,
  "tls-ciphers": inexpressible,
  "tls-curves": inexpressible,
  "server-version": inexpressible,
  "path-type": ({ path, type }) => {
    const text = quotedValue(type);
    const file = path.split("/").at(-1) ?? "";
    return text === null || file === "" ? null : [`<Files "${file}">`, `ForceType ${text}`, "</Files>"];
  },
  "text-file": inexpressible,
};

/** Quoted value; null if Apache would expand the text: `${name}` is a variable of its configuration. */
function quotedValue(value: string): string | null {
  return value.includes("${") ? null : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Quoted value for mod_headers, which expands escapes such as `\n` and `%%`. Null for a leading `expr=`, which it evaluates. */
function headerValue(value: string): string | null {
  return /^expr=/i.test(value) ? null : quotedValue(value.replaceAll("\\", "\\\\").replaceAll("%", "%%"));
}

function linesWith(used: typeof renderers): Target["lines"] {
  return (fixes) => fixes.flatMap((fix) => renderFix(used, fix) ?? []);
}

/** Lines of several findings may follow each other in one file, except those for the main configuration. */
function wholeOf(fixes: readonly Fix[], notes: readonly ServerNote[], write: WriteNote): readonly string[] {
  const comment = (note: ServerNote) => `# ${write(note)}`;
  const main = fixes.filter(({ kind }) => kind === "server-version");
  const redirects = fixes.filter((fix) => fix.kind === "https-redirect");
  const others = fixes.filter((fix) => !main.includes(fix) && fix.kind !== "https-redirect");
  const lines = linesWith(renderers);
  return [
    ...notes.map(comment),
    ...(main.length > 0 ? [comment("outside"), ...lines(main)] : []),
    ...(redirects.length > 0 ? [comment("plain"), ...redirects.flatMap(({ host }) => ifPlain(host))] : []),
    ...(main.length + redirects.length > 0 && others.length > 0 ? [comment("secure")] : []),
    ...lines(others),
  ];
}

function ifPlain(host: string): readonly string[] {
  return [`<If "%{HTTPS} != 'on'">`, `Redirect permanent / https://${host}/`, "</If>"];
}

export const apache: Target = {
  label: "Apache",
  expresses: (fix) => renderFix(renderers, fix) !== null,
  lines: linesWith(renderers),
  whole: wholeOf,
};

export const htaccess: Target = {
  label: ".htaccess",
  expresses: (fix) => renderFix(htaccessRenderers, fix) !== null,
  lines: linesWith(htaccessRenderers),
  whole: (fixes, notes, write) => [...notes.map((note) => `# ${write(note)}`), ...linesWith(htaccessRenderers)(fixes)],
};
