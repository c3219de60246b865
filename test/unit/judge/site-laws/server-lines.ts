/** Applies a line of nginx, Apache or Caddy to a modelled site. Lines without a counterpart in the model change nothing. */
import { modernSuites, soundTls } from "./any-site.ts";
import { lineOf, type Site } from "./site.ts";

export const servers = ["nginx", "Apache", "Caddy"] as const;
export type Server = (typeof servers)[number];

/** What a line does to a header. */
interface HeaderChange {
  readonly verb: "add" | "set" | "remove";
  readonly name: string;
  readonly value: string;
}

export function withServerLine(site: Site, server: Server, line: string): Site {
  const change = headerChangeOf[server](line);
  if (change !== null) return withHeaderChange(site, change);
  const cookies = withCookieLine(site, line);
  if (cookies !== null) return cookies;
  return settings.find(({ pattern }) => pattern.test(line))?.apply(site) ?? site;
}

/** nginx appends a field and hides the application's fields; Apache and Caddy can also replace them. */
const headerChangeOf: Readonly<Record<Server, (line: string) => HeaderChange | null>> = {
  nginx: (line) => {
    const hidden = /^(?:proxy|fastcgi)_hide_header ([\w-]+);$/.exec(line)?.[1];
    if (hidden !== undefined) return { verb: "remove", name: hidden, value: "" };
    const [, name, , value = ""] = /^add_header ([\w-]+) (["'])(.*)\2 always;$/.exec(line) ?? [];
    return name === undefined ? null : { verb: "add", name, value };
  },
  Apache: (line) => {
    const [, verb, name, value = ""] = /^Header (?:always )?(set|add|unset) ([\w-]+)(?: "(.*)")?$/.exec(line) ?? [];
    if (name === undefined) return null;
    return { verb: verb === "unset" ? "remove" : (verb as "set" | "add"), name, value: value.replaceAll('\\"', '"') };
  },
  Caddy: (line) => {
    const removed = /^header -([\w-]+)$/.exec(line)?.[1];
    if (removed !== undefined) return { verb: "remove", name: removed, value: "" };
    const [, sign, name, , value = ""] = /^(?:header | {2})(\+?)([A-Z][\w-]+) (["`])(.*)\3$/.exec(line) ?? [];
    return name === undefined ? null : { verb: sign === "+" ? "add" : "set", name, value };
  },
};

function withHeaderChange(site: Site, { verb, name: written, value }: HeaderChange): Site {
  const name = written.toLowerCase();
  const part = name.startsWith("access-control-") ? "cors" : "headers";
  const { [name]: before = [], ...others } = site[part];
  const values = { add: [...before, value], set: [value], remove: [] }[verb];
  return { ...site, [part]: values.length === 0 ? others : { ...others, [name]: values } };
}

/** nginx sets an attribute; Apache and Caddy rewrite the Set-Cookie field by a regular expression. */
function withCookieLine(site: Site, line: string): Site | null {
  const [, pattern, flag = ""] = /^proxy_cookie_flags (\S+) (\S+);$/.exec(line) ?? [];
  if (pattern !== undefined) return withCookieFlag(site, pattern, flag);
  const [, apache, apacheText] = /^Header (?:always )?edit Set-Cookie "(.*)" "(.*)"$/.exec(line) ?? [];
  const [, caddy, caddyText] = /^ {2}Set-Cookie (\S+) "(.*)"$/.exec(line) ?? [];
  const [expression, text = ""] = [apache ?? caddy, apacheText ?? caddyText];
  if (expression === undefined) return null;
  const rewritten = new RegExp(expression.replace(/^\(\?i\)/, ""), expression.startsWith("(?i)") ? "i" : "");
  return {
    ...site,
    cookies: site.cookies.map((cookie) => {
      const [pair = "", ...attributes] = lineOf(cookie).replace(rewritten, text).split("; ");
      return { name: pair.split("=", 1)[0] ?? cookie.name, attributes };
    }),
  };
}

/** `~` is a regular expression; nginx replaces an attribute that is there. */
function withCookieFlag(site: Site, pattern: string, flag: string): Site {
  const attribute = { secure: "Secure", httponly: "HttpOnly", "samesite=lax": "SameSite=Lax" }[flag] ?? flag;
  const matches = (name: string) => (pattern.startsWith("~") ? new RegExp(pattern.slice(1)).test(name) : name === pattern);
  const isReplaced = (one: string) => one === attribute || (attribute.startsWith("SameSite") && one.startsWith("SameSite"));
  const withFlag = (attributes: readonly string[]) => [...attributes.filter((one) => !isReplaced(one)), attribute];
  return {
    ...site,
    cookies: site.cookies.map((cookie) => (matches(cookie.name) ? { ...cookie, attributes: withFlag(cookie.attributes) } : cookie)),
  };
}

/** Lines that set neither a header nor a cookie. */
const settings: readonly { readonly pattern: RegExp; apply(site: Site): Site }[] = [
  {
    pattern: /^(?:return 301 https:|Redirect permanent \/ https:|redir https:)/,
    apply: (site) => ({ ...site, plainHttp: "redirects" }),
  },
  {
    pattern: /^(?:ssl_protocols |SSLProtocol | {2}protocols )/,
    apply: (site) => ({ ...site, tls: { ...site.tls, versions: ["1.2", "1.3"] } }),
  },
  { pattern: /^(?:ssl_ciphers |SSLCipherSuite )/, apply: (site) => ({ ...site, tls: { ...site.tls, ...modernSuites } }) },
  {
    pattern: /^(?:ssl_ecdh_curve |SSLOpenSSLConfCmd Curves | {2}curves )/,
    apply: (site) => ({ ...site, tls: { ...site.tls, weakCurve: null } }),
  },
  { pattern: /^(?:listen 443 ssl;|SSLEngine on)$/, apply: (site) => ({ ...site, scheme: "https", tls: soundTls }) },
  {
    pattern: /^(?:server_tokens off;|ServerTokens Prod)$/,
    apply: (site) => ({ ...site, headers: { ...site.headers, server: ["server"] } }),
  },
  {
    pattern: /^(?:charset utf-8;|AddDefaultCharset UTF-8)$/,
    apply: (site) => ({ ...site, headers: { ...site.headers, "content-type": ["text/html; charset=utf-8"] } }),
  },
];
