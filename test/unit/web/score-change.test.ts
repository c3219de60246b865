/** The change of a score in words: with the time of the earlier scan where both are of one day. */
import { expect, test } from "vitest";
import { createTexts } from "../../../src/text/i18n.ts";
import { createI18n } from "../../../src/text/translator.ts";
import { scoreChange } from "../../../src/web/scans/score-history.tsx";
import { checksTexts } from "../../support/stored.ts";

const rules = { algorithmVersion: 3, catalogVersion: "v" };
const before = { score: 52, ...rules };

test.each([
  ["en-gb", "2026-11-26T18:30:00.000Z", "Up 47 points since 26 Nov 2026, 14:02 UTC"],
  ["de-de", "2026-11-26T18:30:00.000Z", "47 Punkte mehr als am 26. Nov. 2026, 14:02 UTC"],
  ["en-gb", "2026-11-27T00:10:00.000Z", "Up 47 points since 26 Nov 2026"],
] as const)("in %s, of a scan at %s", (locale, at, words) => {
  const i18n = createI18n(createTexts(checksTexts), locale);
  const previous = { summary: before, createdAt: "2026-11-26T14:00:00.000Z", endedAt: "2026-11-26T14:02:00.000Z" };
  const change = scoreChange(i18n, { score: 99, ...rules }, at, previous as never);
  expect(change).toContain(words);
  expect(change?.includes("14:02")).toBe(at.startsWith("2026-11-26"));
});
