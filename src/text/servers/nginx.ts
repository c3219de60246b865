/** Lines for nginx. */
import type { CookieAttribute } from "../../check/fix.ts";
import { cipherNames, createTarget, type FixOf, policyName, type Renderers } from "./target.ts";

const flags: Readonly<Record<CookieAttribute, string>> = { Secure: "secure", HttpOnly: "httponly", "SameSite=Lax": "samesite=lax" };

/** Lines; a cookie fix itself, because the lines of all cookies depend on each other. */
type Part = readonly string[] | FixOf<"cookie">;

const renderers: Renderers<Part> = {
  header: ({ name, value, replaces }) => prefixed(replaces ? hidden(name) : [], added(name, value)),
  "remove-header": ({ name }) => hidden(name),
  policy: ({ directives }) => prefixed([], added(policyName, directives)),
  cookie: (fix) => fix,
  certificate: ({ host, also }) => [
    ...(also === "listen" ? ["listen 443 ssl;"] : []),
    ...(also === "name" ? [`server_name ${host};`] : []),
    `ssl_certificate /etc/letsencrypt/live/${host}/fullchain.pem;`,
    `ssl_certificate_key /etc/letsencrypt/live/${host}/privkey.pem;`,
  ],
  "https-redirect": () => ["return 301 https://$host$request_uri;"],
  "tls-protocols": () => ["ssl_protocols TLSv1.2 TLSv1.3;"],
  "tls-ciphers": () => [`ssl_ciphers ${cipherNames};`],
  "tls-curves": () => ["ssl_ecdh_curve X25519:prime256v1:secp384r1;"],
  charset: () => ["charset utf-8;"],
  "server-version": () => ["server_tokens off;"],
  "no-listing": () => ["autoindex off;"],
  "forwarded-scheme": () => ["proxy_set_header X-Forwarded-Proto $scheme;"],
  "path-redirect": ({ from, to }) => [`location = ${from} { return 301 ${to}; }`],
  "path-type": ({ path, type }) => {
    const value = quotedValue(type);
    return value === null ? null : [`location = ${path} { types {} default_type ${value}; }`];
  },
  "text-file": ({ path, folder }) => [`location = ${path} { default_type text/plain; root ${folder}; }`],
};

function prefixed(before: readonly string[], line: string | null): readonly string[] | null {
  return line === null ? null : [...before, line];
}

function hidden(name: string): readonly string[] {
  return [`proxy_hide_header ${name};`, `fastcgi_hide_header ${name};`];
}

function added(name: string, value: string): string | null {
  const text = quotedValue(value);
  return text === null ? null : `add_header ${name} ${text} always;`;
}

/** Quoted value; null for `$`: nginx reads a variable there, and has no escape for it. A backslash escapes in both kinds of quotes. */
function quotedValue(value: string): string | null {
  if (value.includes("$")) return null;
  const escaped = value.replaceAll("\\", "\\\\");
  if (value.includes('"') && !value.includes("'")) return `'${escaped}'`;
  return `"${escaped.replaceAll('"', '\\"')}"`;
}

/** nginx takes only the first line that fits a cookie. Names come first, with the flags of all cookies too. */
function cookieLines(fixes: readonly FixOf<"cookie">[]): readonly string[] {
  const attributesOf = (fits: (fix: FixOf<"cookie">) => boolean) => [
    ...new Set(fixes.filter(fits).flatMap(({ attributes }) => attributes)),
  ];
  const names = [...new Set(fixes.flatMap(({ cookies }) => (typeof cookies === "string" ? [] : cookies.names.split(","))))];
  const isNamed = (cookies: FixOf<"cookie">["cookies"], name: string) =>
    typeof cookies === "string" ? cookies === "all" || /^__(?:Host|Secure)-/.test(name) : cookies.names.split(",").includes(name);
  const general = attributesOf(({ cookies }) => cookies === "all");
  const ofPrefixed = fixes.some(({ cookies }) => cookies === "prefixed") ? attributesOf(({ cookies }) => typeof cookies === "string") : [];
  const entries: readonly (readonly [string, readonly CookieAttribute[]])[] = [
    ...names.map((name) => [name, attributesOf(({ cookies }) => isNamed(cookies, name))] as const),
    ["~^__(Host|Secure)-", ofPrefixed],
    ["~", general],
  ];
  return entries
    .filter(([, attributes]) => attributes.length > 0)
    .map(([cookie, attributes]) => `proxy_cookie_flags ${cookie} ${attributes.map((attribute) => flags[attribute]).join(" ")};`);
}

export const nginx = createTarget<Part>({
  label: "nginx",
  renderers,
  lines: (parts) => [...parts.flatMap((part) => ("kind" in part ? [] : part)), ...cookieLines(parts.filter((part) => "kind" in part))],
  // All lines fit into one server block for both ports, so the redirect asks for the scheme.
  bothPorts: { redirect: () => ["if ($scheme = http) { return 301 https://$host$request_uri; }"] },
});
