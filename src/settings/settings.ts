/** Schema of all settings: purpose, allowed values, default and flag. */

import { homedir } from "node:os";
import { join } from "node:path";
import { type StaticDecode, Type } from "@sinclair/typebox";
import { parseContact, parseOrigin } from "../parse/address.ts";
import { parseHsts } from "../parse/header-values.ts";
import { isEmail } from "../parse/mail/address.ts";
import { plans } from "../store/accounts.ts";
import { screenshotsKeptDefault } from "../store/store.ts";
import { pageLocales } from "../text/i18n.ts";
import { settingsOfFleet, settingsOfScans } from "./scans.ts";
import { settingsOfDelivery, settingsOfOidc } from "./services.ts";
import { addressRanges, choice, type Environment, endpoint, file, integer, optional, parsed, path, setting, yesNo } from "./setting.ts";

export type BackupSchedule = { readonly hour: number; readonly minute: number } | { readonly everyHours: number };

const everyHoursMax = 168;
const scheduleOff = "off";

const settingsOfBackups = {
  "backup.dir": setting(path, {
    doc: "Folder of the backups. On a disk of its own, they outlive that of the data directory.",
    allowed: "a folder",
    fallback: (_env, { data = "" }) => join(data, "backups"),
    defaultDoc: "<data>/backups",
    isPath: true,
  }),
  "backup.schedule": setting(parsed(parseScheduleSetting), {
    doc: "When the server makes a backup: each day at a time of the server's time zone, or every so many hours.",
    allowed: "off, a time as in 03:30, or 1h to 168h",
    fallback: scheduleOff,
  }),
  "backup.keep": integer(1, 10_000, {
    doc: "Backups that stay in backup.dir after a scheduled one; older ones are removed.",
    fallback: 7,
  }),
} as const;

const daysMax = 36_500;

const settingsOfRetention = {
  "retention.evidence_days": integer(1, daysMax, {
    doc: "Days after which evidence and screenshot of a scan are removed. Its score, checks and findings stay.",
    fallback: 90,
  }),
  "retention.scans_per_host": setting(optional(Type.Integer({ minimum: 1, maximum: 10_000 })), {
    doc: "Newest scans of each host and location that keep evidence and screenshot, within retention.evidence_days.",
    allowed: "a whole number from 1 to 10000",
    defaultDoc: "all",
  }),
  "retention.screenshots": integer(0, 1_000_000, {
    doc: "Newest scans that keep their screenshot, at most 400 KB each; 0 keeps none. Each proof counts as three.",
    fallback: screenshotsKeptDefault,
  }),
  "retention.proof_days": integer(1, daysMax, {
    doc: "Days after which a proof is removed.",
    fallback: 30,
  }),
  "audit.days": integer(1, daysMax, {
    doc: "Days after which entries of the audit log are removed; the newest 200,000 are kept at most.",
    fallback: 400,
  }),
} as const;

const settingsOfMetrics = {
  "metrics.listen": setting(optional(endpoint), {
    doc: "Address and port for /metrics alone, without a token. Port 0 takes a free one.",
    allowed: "address:port, as in 127.0.0.1:8789",
  }),
  "metrics.token_file": file({ doc: "File whose first line is the bearer token that opens /metrics beside pages and API." }),
} as const;

export const settings = {
  data: setting(path, {
    doc: "Folder of everything that is stored: accounts, scans, results, the unpacked browser.",
    allowed: "a folder",
    fallback: defaultDataDir,
    defaultDoc: "root: /var/lib/assay; others: $XDG_DATA_HOME/assay or ~/.local/share/assay",
    flag: "--data <dir>",
    isPath: true,
  }),
  listen: setting(endpoint, {
    doc: "Address and port of the pages and the API. Port 0 takes a free one.",
    allowed: "address:port, as in 127.0.0.1:8787 or [::1]:8787",
    fallback: "127.0.0.1:8787",
    flag: "--listen <address:port>",
  }),
  public_url: setting(optional(parsed(parseOrigin)), {
    doc: "Address under which visitors reach this server: used for links and for the Origin check of forms.",
    allowed: "http:// or https:// and a host, without a path, as in https://assay.example.org",
    flag: "--public-url <origin>",
  }),
  trusted_proxies: addressRanges({
    doc: "Reverse proxies whose X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host are trusted.",
    example: "10.0.0.0/8",
    flag: "--trusted-proxy <cidr...>",
  }),
  profile: choice(["internet", "internal"], {
    doc: "Which targets may be scanned: public addresses only, or private and loopback ones too.",
    fallback: "internet",
    flag: "--profile",
  }),
  "accounts.signup": choice(["closed", "invite", "open"], {
    doc: "Who may create an account: no visitor, visitors with a link from an administrator, or everybody. An invitation of an account with members always permits an account.",
    fallback: "closed",
  }),
  "accounts.default_plan": choice(plans, {
    doc: "Plan of accounts created by sign-up or invitation; agency in profile internal, else free.",
    fallback: (_env, { profile }) => (profile === "internal" ? "agency" : "free"),
    defaultDoc: "free; in profile internal agency",
  }),
  "accounts.password_min": integer(8, 128, { doc: "Minimum number of characters of a password.", fallback: 12 }),
  "admin.email": setting(optional(parsed(parseMailAddress)), {
    doc: "Mail address of the first account, created when a server without accounts starts; needs admin.password_file.",
    allowed: "a mail address",
    isPersonal: true,
  }),
  "admin.password_file": file({ doc: "File whose first line is the password of the first account; needs admin.email." }),
  "guest.scans": yesNo({ doc: "Whether visitors who are not signed in may scan.", fallback: true }),
  "guest.rate_per_hour": integer(1, 100_000, {
    doc: "Scans an hour that visitors who are not signed in may start from one address (IPv6: one /64).",
    fallback: 20,
  }),
  ...settingsOfScans,
  ...settingsOfFleet,
  ...settingsOfRetention,
  ...settingsOfBackups,
  ...settingsOfOidc,
  ...settingsOfDelivery,
  "api.rate_per_minute": integer(1, 100_000, { doc: "API requests a minute, for each account and calling address.", fallback: 60 }),
  "report.stale_days": integer(1, 3_650, { doc: "Days after which a report is marked as old.", fallback: 30 }),
  "report.index": yesNo({ doc: "Whether search engines may list reports.", fallback: false }),
  "security.contact": setting(optional(parsed(parseContact)), {
    doc: "Where to report a vulnerability of this server; published in /.well-known/security.txt.",
    allowed: "a mail address or a URL that begins with https://",
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
  }),
  "legal.imprint_file": file({ doc: "Text shown on /imprint; blank lines separate paragraphs.", allowed: "a text file" }),
  "legal.privacy_file": file({ doc: "Text shown on /privacy; blank lines separate paragraphs.", allowed: "a text file" }),
  "log.level": choice(["debug", "info", "warn", "error"], { doc: "Lowest level that is logged.", fallback: "info", flag: "--log-level" }),
  "log.format": choice(["auto", "text", "json"], {
    doc: "Log lines for people or for programs; auto is text on a terminal and from source, JSON elsewhere.",
    fallback: "auto",
    flag: "--log-format",
  }),
  ...settingsOfMetrics,
  "locale.default": choice(pageLocales, {
    doc: "Language of reports on the command line, and of pages for visitors who request no available language.",
    fallback: "en-gb",
    flag: "--locale",
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

/** /var/lib for root, otherwise the data folder of the XDG Base Directory Specification. */
function defaultDataDir(env: Environment): string {
  if (process.getuid?.() === 0) return "/var/lib/assay";
  return join(env.XDG_DATA_HOME || join(env.HOME || homedir(), ".local/share"), "assay");
}

function parseScheduleSetting(text: string): string | null {
  return text === scheduleOff || parseSchedule(text) !== null ? text : null;
}

/** `03:30` or `6h`; null for any other text, such as `off`. */
export function parseSchedule(text: string): BackupSchedule | null {
  const daily = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (daily !== null) return { hour: Number(daily[1]), minute: Number(daily[2]) };
  const hours = Number(/^([1-9]\d{0,2})h$/.exec(text)?.[1] ?? 0);
  return hours >= 1 && hours <= everyHoursMax ? { everyHours: hours } : null;
}
