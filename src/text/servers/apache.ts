/** Lines for Apache, in its configuration and in `.htaccess` files. */
import { attributeName, cipherNames, cookiePattern, createTarget, policyName, type Renderers } from "./target.ts";

/** Lines that virtual hosts and `.htaccess` files may hold. */
const everywhere: Renderers<readonly string[]> = {
  header: ({ name, value, replaces }) => {
    const text = headerValue(value);
    return text === null ? null : [...(replaces ? [`Header unset ${name}`] : []), `Header always set ${name} ${text}`];
  },
  "remove-header": ({ name }) => [`Header unset ${name}`, `Header always unset ${name}`],
  policy: ({ directives, present }) => {
    const text = headerValue(directives);
    return text === null ? null : [`Header always ${present === "none" ? "set" : "add"} ${policyName} ${text}`];
  },
  // A field of the application is in the first table, one of Apache itself in the second.
  cookie: (fix) =>
    fix.attributes.flatMap((attribute) => {
      const pattern = `^(${cookiePattern(fix)}(?:(?!;\\s*${attributeName(attribute)}\\b).)*)$`;
      const edit = `edit Set-Cookie "(?i)${pattern}" "$1; ${attribute}"`;
      return [`Header ${edit}`, `Header always ${edit}`];
    }),
  charset: () => ["AddDefaultCharset UTF-8"],
  "no-listing": () => ["Options -Indexes"],
  "forwarded-scheme": () => ['RequestHeader set X-Forwarded-Proto "https"'],
  "path-redirect": ({ from, to }) => [`Redirect permanent ${from} ${to}`],
};

export const apache = createTarget<readonly string[]>({
  label: "Apache",
  renderers: {
    ...everywhere,
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
    // The second line is for the header of an application behind Apache.
    "server-version": () => ["ServerTokens Prod", "Header unset Server"],
    "path-type": ({ path, type }) => {
      const text = quotedValue(type);
      return text === null ? null : [`<Location ${path}>`, `ForceType ${text}`, "</Location>"];
    },
    "text-file": ({ path, folder }) => [`Alias ${path} ${folder}${path}`],
  },
  lines: (parts) => parts.flat(),
  // Lines of several findings may follow each other in one file, except those for the main configuration.
  bothPorts: {
    redirect: (host) => [`<If "%{HTTPS} != 'on'">`, `Redirect permanent / https://${host}/`, "</If>"],
    outside: "server-version",
  },
});

export const htaccess = createTarget<readonly string[]>({
  label: ".htaccess",
  renderers: {
    ...everywhere,
    // The redirect asks for the scheme, since both ports may read the file.
    "https-redirect": ({ host }) => [
      "RewriteEngine On",
      "RewriteCond %{HTTPS} !=on",
      `RewriteRule ^ https://${host}%{REQUEST_URI} [R=301,L]`,
    ],
    "path-type": ({ path, type }) => {
      const text = quotedValue(type);
      const file = path.split("/").at(-1) ?? "";
      return text === null || file === "" ? null : [`<Files "${file}">`, `ForceType ${text}`, "</Files>"];
    },
  },
  lines: (parts, comments) => [...comments, ...parts.flat()],
});

/** Quoted value; null if Apache would expand the text: `${name}` is a variable of its configuration. */
function quotedValue(value: string): string | null {
  return value.includes("${") ? null : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Quoted value for mod_headers, which expands escapes such as `\n` and `%%`. Null for a leading `expr=`, which it evaluates. */
function headerValue(value: string): string | null {
  return /^expr=/i.test(value) ? null : quotedValue(value.replaceAll("\\", "\\\\").replaceAll("%", "%%"));
}
