/** Rules for the texts of both languages that a machine can hold. */
import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };

const languages = { "en-gb": enGb, "de-de": deDe };

/** A title is one line of a row of the report. */
const titleCharsMax = 60;

type Language = keyof typeof languages;

interface Sentence {
  readonly path: string;
  readonly text: string;
}

function sentencesBelow(texts: object, above = ""): readonly Sentence[] {
  return Object.entries(texts).flatMap(([name, part]) => {
    const path = above === "" ? name : `${above}/${name}`;
    return typeof part === "string" ? [{ path, text: part }] : sentencesBelow(part, path);
  });
}

/** Texts without quoted code and without the lines of configuration below an advice. */
function proseOf(locale: Language): readonly Sentence[] {
  return sentencesBelow(languages[locale]).map(({ path, text }) => ({
    path,
    text: (text.split("\n")[0] ?? "").replaceAll(/`[^`]*`|\{\{\w+\}\}/g, "x"),
  }));
}

function titlesOf(locale: Language): readonly Sentence[] {
  return sentencesBelow(languages[locale]).filter(({ path }) => path.startsWith("checks/") && path.endsWith("/title"));
}

function matches(sentences: readonly Sentence[], pattern: RegExp): readonly string[] {
  return sentences.filter(({ text }) => pattern.test(text)).map(({ path, text }) => `${path}: ${text}`);
}

const all = ["en-gb", "de-de"] as const;

describe.each(all)("titles of findings in %s", (locale) => {
  const titles = titlesOf(locale);

  test(`have at most ${titleCharsMax} characters`, () => {
    expect(titles.length).toBeGreaterThan(200);
    expect(titles.filter(({ text }) => text.length > titleCharsMax)).toEqual([]);
  });

  test("begin with their subject", () => {
    expect(matches(titles, /^(The|An?|It|This|There|D(?:er|ie|as|em|en)|Eine?[rnms]?|Es|Policy|Richtlinie)\s/)).toEqual([]);
  });

  test("are unique", () => {
    const texts = titles.map(({ text }) => text);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  test("have no full stop", () => {
    expect(matches(titles, /\.$/)).toEqual([]);
  });
});

describe("terms", () => {
  const replaced: Readonly<Record<Language, Readonly<Record<string, RegExp>>>> = {
    "en-gb": {
      "failed, does not follow": /\bviolat/i,
      negotiated: /\bagreed (?:upon|with)\b/i,
      evidence: /\brests on\b/i,
      "checking, evaluating": /\bjudg(?:ed|ing)\b|asking the DNS/i,
      "cross-origin request": /load from another/i,
      response: /\b(?:page's|first HTTPS) answer\b|\banswered with (?:status|an error)\b/i,
      allows: /\blets? in\b|\blet in\b|everybody pass/i,
      "mail server": /\bmail hosts?\b/i,
      "no one, anyone, someone": /\b(?:nobody|anybody|everybody|somebody|whoever|strangers?)\b/i,
      "should, must": /\bshall\b/i,
      blocked: /\bstays? shut\b|\bkeep(?:ing)? (?:this appliance|them) out\b|\blet this appliance through\b/i,
      "full, no space": /\bno room\b/i,
      "No changes": /nothing has changed/i,
      "could not be displayed": /page could not be made/i,
      "this appliance": /\bthis installation\b/i,
    },
    "de-de": {
      "nicht bestanden, entspricht nicht": /verletz/i,
      "Cross-Origin-Anfrage": /Abruf von anderer/,
      "Keine \u00c4nderungen": /Nichts hat sich ge\u00e4ndert/,
      erlaubt: /l\u00e4sst alle durch/,
      korrigieren: /\bberichtig/i,
      "Die Pr\u00fcfung liest": /^(?:Gelesen|Aufgezeichnet) w/,
      Hash: /\bHashwert/,
      Log: /\bProtokoll(?:e|en)? (?:nennt|von Servern)|Transparency-Protokoll/,
      "gepr\u00fcft, ausgewertet": /\bbeurteilt/,
      "blockiert, voll": /sperrt? \w+ \w+ aus\b|ist kein Platz/,
    },
  };

  test.each(all)("of the field name states and results in %s", (locale) => {
    const found = Object.entries(replaced[locale]).flatMap(([term, pattern]) =>
      matches(proseOf(locale), pattern).map((place) => `say "${term}": ${place}`),
    );
    expect(found).toEqual([]);
  });

  test("der Origin is masculine in German", () => {
    const otherGender =
      /\b(?:die|eine|einer|keine|keiner|jede|diese|dieselbe|derselben|fremde|andere|eigene|zur|das|dasselbe) (?:\w+e )?Origin\b(?!-)/i;
    expect(matches(proseOf("de-de"), otherGender)).toEqual([]);
  });
});

describe.each(all)("typography of %s", (locale) => {
  const prose = proseOf(locale);

  test("has single spaces, and none at the ends", () => {
    expect(matches(prose, / {2}|^\s|\s$|\s[.,;:!?](?:\s|$)/)).toEqual([]);
  });

  test("has one kind of quotation marks, in pairs", () => {
    // Advice quotes code, with its straight quotation marks.
    const free = prose.filter(({ path }) => !path.endsWith("/remediation"));
    expect(
      matches(prose, locale === "en-gb" ? /[\u201e\u201c\u201d\u201a\u2018\u2019\u00ab\u00bb]/ : /[\u201d\u201a\u2018\u2019\u00ab\u00bb]/),
    ).toEqual([]);
    expect(locale === "en-gb" ? [] : matches(free, /"/)).toEqual([]);
    const count = (text: string, mark: string) => text.split(mark).length - 1;
    const unpaired = prose.filter(({ text }) => count(text, "\u201e") !== count(text, "\u201c") || count(text, '"') % 2 > 0);
    expect(unpaired).toEqual([]);
  });

  test("has no dash or ellipsis for a sentence", () => {
    expect(matches(prose, /[\u2013\u2014\u2026]|\s-\s/)).toEqual([]);
  });
});
