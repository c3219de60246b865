/** The texts of this process in both locales: a path of words and some values go in, a sentence comes out. */
import { createInstance } from "i18next";
import type enGb from "../../locales/en-gb.json";
import { type CheckTexts, type Locale, locales } from "../check/check.ts";
import * as localeFiles from "./locale-files.ts";

/** A file of `locales/`. */
export type LocaleFile = typeof enGb;

/** Tag of a language of the pages, in lower case. */
export type PageLocale = string;

/** The languages of the API, then all others. */
export const pageLocales: readonly PageLocale[] = orderedLocales(localeFiles);

/** Texts of every check of the catalog, built-in and dropped-in, by check key. */
export type ChecksTexts = { readonly [L in Locale]: Readonly<Record<string, CheckTexts>> };

/** What a text may quote, by placeholder name. */
export type TextValues = Readonly<Record<string, string | number>>;

export interface Texts {
  /** Languages of these texts, in the order of the language switch. */
  readonly locales: readonly PageLocale[];
  /** Texts of a check; those of a plugin are in English where it has none in that language. */
  ofCheck(locale: PageLocale, key: string): CheckTexts | undefined;
  /**
   * The text at `path` of the locale's tree, its placeholders filled; null when there is none.
   * Values come out verbatim, whatever stands in them: an attacker wrote them. A placeholder without a value stays visible.
   */
  say(locale: PageLocale, path: readonly string[], values?: TextValues): string | null;
}

/** Joins a path. Finding codes contain dots, so i18next's own separator would cut them. */
const separator = "/";

/** Texts of the given checks, and all other sections of the locale files. */
export function createTexts(checks: ChecksTexts, files: Readonly<Record<PageLocale, LocaleFile>> = localeFiles): Texts {
  const ordered = orderedLocales(files);
  const checksIn = (locale: PageLocale): Readonly<Record<string, CheckTexts>> =>
    isApiLocale(locale) ? checks[locale] : { ...checks["en-gb"], ...files[locale]?.checks };
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
    // Or else "en-gb" is looked up as "en-GB".
    lowerCaseLng: true,
    initAsync: false,
  });

  /** Found once: a page says thousands of texts, and finding one takes far longer than filling it. Never more than the files hold. */
  const found = new Map(ordered.map((locale) => [locale, new Map<string, Template>()]));

  function find(locale: PageLocale, key: string): Template | null {
    const known = found.get(locale)?.get(key);
    if (known !== undefined) return known;
    // Filled below, so that i18next never sees a value, nor obeys it. Without `returnObjects` a path that stops short gives a sentence about itself.
    const text = instance.t(key, { lng: locale, skipInterpolation: true, returnObjects: true, defaultValue: "" });
    if (typeof text !== "string" || text === "") return null;
    const template = templateOf(text);
    found.get(locale)?.set(key, template);
    return template;
  }

  return {
    locales: ordered,
    ofCheck: (locale, key) => ofChecks.get(locale)?.[key],
    say: (locale, path, values = {}) => {
      const template = find(locale, path.join(separator));
      return template === null ? null : fill(template, values);
    },
  };
}

function orderedLocales(files: object): readonly PageLocale[] {
  return [...locales, ...Object.keys(files).filter((locale) => !isApiLocale(locale))];
}

function isApiLocale(locale: PageLocale): locale is Locale {
  return locales.some((one) => one === locale);
}

/** Literal pieces at even places, names of placeholders between them. */
type Template = readonly string[];

function templateOf(text: string): Template {
  return text.split(/\{\{\s*(\w+)\s*\}\}/);
}

/** Each placeholder once, from the text's own: what stands in a value is never looked at. */
function fill([first = "", ...rest]: Template, values: TextValues): string {
  let text = first;
  for (let at = 0; at < rest.length; at += 2) {
    const [name = "", literal = ""] = [rest[at], rest[at + 1]];
    text += (Object.hasOwn(values, name) ? values[name] : `{{${name}}}`) + literal;
  }
  return text;
}
