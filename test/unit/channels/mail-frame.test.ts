/** Both forms of each mail: the same facts in the same order, and nothing that is loaded. */

import { describe, expect, test } from "vitest";
import { locales } from "../../../src/check/check.ts";
import { mailSampleNames, sampleMail } from "../../support/mail-samples.ts";

const mails = locales.flatMap((locale) => mailSampleNames.map((name) => [name, locale, sampleMail(name, locale)] as const));

/** Everything that the HTML says between these marks: texts, alternative texts and targets of links, in their order. */
function factsOf(html: string, from: string, to: string): readonly string[] {
  const part = html.slice(html.indexOf(from), html.indexOf(to)).replaceAll(/<td[^>]*aria-hidden.*?<\/td>/g, "");
  const facts = [...part.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>|<img[^>]* alt="([^"]+)"|>([^<]+)/g)];
  const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": " " };
  return facts
    .flatMap(([, href = "", label = "", alt = "", text = ""]) => (href !== "" && href === label ? [] : [label, href, alt, text]))
    .map((text) =>
      text
        .replaceAll(/&[^;]+;/g, (entity) => entities[entity] ?? entity)
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((text) => text !== "");
}

describe.each(mails)("the mail %s in %s", (_name, _locale, { html, text, subject, sender, images }) => {
  test("says the same in plain text and in the same order", () => {
    const plain = text.replaceAll(/\s+/g, " ");
    let at = 0;
    for (const fact of [
      ...factsOf(html, '<div role="main">', '<div role="contentinfo"'),
      sender,
      ...factsOf(html, '<div role="contentinfo"', "</body>"),
    ]) {
      const found = plain.indexOf(fact, at);
      expect([fact, found >= at]).toEqual([fact, true]);
      at = found;
    }
  });

  test("begins with what has happened, and says what to do", () => {
    expect(subject.length).toBeLessThanOrEqual(78);
    expect(subject).toContain((text.split("\n")[0] ?? "").slice(0, 20));
    expect(html.match(/<h1 /g)?.length).toBe(1);
    expect(html).toContain("href=");
  });

  test("loads nothing", () => {
    const sources = [...html.matchAll(/(?:src|background|srcset|poster)="([^"]*)"|url\(([^)]*)\)|@import/g)].map(([, source]) => source);
    expect(sources.filter((source) => !images.some(({ contentId }) => source === `cid:${contentId}`))).toEqual([]);
    expect(html).not.toMatch(/<(?:script|link|iframe|object|embed|form|base)\b/i);
    expect(images.every(({ contentId }) => html.includes(`"cid:${contentId}"`))).toBe(true);
  });

  test("is small enough for mail programs that cut long mails", () => expect(html.length).toBeLessThan(100_000));
});
