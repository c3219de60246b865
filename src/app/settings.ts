/** Schema of all settings: purpose, allowed values, default and flag. */
import { availableParallelism, homedir, totalmem } from "node:os";
import { join } from "node:path";
import { type StaticDecode, type TSchema, Type } from "@sinclair/typebox";
import { parseCidr } from "../egress/address-policy.ts";
import { parseConnectTo, parseContact, parseEndpoint, parseOrigin, parseResolver } from "../parse/address.ts";
import { parseHsts } from "../parse/hsts.ts";
import { defaultDeadlines } from "../scan/task.ts";
import { isEmail } from "../store/account-index.ts";
import { plans } from "../store/accounts.ts";
import { pageLocales } from "../text/i18n.ts";

const scanConcurrencyDefaultMax = 4;
/** Estimated peak memory of one scan: browser pages and worker. */
const bytesPerScan = 700 * 1024 ** 2;

export type Environment = Readonly<Record<string, string | undefined>>;

interface Earlier {
  readonly profile?: "internet" | "internal";
  readonly public_url?: string | null;
}

export interface Setting<S extends TSchema = TSchema> {
  readonly schema: S;
  /** One sentence for `--help` and the documentation. */
  readonly doc: string;
  /** Allowed values, as the end of the sentence "it takes ...". */
  readonly allowed: string;
  readonly fallback: (env: Environment, earlier: Earlier) => unknown;
  /** The default in words, where `fallback` computes it or null has a meaning. */
  readonly defaultDoc?: string;
  /** In commander's notation; repeatable when the value is a list. */
  readonly flag?: string;
  /** A path in a file is relative to the file, elsewhere to the working directory. */
  readonly isPath?: true;
}

function setting<S extends TSchema>(schema: S, rest: Omit<Setting, "schema">): Setting<S> {
  return { schema, ...rest };
}

function oneOf<const T extends readonly string[]>(...words: T) {
  return Type.Unsafe<T[number]>(Type.Union(words.map((word) => Type.Literal(word))));
}

/** Schema of a text that `parse` converts; null from the parser is an error. */
function parsed<T extends {}>(parse: (text: string) => T | null) {
  return Type.Transform(Type.String())
    .Decode((text): T => {
      const value = parse(text);
      if (value === null) throw new Error("out of form");
      return value;
    })
    .Encode(() => {
      throw new Error("settings are read, never written");
    });
}

const path = Type.String({ minLength: 1 });
const optional = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const ranges = Type.Array(parsed(parseRange));
const none = () => [];

export const settings = {
  data: setting(path, {
    doc: "Folder of everything that is stored: accounts, scans, results, the unpacked browser.",
    allowed: "a folder",
    fallback: defaultDataDir,
    defaultDoc: "root: /var/lib/assay; others: $XDG_DATA_HOME/assay or ~/.local/share/assay",
    flag: "--data <dir>",
    isPath: true,
  }),
  listen: setting(parsed(parseEndpoint), {
    doc: "Address and port of the pages and the API. Port 0 takes a free one.",
    allowed: "address:port, as in 127.0.0.1:8787 or [::1]:8787",
    fallback: () => "127.0.0.1:8787",
    flag: "--listen <address:port>",
  }),
  public_url: setting(optional(parsed(parseOrigin)), {
    doc: "Address under which visitors reach this server: used for links and for the Origin check of forms.",
    allowed: "http:// or https:// and a host, without a path, as in https://assay.example.org",
    fallback: () => null,
    flag: "--public-url <origin>",
  }),
  trusted_proxies: setting(ranges, {
    doc: "Reverse proxies whose X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host are trusted.",
    allowed: "a list of addresses or ranges, as in 10.0.0.0/8",
    fallback: none,
    flag: "--trusted-proxy <cidr...>",
  }),
  profile: setting(oneOf("internet", "internal"), {
    doc: "Which targets may be scanned: public addresses only, or private and loopback ones too.",
    allowed: "internet or internal",
    fallback: () => "internet",
    flag: "--profile <internet|internal>",
  }),
  "accounts.signup": setting(oneOf("closed", "invite", "open"), {
    doc: "Who may create an account: no visitor, visitors with a link from an administrator, or everybody.",
    allowed: "closed, invite or open",
    fallback: () => "closed",
  }),
  "accounts.default_plan": setting(oneOf(...plans), {
    doc: "Plan of accounts created by sign-up or invitation; agency in profile internal, else free.",
    allowed: plans.join(" or "),
    fallback: (_env, { profile }) => (profile === "internal" ? "agency" : "free"),
    defaultDoc: "free; in profile internal agency",
  }),
  "accounts.password_min": setting(Type.Integer({ minimum: 8, maximum: 128 }), {
    doc: "Minimum number of characters of a password.",
    allowed: "a whole number from 8 to 128",
    fallback: () => 12,
  }),
  "admin.email": setting(optional(parsed(parseMailAddress)), {
    doc: "Mail address of the first account, created when a server without accounts starts; needs admin.password_file.",
    allowed: "a mail address",
    fallback: () => null,
  }),
  "admin.password_file": setting(optional(path), {
    doc: "File whose first line is the password of the first account; needs admin.email.",
    allowed: "a file",
    fallback: () => null,
    isPath: true,
  }),
  "guest.scans": setting(Type.Boolean(), {
    doc: "Whether visitors who are not signed in may scan.",
    allowed: "true or false",
    fallback: () => true,
  }),
  "guest.rate_per_hour": setting(Type.Integer({ minimum: 1, maximum: 100_000 }), {
    doc: "Scans an hour that visitors who are not signed in may start from one address (IPv6: one /64).",
    allowed: "a whole number from 1 to 100000",
    fallback: () => 20,
  }),
  "scan.cooldown": setting(Type.Integer({ minimum: 0, maximum: 3_600 }), {
    doc: "Seconds in which the form answers a second request for the same URL with the scan of the first; 0 switches this off.",
    allowed: "a whole number of seconds from 0 to 3600",
    fallback: () => 60,
  }),
  "scan.concurrency": setting(Type.Integer({ minimum: 1, maximum: 64 }), {
    doc: "Scans that run at the same time.",
    allowed: "a whole number from 1 to 64",
    fallback: defaultConcurrency,
    defaultDoc: "two for each core, at most 4, fewer with little memory",
    flag: "--concurrency <n>",
  }),
  "scan.queue_max": setting(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    doc: "Scans that may wait; beyond that a new one gets 503. Guests and the plan Free may use half of it.",
    allowed: "a whole number from 1 to 1000000",
    fallback: () => 1_000,
  }),
  "scan.timeout": setting(Type.Integer({ minimum: 5, maximum: 600 }), {
    doc: "Seconds until a scan is ended as failed.",
    allowed: "a whole number of seconds from 5 to 600",
    fallback: () => defaultDeadlines.scanMs / 1000,
    flag: "--timeout <seconds>",
  }),
  "scan.allow_cidrs": setting(ranges, {
    doc: "Address ranges allowed in addition to the profile.",
    allowed: "a list of addresses or ranges, as in 192.168.0.0/16",
    fallback: none,
    flag: "--allow-cidr <cidr...>",
  }),
  "scan.deny_cidrs": setting(ranges, {
    doc: "Address ranges blocked in addition to the profile; overrides scan.allow_cidrs.",
    allowed: "a list of addresses or ranges, as in 203.0.113.0/24",
    fallback: none,
    flag: "--deny-cidr <cidr...>",
  }),
  "scan.allow_ports": setting(Type.Array(Type.Union([Type.Literal("any"), Type.Integer({ minimum: 1, maximum: 65_535 })])), {
    doc: "Ports allowed besides 80 and 443; profile internal allows all.",
    allowed: 'a list of ports from 1 to 65535, or "any"',
    fallback: none,
    flag: "--allow-port <port...>",
  }),
  "scan.connect_to": setting(Type.Array(parsed(parseConnectTo)), {
    doc: "Names dialled at a fixed address, for sites that the resolver does not know.",
    allowed: "a list of host:port=address:port, as in site.test:443=127.0.0.1:8443",
    fallback: none,
    flag: "--connect-to <host:port=address:port...>",
  }),
  "scan.ca_files": setting(Type.Array(path), {
    doc: "Certificates (PEM) trusted besides the bundled roots.",
    allowed: "a list of files",
    fallback: none,
    flag: "--ca-file <file...>",
    isPath: true,
  }),
  "scan.system_roots": setting(Type.Boolean(), {
    doc: "Whether the roots that this machine trusts are trusted besides the bundled ones (SSL_CERT_FILE or its usual file).",
    allowed: "true or false",
    fallback: () => true,
    flag: "--system-roots <true|false>",
  }),
  "dns.servers": setting(Type.Array(parsed(parseResolver)), {
    doc: "Resolvers asked instead of the system's.",
    allowed: "a list of address or address:port, as in 9.9.9.9",
    fallback: none,
    defaultDoc: "the system's",
    flag: "--dns <address[:port]...>",
  }),
  "checks.dir": setting(optional(path), {
    doc: "Folder of checks of your own; <data>/checks when not set.",
    allowed: "a folder",
    fallback: () => null,
    defaultDoc: "<data>/checks",
    flag: "--checks-dir <dir>",
    isPath: true,
  }),
  "browser.path": setting(optional(path), {
    doc: "Chromium to use instead of the embedded one.",
    allowed: "an executable file",
    fallback: () => null,
    defaultDoc: "the embedded one",
    flag: "--browser-path <file>",
    isPath: true,
  }),
  "browser.sandbox": setting(oneOf("auto", "on", "off"), {
    doc: "Chromium's sandbox: auto uses it wherever the system allows.",
    allowed: "auto, on or off",
    fallback: () => "auto",
    flag: "--browser-sandbox <auto|on|off>",
  }),
  "browser.dir": setting(optional(path), {
    doc: "Folder the embedded browser is unpacked into; <data>/browser when not set.",
    allowed: "a folder on a file system that allows programs to run",
    fallback: () => null,
    defaultDoc: "<data>/browser",
    isPath: true,
  }),
  "api.rate_per_minute": setting(Type.Integer({ minimum: 1, maximum: 100_000 }), {
    doc: "API requests a minute, for each account and calling address.",
    allowed: "a whole number from 1 to 100000",
    fallback: () => 60,
  }),
  "report.stale_days": setting(Type.Integer({ minimum: 1, maximum: 3_650 }), {
    doc: "Days after which a report is marked as old.",
    allowed: "a whole number from 1 to 3650",
    fallback: () => 30,
  }),
  "report.index": setting(Type.Boolean(), {
    doc: "Whether search engines may list reports.",
    allowed: "true or false",
    fallback: () => false,
  }),
  "security.contact": setting(optional(parsed(parseContact)), {
    doc: "Where to report a vulnerability of this server; published in /.well-known/security.txt.",
    allowed: "a mail address or a URL that begins with https://",
    fallback: () => null,
  }),
  "security.hsts": setting(parsed(parseHstsSetting), {
    doc: "Strict-Transport-Security of answers over https, or off.",
    allowed: "off, or a value with max-age, as in max-age=63072000; includeSubDomains",
    fallback: (_env, { public_url }) => (public_url?.startsWith("https:") ? "max-age=63072000; includeSubDomains" : "off"),
    defaultDoc: "max-age=63072000; includeSubDomains with a public_url on https, else off",
  }),
  "plans.contact": setting(optional(parsed(parseContact)), {
    doc: "Where to ask for another plan; shown on /plans.",
    allowed: "a mail address or a URL that begins with https://",
    fallback: () => null,
  }),
  "legal.imprint_file": setting(optional(path), {
    doc: "Text shown on /imprint; blank lines separate paragraphs.",
    allowed: "a text file",
    fallback: () => null,
    isPath: true,
  }),
  "legal.privacy_file": setting(optional(path), {
    doc: "Text shown on /privacy; blank lines separate paragraphs.",
    allowed: "a text file",
    fallback: () => null,
    isPath: true,
  }),
  "log.level": setting(oneOf("debug", "info", "warn", "error"), {
    doc: "Lowest level that is logged.",
    allowed: "debug, info, warn or error",
    fallback: () => "info",
    flag: "--log-level <debug|info|warn|error>",
  }),
  "log.format": setting(oneOf("auto", "text", "json"), {
    doc: "Log lines for people or for programs; auto is text on a terminal and JSON elsewhere.",
    allowed: "auto, text or json",
    fallback: () => "auto",
    flag: "--log-format <auto|text|json>",
  }),
  "locale.default": setting(oneOf(...pageLocales), {
    doc: "Language of reports on the command line, and of pages for visitors who request no available language.",
    allowed: pageLocales.join(" or "),
    fallback: () => "en-gb",
    flag: `--locale <${pageLocales.join("|")}>`,
  }),
} as const;

export type SettingKey = keyof typeof settings;
export const settingKeys = Object.keys(settings) as readonly SettingKey[];

/** Values by dotted key, as in the TOML file. Times are in seconds. */
export type Config = { readonly [K in SettingKey]: StaticDecode<(typeof settings)[K]["schema"]> };

function parseMailAddress(text: string): string | null {
  return isEmail(text) ? text : null;
}

function parseHstsSetting(text: string): string | null {
  return text === "off" || "maxAgeSeconds" in parseHsts(text) ? text : null;
}

function parseRange(text: string): string | null {
  try {
    parseCidr(text);
    return text;
  } catch {
    return null;
  }
}

/** /var/lib for root, otherwise the data folder of the XDG Base Directory Specification. */
function defaultDataDir(env: Environment): string {
  if (process.getuid?.() === 0) return "/var/lib/assay";
  return join(env.XDG_DATA_HOME || join(env.HOME || homedir(), ".local/share"), "assay");
}

/** Two scans per core, because a scan mostly waits for the page. */
function defaultConcurrency(): number {
  return Math.max(1, Math.min(scanConcurrencyDefaultMax, 2 * availableParallelism(), Math.floor(totalmem() / bytesPerScan)));
}
