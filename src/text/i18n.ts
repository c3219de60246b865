/** The texts of this process in both locales: a path of words and some values go in, a sentence comes out. */
import { createInstance } from "i18next";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { type CheckTexts, type Locale, locales } from "../check/check.ts";

/** Texts of every check of the catalog, built-in and dropped-in, by check key. */
export type ChecksTexts = { readonly [L in Locale]: Readonly<Record<string, CheckTexts>> };

/** What a text may quote, by placeholder name. */
export type TextValues = Readonly<Record<string, string | number>>;

export interface Texts {
  /**
   * The text at `path` of the locale's tree, its placeholders filled; null when there is none.
   * Values come out verbatim, whatever stands in them: an attacker wrote them. A placeholder without a value stays visible.
   */
  say(locale: Locale, path: readonly string[], values?: TextValues): string | null;
}

/** Joins a path. Finding codes contain dots, so i18next's own separator would cut them. */
const separator = "/";

/** Texts of the given checks, and every other section of `locales/`. */
export function createTexts(checks: ChecksTexts): Texts {
  const instance = createInstance();
  instance.init({
    resources: {
      "en-gb": { texts: { ...enGb, checks: checks["en-gb"] } },
      "de-de": { texts: { ...deDe, checks: checks["de-de"] } },
    },
    ns: "texts",
    defaultNS: "texts",
    supportedLngs: [...locales],
    fallbackLng: false,
    load: "currentOnly",
    keySeparator: separator,
    nsSeparator: false,
    // Or else "en-gb" is looked up as "en-GB".
    lowerCaseLng: true,
    initAsync: false,
  });

  /** Found once: a page says thousands of texts, and finding one takes far longer than filling it. Never more than the files hold. */
  const found: Readonly<Record<Locale, Map<string, Template>>> = { "en-gb": new Map(), "de-de": new Map() };

  function find(locale: Locale, key: string): Template | null {
    const known = found[locale].get(key);
    if (known !== undefined) return known;
    // Filled below, so that i18next never sees a value, nor obeys it. Without `returnObjects` a path that stops short gives a sentence about itself.
    const text = instance.t(key, { lng: locale, skipInterpolation: true, returnObjects: true, defaultValue: "" });
    if (typeof text !== "string" || text === "") return null;
    const template = templateOf(text);
    found[locale].set(key, template);
    return template;
  }

  return {
    say: (locale, path, values = {}) => {
      const template = find(locale, path.join(separator));
      return template === null ? null : fill(template, values);
    },
  };
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
