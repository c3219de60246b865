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
    // JSON is not HTML; pages escape what they print.
    interpolation: { escapeValue: false, skipOnVariables: true },
    initAsync: false,
  });
  return {
    say(locale, path, values = {}) {
      // `replace` keeps values apart from i18next's own options: a value named "count" or "lng" is only a value. Nesting is off
      // because `$t(...)` in a value would be obeyed. `returnObjects`, or a path that stops short gives a sentence about itself.
      const text = instance.t(path.join(separator), { lng: locale, replace: values, nest: false, returnObjects: true, defaultValue: "" });
      return typeof text === "string" && text !== "" ? text : null;
    },
  };
}
