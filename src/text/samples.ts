/** Sample values for the placeholders of catalog texts, where no finding gives real ones. */
import type { PageLocale, Texts } from "./i18n.ts";

/** An example, such as `www.example.com` for `host`, or else a description of the value. */
export function placeholderSample(name: string, locale: PageLocale, texts: Texts): string {
  const path = ["pages", "check"];
  return texts.translate(locale, [...path, "samples", name]) ?? texts.translate(locale, [...path, "sample"], { name }) ?? name;
}
