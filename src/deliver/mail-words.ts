/** Texts of mails in the language of their reader. */
import type { LocaleFile, PageLocale, Texts, TextValues } from "../text/i18n.ts";
import { createI18n, type I18n } from "../text/translator.ts";

type Tree = LocaleFile["mail"];
type PathOf<T> = { [K in keyof T & string]: T[K] extends string ? K : `${K}.${PathOf<T[K]>}` }[keyof T & string];
/** Paths of texts with plural forms. */
type CountedPathOf<T> = {
  [K in keyof T & string]: T[K] extends string
    ? never
    : T[K] extends { readonly one: string; readonly other: string }
      ? K
      : `${K}.${CountedPathOf<T[K]>}`;
}[keyof T & string];

export interface MailWords extends Pick<I18n, "locale" | "rank" | "severity" | "number" | "date" | "dateTime"> {
  readonly texts: Texts;
  /** Text of the locale's `mail` with placeholders filled. Not escaped: the layout escapes. */
  t(path: PathOf<Tree>, values?: TextValues): string;
  /** Plural form of the text; `{{count}}` is the formatted number. */
  count(path: CountedPathOf<Tree>, count: number, values?: TextValues): string;
}

export function mailWords(texts: Texts, locale: PageLocale): MailWords {
  const { rank, severity, number, date, dateTime } = createI18n(texts, locale);
  const plural = new Intl.PluralRules(locale);
  const find = (path: string, values?: TextValues) => texts.translate(locale, ["mail", ...path.split(".")], values);
  return {
    texts,
    locale,
    rank,
    severity,
    number,
    date,
    dateTime,
    t: (path, values) => find(path, values) ?? path,
    count: (path, count, given) => {
      const values = { ...given, count: number(count) };
      return find(`${path}.${plural.select(count)}`, values) ?? find(`${path}.other`, values) ?? path;
    },
  };
}
