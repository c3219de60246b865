/** Each finding has one sentence for owners of websites who know no technical terms, in both languages. */
import { expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { builtInCatalog } from "../../../src/catalog/catalog.ts";

const charsMax = 160;
/** Acronyms, placeholders, and names of header fields such as X-Frame-Options. */
const technicalNames = /\p{Lu}{2,}|[{}]|\b\p{Lu}\w*(?:-\p{Lu}\w*)+/u;
const technicalWords =
  /\b(?:header|cookie|script|protocol|cipher|encryption|certificate|frame|origin|host)s?\b|\b(?:zertifikat|skript|protokoll|verschl\u00fcsselung|eintrag)/iu;

/** Known to everybody, although they look like technical names. */
const everydayWords = /\b(?:Wi-Fi|WLAN|Spam-Ordner|E-Mails?)\b/g;

const locales = { "en-gb": enGb.checks, "de-de": deDe.checks } as const;
type Findings = Readonly<Record<string, { readonly findings?: Readonly<Record<string, { readonly plain?: string }>> }>>;

test.each(["en-gb", "de-de"] as const)("every finding has a plain sentence in %s", (locale) => {
  const texts: Findings = locales[locale];
  const wrong = builtInCatalog().checks.flatMap(({ key, findings }) =>
    Object.keys(findings).flatMap((code) => {
      const plain = texts[key]?.findings?.[code]?.plain ?? "";
      const rest = plain.replace(everydayWords, "");
      const isPlain = plain !== "" && plain.length <= charsMax && !technicalNames.test(rest) && !technicalWords.test(rest);
      return isPlain ? [] : [`${code}: ${plain}`];
    }),
  );
  expect(wrong).toEqual([]);
});
