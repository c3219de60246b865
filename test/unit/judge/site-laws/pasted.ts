/** Follows remediations: applies their lines for nginx, and their DNS records and files, to a modelled site. */
import enGb from "../../../../locales/en-gb.json" with { type: "json" };
import type { CheckTexts } from "../../../../src/check/check.ts";
import type { StoredFinding } from "../../../../src/judge/result.ts";
import { soundTls } from "./any-site.ts";
import type { Change } from "./changes.ts";
import { host, policyHost, type Site } from "./site.ts";

const owners = ["@", "_dmarc", "_mta-sts", "_smtp._tls"] as const;
const checks: Readonly<Record<string, CheckTexts>> = enGb.checks;

/** One change for each finding: all lines of its remediation. */
export function pastedChanges(site: Site, findings: readonly StoredFinding[]): readonly Change[] {
  return findings.flatMap((finding) => {
    const lines = filledLines(finding);
    return lines.length === 0 ? [] : [{ name: `lines of ${finding.code}`, after: withLines(site, lines) }];
  });
}

/** Lines of a remediation, with the values of the finding. */
function filledLines({ code, checkKey, values }: StoredFinding): readonly string[] {
  const filling: Readonly<Record<string, unknown>> = { ...values, host };
  const [, ...lines] = checks[checkKey]?.findings[code]?.remediation.split("\n") ?? [];
  return lines.map((line) => line.replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => String(filling[name] ?? "")));
}

export function withLines(site: Site, lines: readonly string[]): Site {
  const files = new Map<string, readonly string[]>();
  let after = site;
  for (const line of lines) {
    const [, target = "", rest = ""] = /^([\w.-]+): (.*)$/.exec(line) ?? [];
    if (target === "nginx") after = withNginxLine(after, rest);
    if (target === "DNS") after = withRecord(after, rest);
    if (target.endsWith(".txt")) files.set(target, [...(files.get(target) ?? []), rest]);
  }
  return withFiles(after, files);
}

function withNginxLine(site: Site, line: string): Site {
  const hidden = /^(?:proxy|fastcgi)_hide_header ([\w-]+);$/.exec(line)?.[1]?.toLowerCase();
  if (hidden !== undefined) return withoutHeader(site, hidden);
  const [, name, , value = ""] = /^add_header ([\w-]+) (["'])(.*)\2 always;$/.exec(line) ?? [];
  if (name !== undefined) return withAddedHeader(site, name.toLowerCase(), value);
  const [, pattern, flag = ""] = /^proxy_cookie_flags (\S+) (\S+);$/.exec(line) ?? [];
  if (pattern !== undefined) return withCookieFlag(site, pattern, flag);
  if (line.startsWith("return 301 https://")) return { ...site, plainHttp: "redirects" };
  if (line.startsWith("ssl_protocols ")) return { ...site, tls: { ...site.tls, versions: ["1.2", "1.3"] } };
  if (line.startsWith("ssl_ciphers ")) return { ...site, tls: { ...site.tls, cipher: "modern" } };
  if (line === "listen 443 ssl;") return { ...site, scheme: "https", tls: soundTls };
  if (line === "server_tokens off;") return { ...site, headers: { ...site.headers, server: ["nginx"] } };
  if (line === "charset utf-8;") return { ...site, headers: { ...site.headers, "content-type": ["text/html; charset=utf-8"] } };
  return site;
}

/** nginx appends a field; it does not replace what the application sends. */
function withAddedHeader(site: Site, name: string, value: string): Site {
  const part = name.startsWith("access-control-") ? "cors" : "headers";
  return { ...site, [part]: { ...site[part], [name]: [...(site[part][name] ?? []), value] } };
}

function withoutHeader(site: Site, name: string): Site {
  const { [name]: _header, ...headers } = site.headers;
  const { [name]: _cors, ...cors } = site.cors;
  return { ...site, headers, cors };
}

/** `~` is a regular expression; nginx replaces an attribute that is there. */
function withCookieFlag(site: Site, pattern: string, flag: string): Site {
  const attribute = { secure: "Secure", httponly: "HttpOnly", "samesite=lax": "SameSite=Lax" }[flag] ?? flag;
  const matches = (name: string) => (pattern.startsWith("~") ? new RegExp(pattern.slice(1)).test(name) : name === pattern);
  const without = (attributes: readonly string[]) =>
    attributes.filter((one) => one !== attribute && !(attribute.startsWith("SameSite") && one.startsWith("SameSite")));
  return {
    ...site,
    cookies: site.cookies.map((cookie) =>
      matches(cookie.name) ? { ...cookie, attributes: [...without(cookie.attributes), attribute] } : cookie,
    ),
  };
}

/** Replaces the records of that kind; CAA records are added. */
function withRecord(site: Site, line: string): Site {
  const [, owner = "", text] = /^(\S+)\.? IN TXT "(.*)"$/.exec(line) ?? [];
  const [, tag, value = ""] = / IN CAA \d+ (\w+) "(.*)"$/.exec(line) ?? [];
  if (tag !== undefined) return { ...site, caa: [...site.caa.filter(([other]) => other !== tag), [tag, value]] };
  if (line.startsWith(policyHost)) return site;
  if (text === undefined) return site;
  const name = owner.replace(/\.$/, "");
  const kind = owners.find((one) => name === (one === "@" ? host : `${one}.${host}`));
  return kind === undefined ? site : { ...site, texts: { ...site.texts, [kind]: [text] } };
}

function withFiles(site: Site, files: ReadonlyMap<string, readonly string[]>): Site {
  const policy = files.get("mta-sts.txt");
  const contact = files.get("security.txt");
  const bodyOf = (lines: readonly string[]) => `${lines.join("\r\n")}\r\n`;
  return {
    ...site,
    mtaStsPolicy: policy === undefined ? site.mtaStsPolicy : bodyOf(policy),
    securityTxt: contact === undefined ? site.securityTxt : withSecurityTxt(site.securityTxt, contact),
  };
}

/** Lines replace the fields of their names; a complete file begins with Contact. */
function withSecurityTxt(before: Site["securityTxt"], lines: readonly string[]): Site["securityTxt"] {
  const names = lines.map((line) => line.split(":", 1)[0]);
  const kept = (before?.body.split("\r\n") ?? []).filter((line) => line !== "" && !names.includes(line.split(":", 1)[0]));
  const body = `${[...kept, ...lines].join("\r\n")}\r\n`;
  return { at: before?.at ?? "well-known", contentType: before?.contentType ?? "text/plain; charset=utf-8", body };
}
