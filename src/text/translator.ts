/** Translator of a page: texts, numbers and times in the visitor's language. */
import type { Effort, Severity } from "../check/check.ts";
import type { Rank } from "../judge/result.ts";
import type { LocaleFile, PageLocale, Texts, TextValues } from "./i18n.ts";
import type { ShownState } from "./ledger-rows.ts";

/** Dot-separated paths of all texts. */
type Leaves<T> = { [K in keyof T & string]: T[K] extends string ? K : `${K}.${Leaves<T[K]>}` }[keyof T & string];
/** Paths of texts with plural forms. */
type Counted<T> = {
  [K in keyof T & string]: T[K] extends string
    ? never
    : T[K] extends { readonly one: string; readonly other: string }
      ? K
      : `${K}.${Counted<T[K]>}`;
}[keyof T & string];

/** Unit of a time axis label: time of day, day and month, month and year, or year. */
export type TickUnit = "minute" | "day" | "month" | "year";

export type TextPath = Leaves<LocaleFile["pages"]>;
export type CountPath = Counted<LocaleFile["pages"]>;

/** Texts of one part of the locale files. */
export interface PartTexts<Part extends "pages" | "mail"> {
  /** Text with placeholders filled. Not escaped: the renderer escapes. */
  t(path: Leaves<LocaleFile[Part]>, values?: TextValues): string;
  /** Plural form of the text; `{{count}}` is the formatted number. */
  count(path: Counted<LocaleFile[Part]>, count: number, values?: TextValues): string;
}

export interface I18n extends PartTexts<"pages"> {
  readonly locale: PageLocale;
  rank(rank: Rank): string;
  state(state: ShownState): string;
  severity(severity: Severity): string;
  effort(effort: Effort): string;
  number(number: number): string;
  /** `19 Nov 2026` for an ISO 8601 instant, in UTC. */
  date(instant: string): string;
  /** `19 Nov 2026, 14:05 UTC`. */
  dateTime(instant: string): string;
  /** Label of a time axis: `14:05`, `19 Nov`, `Nov 2026` or `2026`; in UTC. */
  tick(instant: string, unit: TickUnit): string;
  /** Rounded up: `45 seconds`, `3 minutes`. */
  duration(seconds: number): string;
}

/** Longer durations are shown in minutes. */
const secondsShownMax = 90;

/** Intl formats are expensive to create: cached per locale, created on first use. */
const formats = new Map<PageLocale, ReturnType<typeof formatsOf>>();

function cachedFormats(locale: PageLocale): ReturnType<typeof formatsOf> {
  const cached = formats.get(locale);
  if (cached !== undefined) return cached;
  const created = formatsOf(locale);
  formats.set(locale, created);
  return created;
}

function formatsOf(tag: string) {
  return {
    number: new Intl.NumberFormat(tag),
    plural: new Intl.PluralRules(tag),
    day: new Intl.DateTimeFormat(tag, { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" }),
    moment: new Intl.DateTimeFormat(tag, {
      year: "numeric",
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      timeZone: "UTC",
      timeZoneName: "short",
    }),
    ticks: {
      minute: new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" }),
      day: new Intl.DateTimeFormat(tag, { month: "short", day: "numeric", timeZone: "UTC" }),
      month: new Intl.DateTimeFormat(tag, { year: "numeric", month: "short", timeZone: "UTC" }),
      year: new Intl.DateTimeFormat(tag, { year: "numeric", timeZone: "UTC" }),
    } satisfies Record<TickUnit, Intl.DateTimeFormat>,
    seconds: new Intl.NumberFormat(tag, { style: "unit", unit: "second", unitDisplay: "long" }),
    minutes: new Intl.NumberFormat(tag, { style: "unit", unit: "minute", unitDisplay: "long" }),
  };
}

/** Translator of one part of the locale files. A text that is missing in every locale is shown as its path. */
export function partTexts<Part extends "pages" | "mail">(texts: Texts, locale: PageLocale, part: Part): PartTexts<Part> {
  const format = cachedFormats(locale);
  const find = (path: string, values?: TextValues) => texts.translate(locale, [part, ...path.split(".")], values);
  return {
    t: (path, values) => find(path, values) ?? path,
    count: (path, count, given) => {
      const values = { ...given, count: format.number.format(count) };
      // A language may have more forms than the two that every locale file has.
      return find(`${path}.${format.plural.select(count)}`, values) ?? find(`${path}.other`, values) ?? path;
    },
  };
}

export function createI18n(texts: Texts, locale: PageLocale): I18n {
  const format = cachedFormats(locale);
  const { t, count } = partTexts(texts, locale, "pages");
  const reportText = (kind: string, word: string) => texts.translate(locale, ["report", kind, word]) ?? word;
  return {
    locale,
    t,
    count,
    rank: (rank) => reportText("ranks", rank),
    state: (state) => t(`words.states.${state}`),
    severity: (severity) => reportText("severities", severity),
    effort: (effort) => reportText("efforts", effort),
    number: (number) => format.number.format(number),
    date: (instant) => format.day.format(new Date(instant)),
    dateTime: (instant) => format.moment.format(new Date(instant)),
    tick: (instant, unit) => format.ticks[unit].format(new Date(instant)),
    duration: (seconds) =>
      seconds > secondsShownMax ? format.minutes.format(Math.ceil(seconds / 60)) : format.seconds.format(Math.ceil(seconds)),
  };
}

/** Text with a capital first letter, for words that stand alone. */
export function capitalised(text: string, { locale }: Pick<I18n, "locale">): string {
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}

/** Name of a language in the language itself, so that its readers find it. */
export function languageName(texts: Texts, locale: PageLocale): string {
  return texts.translate(locale, ["pages", ..."layout.languageName".split(".")]) ?? locale;
}

/** BCP 47 tag for `lang`, as in `en-GB`. */
export function languageTag(locale: PageLocale): string | undefined {
  return Intl.getCanonicalLocales(locale)[0];
}
