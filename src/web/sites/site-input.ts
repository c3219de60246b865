/** Typed fields of a watched site, as forms and tables send them. */
import { localLocation } from "../../parse/location.ts";
import { splitTags } from "../../parse/text.ts";
import { type GivenFields, parseSiteFields, type SiteFieldName, type SiteFields } from "../../sites/site-fields.ts";
import type { Site } from "../../store/sites.ts";
import type { Fields } from "../form.tsx";
import { completeUrl, readTypedUrl } from "../scanning/typed-url.ts";
import type { Visit } from "../visit.ts";
import { faultTexts, isFaulty, type SiteFaultField } from "./site-fault-text.ts";

/** `cron` of the choice of intervals. */
export const cronChoice = "cron";

export interface SiteInput {
  readonly url: string;
  readonly name: string;
  readonly client: string;
  /** Separated by commas. */
  readonly tags: string;
  /** One a line. */
  readonly pages: string;
  readonly location: string;
  /** An interval, or `cronChoice`. */
  readonly every: string;
  readonly cron: string;
  readonly zone: string;
}

export type FaultTexts = ReadonlyMap<SiteFaultField, string>;
export type ReadInput = { readonly fields: SiteFields } | { readonly faults: FaultTexts };

export function inputOf(fields: Fields): SiteInput {
  return {
    url: fields.text("url").trim(),
    name: fields.text("name"),
    client: fields.text("client"),
    tags: fields.text("tags"),
    pages: fields.text("pages"),
    location: fields.text("location"),
    every: fields.text("every"),
    cron: fields.text("cron"),
    zone: fields.text("zone"),
  };
}

export function inputOfSite({ url, name, client, tags, pages, location, schedule }: Site): SiteInput {
  const times = "every" in schedule ? { every: schedule.every, cron: "", zone: "" } : { every: cronChoice, ...schedule };
  return { url, name, client: client ?? "", tags: tags.join(", "), pages: pages.join("\n"), location, ...times };
}

/** Hidden field of a form that changes a site. */
export const versionField = "version";

/** Names what a form shows of a stored site: another one means that somebody has changed it since. */
export function versionOf(site: Site): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(inputOfSite(site))).digest("base64url");
}

/**
 * Values of the fields, or what is wrong with them. A scan is public, so addresses with what looks like a secret are refused.
 * `stored`: as the form showed it; null for a new site. Its location is kept, known or not, if no other one is chosen.
 */
export function readInput(visit: Visit, typed: SiteInput, stored: SiteInput | null = null): ReadInput {
  const { i18n, settings } = visit;
  const input = stored !== null && typed.location === "" ? { ...typed, location: stored.location } : typed;
  const locations = [...settings.scanning.locations.names(), ...(stored === null ? [] : [stored.location])];
  const address = readTypedUrl(input.url);
  const pages = linesOf(input.pages).map((line) => pageUrl(line, input.url));
  const parsed = parseSiteFields(givenOf(input, pages), { locations });
  const faults = new Map(isFaulty(parsed) ? faultTexts(i18n, parsed.faults) : []);
  if (address.kind === "fault") faults.set("url", i18n.t(`home.faults.${address.fault}`));
  else if (address.kind === "sensitive") faults.set("url", i18n.t("sites.form.secret"));
  else if (!mayBeScanned(visit, input.location, address.url)) faults.set("url", i18n.t("home.shut"));
  // A pattern without its choice would be lost silently.
  if (input.every !== cronChoice && input.cron.trim() !== "" && input.cron !== stored?.cron)
    faults.set("schedule", i18n.t("sites.form.cronNotChosen", { choice: i18n.t("sites.form.byCron") }));
  if (!faults.has("pages") && pages.some((page) => readTypedUrl(page).kind === "sensitive"))
    faults.set("pages", i18n.t("sites.form.secret"));
  return faults.size > 0 || isFaulty(parsed) ? { faults } : { fields: parsed };
}

function givenOf(input: SiteInput, pages: readonly string[]): GivenFields<SiteFieldName> {
  const { url, name, client, tags, location, every, cron, zone } = input;
  const schedule = every === cronChoice ? { cron, zone: zone.trim() } : { every };
  return { url: completeUrl(url), name, client, tags: splitTags(tags), pages, location, schedule };
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A path is one of the site. */
function pageUrl(typed: string, url: string): string {
  if (!typed.startsWith("/") || typed.startsWith("//")) return completeUrl(typed);
  return URL.parse(typed, completeUrl(url))?.href ?? typed;
}

/** The settings of this server say nothing about what a worker elsewhere may reach. */
function mayBeScanned({ settings }: Visit, location: string, url: string): boolean {
  return (location !== "" && location !== localLocation) || settings.scanning.mayBeScanned(url);
}
