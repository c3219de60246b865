/** Translator: texts of all locales by path, with interpolated values. */
import { createInstance } from "i18next";
import type enGb from "../../locales/en-gb.json";
import { type CheckTexts, type FindingDefinition, fixesByCode, type Locale, locales } from "../check/check.ts";
import type { Fix } from "../check/fix.ts";
import type { CheckDefinition } from "../check/registry.ts";
import * as localeFiles from "./locale-files.ts";

/** A file of `locales/`. */
export type LocaleFile = typeof enGb;
/** Tag of a language of the pages, in lower case. */
export type PageLocale = string;

/** Languages of the pages: the languages of the API first. */
export const pageLocales: readonly PageLocale[] = orderedLocales(localeFiles);

/** Texts of every check of the catalog, built-in and plugin, by check key. */
export type ChecksTexts = { readonly [L in Locale]: Readonly<Record<string, CheckTexts>> };
/** Values by name of placeholder. */
export type TextValues = Readonly<Record<string, string | number>>;

export interface Texts {
  /** Languages of these texts, in the order of the language switch. */
  readonly locales: readonly PageLocale[];
  /** Texts of a check. A plugin without texts in the language falls back to English. */
  ofCheck(locale: PageLocale, key: string): CheckTexts | undefined;
  /** Key of the check that declares a finding code. The code may have moved since a result was stored. */
  checkDeclaring(code: string): string | undefined;
  /** Steps that repair a finding; none for codes that left the catalog. */
  fixesOf(code: string): readonly Fix[];
  /** Identifier of the weakness behind a finding, as in `CWE-319`; null if the check names none. */
  cweOf(code: string): string | null;
  /** Text at the path; null if it does not exist. Values are untrusted and stay verbatim. A placeholder without a value stays visible. */
  translate(locale: PageLocale, path: readonly string[], values?: TextValues): string | null;
}

/** Joins a path. Finding codes contain dots, which i18next's default separator would split. */
const separator = "/";

/** Texts of the given checks, with the fixes that these declare, and all other sections of the locale files. */
export function createTexts(
  checks: ChecksTexts,
  declared: readonly Pick<CheckDefinition, "fixes" | "findings">[] = [],
  files: Readonly<Record<PageLocale, LocaleFile>> = localeFiles,
): Texts {
  const ordered = orderedLocales(files);
  const checksIn = (locale: PageLocale): Readonly<Record<string, CheckTexts>> =>
    isApiLocale(locale) ? checks[locale] : { ...checks["en-gb"], ...files[locale]?.checks };
  const owners = new Map(
    Object.entries(checks["en-gb"]).flatMap(([key, { findings }]) => Object.keys(findings).map((code) => [code, key])),
  );
  const fixes: Readonly<Record<string, readonly Fix[]>> = Object.assign({}, ...declared.map(fixesByCode));
  const definitions = declared.flatMap(({ findings }) => Object.entries<FindingDefinition>(findings));
  const weaknesses = new Map(definitions.flatMap(([code, { cwe }]) => (cwe === undefined ? [] : [[code, `CWE-${cwe}`]])));
  const ofChecks = new Map(ordered.map((locale) => [locale, checksIn(locale)]));
  const instance = createInstance();
  instance.init({
    resources: Object.fromEntries(ordered.map((locale) => [locale, { texts: { ...files[locale], checks: ofChecks.get(locale) } }])),
    ns: "texts",
    defaultNS: "texts",
    supportedLngs: [...ordered],
    fallbackLng: false,
    load: "currentOnly",
    keySeparator: separator,
    nsSeparator: false,
    // Without this option, i18next looks up "en-gb" as "en-GB".
    lowerCaseLng: true,
    initAsync: false,
  });

  /** Parsed templates: a page has thousands of texts, and a lookup costs far more than interpolation. Bounded by the files. */
  const templates = new Map(ordered.map((locale) => [locale, new Map<string, Template>()]));

  function findTemplate(locale: PageLocale, key: string): Template | null {
    const known = templates.get(locale)?.get(key);
    if (known !== undefined) return known;
    // Interpolated below, so that i18next never interprets a value. Without `returnObjects`, an incomplete path gives a message.
    const text: unknown = instance.t(key, { lng: locale, skipInterpolation: true, returnObjects: true, defaultValue: "" });
    if (typeof text !== "string" || text === "") return null;
    const template: Template = text.split(/\{\{\s*(\w+)\s*\}\}/);
    templates.get(locale)?.set(key, template);
    return template;
  }

  return {
    locales: ordered,
    ofCheck: (locale, key) => ofChecks.get(locale)?.[key],
    checkDeclaring: (code) => owners.get(code),
    fixesOf: (code) => (Object.hasOwn(fixes, code) ? (fixes[code] ?? []) : []),
    cweOf: (code) => weaknesses.get(code) ?? null,
    translate: (locale, path, values = {}) => {
      const template = findTemplate(locale, path.join(separator));
      return template === null ? null : interpolate(template, values);
    },
  };
}

function orderedLocales(files: object): readonly PageLocale[] {
  return [...locales, ...Object.keys(files).filter((locale) => !isApiLocale(locale))];
}

function isApiLocale(locale: PageLocale): locale is Locale {
  return locales.some((one) => one === locale);
}

/** Literals at even indexes, names of placeholders at odd ones. */
type Template = readonly string[];

/** Replaces the placeholders of the template only; values are never scanned. */
function interpolate([first = "", ...rest]: Template, values: TextValues): string {
  let text = first;
  for (let at = 0; at < rest.length; at += 2) {
    const [name = "", literal = ""] = [rest[at], rest[at + 1]];
    text += (Object.hasOwn(values, name) ? values[name] : `{{${name}}}`) + literal;
  }
  return text;
}

// Sample values for the placeholders of catalog texts, where no finding gives real ones.

/** An example, such as `www.example.com` for `host`, or else a description of the value. */
export function placeholderSample(name: string, locale: PageLocale, texts: Texts): string {
  const path = ["pages", "check"];
  return texts.translate(locale, [...path, "samples", name]) ?? texts.translate(locale, [...path, "sample"], { name }) ?? name;
}
