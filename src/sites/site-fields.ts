/** Validates the fields of a watched site, for forms, API and CSV. Faults are codes with values; each interface words them. */
import { isObject } from "../base/is-object.ts";
import { isFindingCode } from "../check/check.ts";
import { localLocation } from "../parse/location.ts";
import { parseScanUrl, type ScanUrlFault } from "../parse/scan-url.ts";
import { type SiteSchedule, scheduleDefault } from "../parse/site-csv.ts";
import { isTextLine, tagSeparators } from "../parse/text.ts";
import {
  type AcceptedFinding,
  acceptedFindingsMax,
  acceptedReasonCharsMax,
  type Site,
  type SiteFieldName,
  type SiteFields,
  siteNameCharsMax,
  sitePagesMax,
  siteTagCharsMax,
  siteTagsMax,
} from "../store/sites.ts";
import { parseSiteSchedule, type ScheduleFaultCode } from "./schedule.ts";

export type SiteFaultCode =
  | "required"
  | "not-text"
  | "not-list"
  | "not-switch"
  /** Control characters, and characters that change the direction of text. */
  | "characters"
  /** More than `max` characters. */
  | "too-long"
  /** More than `max` entries. */
  | "too-many"
  /** `fault`: why, as of `parseScanUrl`. */
  | "url-invalid"
  /** Another scheme, host or port than `url`. */
  | "origin-differs"
  /** Address that equals `url` or an earlier entry. */
  | "repeated"
  /** A tag with a character that separates tags. */
  | "tag-separator"
  | "unknown-location"
  | "code-malformed"
  | "day-malformed"
  | "day-past"
  | ScheduleFaultCode;

export interface SiteFault {
  readonly field: SiteFieldName | "code" | "reason" | "until";
  readonly code: SiteFaultCode;
  readonly max?: number;
  /** Entry of a list, from 1. */
  readonly entry?: number;
  readonly fault?: ScanUrlFault;
}

export type SiteFaults = { readonly faults: readonly SiteFault[] };
/** Values from outside, by field. Undefined is absent. */
export type GivenFields<Name extends string> = { readonly [N in Name]?: unknown };

interface SiteFieldSettings {
  /** Names of locations besides the server's own. */
  readonly locations: readonly string[];
}

type Parsed<T> = { readonly value: T } | SiteFaults;

interface SiteTerms extends SiteFieldSettings {
  /** First address of the site; null if it is refused itself. */
  readonly address: string | null;
}

/** A field: what the API says about it, and how a value from outside is read. */
export interface SiteField<Value = unknown> {
  readonly kind: "text" | "texts" | "flag" | "schedule";
  readonly about: string;
  readonly example: Value;
  /** Characters of a text, or of each entry. */
  readonly charsMax?: number;
  readonly entriesMax?: number;
  /** Whether null is a value; else null gives the default, if there is one. */
  readonly mayBeNull?: true;
  /** Whether a stored site keeps its value until another one is given: null does not bring back a default. */
  readonly keepsValue?: true;
  readonly parse: (given: unknown, terms: SiteTerms) => Parsed<Value>;
}

export const siteFields: { readonly [Name in SiteFieldName]: SiteField<SiteFields[Name]> } = {
  url: {
    kind: "text",
    about: "First address: an absolute http or https URL without credentials. Unique within the account; kept in ASCII, without fragment.",
    example: "https://bakery.example/",
    keepsValue: true,
    parse: parseUrl,
  },
  name: { kind: "text", about: "The host without one.", example: "Bakery Miller", charsMax: siteNameCharsMax, parse: parseName },
  pages: {
    kind: "texts",
    about: "Further addresses of the same origin, scanned in each run.",
    example: ["https://bakery.example/shop"],
    entriesMax: sitePagesMax - 1,
    parse: parsePages,
  },
  client: {
    kind: "text",
    about: "For whom the site is watched.",
    example: "Miller Ltd",
    charsMax: siteNameCharsMax,
    mayBeNull: true,
    parse: parseClientField,
  },
  // Without `entriesMax`: a tag that is repeated counts once.
  tags: {
    kind: "texts",
    about: `At most ${siteTagsMax}, each once. A tag has no |, which separates tags in CSV.`,
    example: ["shop"],
    charsMax: siteTagCharsMax,
    parse: parseTagsField,
  },
  location: {
    kind: "text",
    about: `Where it is scanned from: ${localLocation} without one.`,
    example: localLocation,
    parse: parseSiteLocation,
  },
  schedule: {
    kind: "schedule",
    about: "Interval, or cron with its time zone; weekly without one.",
    example: { every: "daily" },
    keepsValue: true,
    parse: parseScheduleField,
  },
  paused: { kind: "flag", about: "A paused site has no planned runs.", example: false, keepsValue: true, parse: parsePausedField },
};
const fieldNames = Object.keys(siteFields) as readonly SiteFieldName[];

/** Fields of a new site. Absent ones get their defaults: the host for the name, weekly, not paused. */
export function parseSiteFields(given: GivenFields<SiteFieldName>, settings: SiteFieldSettings): SiteFields | SiteFaults {
  const whole = { ...given, schedule: given.schedule ?? scheduleDefault, paused: given.paused ?? false };
  return parseFields(whole, fieldNames, { ...settings, address: addressOf(given.url) });
}

/**
 * Values of the fields that are given; null is the default of all but schedule, pause and address. The address and its pages are judged together. A new address renames
 * a site with the old default name.
 */
export function parseSiteChange(
  given: GivenFields<SiteFieldName>,
  site: SiteFields,
  settings: SiteFieldSettings,
): Partial<SiteFields> | SiteFaults {
  const { url, name = site.name === defaultName(site.url) ? null : site.name, pages = site.pages } = given;
  const changed = url === undefined ? given : { ...given, name, pages };
  const names = fieldNames.filter((field) => changed[field] !== undefined);
  return parseFields(changed, names, { ...settings, address: url === undefined ? site.url : addressOf(url) });
}

function parseFields<Name extends SiteFieldName>(
  given: GivenFields<SiteFieldName>,
  names: readonly Name[],
  terms: SiteTerms,
): Pick<SiteFields, Name> | SiteFaults {
  const parsed = Object.fromEntries(names.map((name) => [name, siteFields[name].parse(given[name], terms)]));
  return valuesOf<Pick<SiteFields, Name>>(parsed as { readonly [N in Name]: Parsed<SiteFields[N]> });
}

function addressOf(url: unknown): string | null {
  const parsed = parseUrl(url);
  return "value" in parsed ? parsed.value : null;
}

export interface BulkChange extends Partial<Pick<SiteFields, "paused" | "schedule" | "client" | "location">> {
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  /** Accepted for each of the sites; it replaces an earlier acceptance of its code. */
  readonly accept?: AcceptedFinding;
}

type BulkFieldName = "paused" | "schedule" | "client" | "location" | "addTags" | "removeTags" | "accept";

/** Change of many sites. Absent fields stay as they are. */
export function parseBulkChange(
  given: GivenFields<BulkFieldName>,
  { locations, now }: SiteFieldSettings & { readonly now: Date },
): BulkChange | SiteFaults {
  const acceptance = ({ code, ...terms }: GivenFields<"code" | "reason" | "until">): Parsed<AcceptedFinding> => {
    const accepted = parseAcceptance(code, terms, now);
    return "faults" in accepted ? accepted : { value: accepted };
  };
  return valuesOf<BulkChange>({
    ...(given.paused !== undefined && { paused: parsePausedField(given.paused) }),
    ...(given.schedule !== undefined && { schedule: parseScheduleField(given.schedule) }),
    ...(given.client !== undefined && { client: parseClientField(given.client) }),
    ...(given.location !== undefined && { location: parseSiteLocation(given.location, { locations }) }),
    ...(given.accept !== undefined && { accept: acceptance(isObject(given.accept) ? given.accept : {}) }),
    addTags: parseTagsField(given.addTags),
    removeTags: parseTagsField(given.removeTags),
  });
}

/** An accepted finding. `until` is the last day of the acceptance in UTC; null or empty for no end. */
export function parseAcceptance(
  code: unknown,
  { reason, until }: GivenFields<"reason" | "until">,
  now: Date,
): AcceptedFinding | SiteFaults {
  return valuesOf({
    code: typeof code === "string" && isFindingCode(code) ? { value: code } : faulty({ field: "code", code: "code-malformed" }),
    reason: parseReason(reason),
    until: parseUntil(until ?? null, now),
    acceptedAt: { value: now.toISOString() },
  });
}

/** Acceptances with a new one, which replaces an earlier one of its code; null beyond `acceptedFindingsMax`. */
export function acceptedWith({ accepted }: Pick<Site, "accepted">, added: AcceptedFinding): readonly AcceptedFinding[] | null {
  const others = accepted.filter(({ code }) => code !== added.code);
  return others.length >= acceptedFindingsMax ? null : [...others, added];
}

function parseTagsField(given: unknown): Parsed<readonly string[]> {
  if (given === undefined || given === null) return { value: [] };
  if (!Array.isArray(given)) return faulty({ field: "tags", code: "not-list" });
  const tags = given.map((tag, at) => {
    const parsed = parseLine(tag, { field: "tags", max: siteTagCharsMax, entry: at + 1 });
    if ("faults" in parsed) return parsed;
    if (parsed.value === "") return faulty({ field: "tags", code: "required", entry: at + 1 });
    return tagSeparators.test(parsed.value) ? faulty({ field: "tags", code: "tag-separator", entry: at + 1 }) : parsed;
  });
  const all = entriesOf(tags);
  if ("faults" in all) return all;
  const value = [...new Set(all.value)];
  return value.length > siteTagsMax ? faulty({ field: "tags", code: "too-many", max: siteTagsMax }) : { value };
}

function parseClientField(given: unknown): Parsed<string | null> {
  const parsed = parseLine(given ?? "", { field: "client", max: siteNameCharsMax });
  return "faults" in parsed ? parsed : { value: parsed.value === "" ? null : parsed.value };
}

function parseScheduleField(given: unknown): Parsed<SiteSchedule> {
  const schedule = parseSiteSchedule(given);
  return "fault" in schedule ? faulty({ field: "schedule", code: schedule.fault }) : { value: schedule };
}

function parsePausedField(given: unknown): Parsed<boolean> {
  return typeof given === "boolean" ? { value: given } : faulty({ field: "paused", code: "not-switch" });
}

function parseUrl(given: unknown): Parsed<string> {
  if (given === undefined || given === null || given === "") return faulty({ field: "url", code: "required" });
  if (typeof given !== "string") return faulty({ field: "url", code: "not-text" });
  const parsed = parseScanUrl(given.trim());
  return "fault" in parsed ? faulty({ field: "url", code: "url-invalid", fault: parsed.code }) : { value: parsed.url };
}

function parseName(given: unknown, { address }: SiteTerms): Parsed<string> {
  const parsed = parseLine(given ?? "", { field: "name", max: siteNameCharsMax });
  if ("faults" in parsed || parsed.value !== "") return parsed;
  return { value: address === null ? "" : defaultName(address) };
}

function defaultName(url: string): string {
  return new URL(url).host.slice(0, siteNameCharsMax);
}

function parsePages(given: unknown, { address }: SiteTerms): Parsed<readonly string[]> {
  if (given === undefined || given === null) return { value: [] };
  if (!Array.isArray(given)) return faulty({ field: "pages", code: "not-list" });
  // The first address counts.
  if (given.length >= sitePagesMax) return faulty({ field: "pages", code: "too-many", max: sitePagesMax - 1 });
  const seen = new Set(address === null ? [] : [address]);
  const parsePage = (each: unknown, at: number): Parsed<string> => {
    const entry = at + 1;
    if (typeof each !== "string") return faulty({ field: "pages", code: "not-text", entry });
    const page = parseScanUrl(each.trim());
    if ("fault" in page) return faulty({ field: "pages", code: "url-invalid", fault: page.code, entry });
    if (address !== null && new URL(page.url).origin !== new URL(address).origin)
      return faulty({ field: "pages", code: "origin-differs", entry });
    if (seen.has(page.url)) return faulty({ field: "pages", code: "repeated", entry });
    seen.add(page.url);
    return { value: page.url };
  };
  return entriesOf(given.map(parsePage));
}

function parseSiteLocation(given: unknown, { locations }: SiteFieldSettings): Parsed<string> {
  if (given === undefined || given === null || given === "") return { value: localLocation };
  if (typeof given !== "string") return faulty({ field: "location", code: "not-text" });
  const known = given === localLocation || locations.includes(given);
  return known ? { value: given } : faulty({ field: "location", code: "unknown-location" });
}

function parseReason(given: unknown): Parsed<string> {
  const parsed = parseLine(given ?? "", { field: "reason", max: acceptedReasonCharsMax });
  return "value" in parsed && parsed.value === "" ? faulty({ field: "reason", code: "required" }) : parsed;
}

function parseUntil(given: unknown, now: Date): Parsed<string | null> {
  if (given === null || given === "") return { value: null };
  if (typeof given !== "string" || !isCalendarDay(given)) return faulty({ field: "until", code: "day-malformed" });
  return given < now.toISOString().slice(0, 10) ? faulty({ field: "until", code: "day-past" }) : { value: given };
}

/** Whether the text is `YYYY-MM-DD` and the day exists. */
function isCalendarDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** One line of text without white space at its ends. */
function parseLine(given: unknown, { field, max, entry }: Pick<SiteFault, "field" | "entry"> & { readonly max: number }): Parsed<string> {
  const place = { field, ...(entry !== undefined && { entry }) };
  if (typeof given !== "string") return faulty({ ...place, code: "not-text" });
  const value = given.trim();
  if (value.length > max) return faulty({ ...place, code: "too-long", max });
  return isTextLine(value) ? { value } : faulty({ ...place, code: "characters" });
}

function faulty(fault: SiteFault): SiteFaults {
  return { faults: [fault] };
}

/** The values of all entries of a list, or the faults of all. */
function entriesOf<T>(parsed: readonly Parsed<T>[]): Parsed<readonly T[]> {
  const faults = parsed.flatMap((each) => ("faults" in each ? each.faults : []));
  return faults.length > 0 ? { faults } : { value: parsed.flatMap((each) => ("value" in each ? [each.value] : [])) };
}

/** The values of all fields, or the faults of all. */
function valuesOf<T extends object>(parsed: { readonly [K in keyof T]: Parsed<T[K]> }): T | SiteFaults {
  const entries = Object.entries(parsed) as [string, Parsed<unknown>][];
  const faults = entries.flatMap(([, each]) => ("faults" in each ? each.faults : []));
  if (faults.length > 0) return { faults };
  return Object.fromEntries(entries.map(([name, each]) => [name, "value" in each ? each.value : null])) as T;
}
