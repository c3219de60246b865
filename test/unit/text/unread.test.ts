/** Texts for scans without a score, and for scores that unread rows limit. */
import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { algorithmVersion, type LedgerRow, type NotCheckedBecause, type StoredResult } from "../../../src/judge/result.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { heldScore, notMeasuredBecause } from "../../../src/text/unread.ts";
import { checksTexts, storedResult } from "../../support/stored.ts";

const texts = createTexts(checksTexts);

function row(key: string, weight: number, notCheckedBecause: NotCheckedBecause): LedgerRow {
  return { key, state: "notChecked", weight, evidence: ["page"], notCheckedBecause };
}

function result(score: number | null, ...ledger: readonly LedgerRow[]): StoredResult {
  return { ...storedResult(), algorithmVersion, score, measured: score !== null, ledger };
}

describe("without a score", () => {
  test.each([
    ["en-gb", "page: client-error", "4xx", "the start page"],
    ["de-de", "page: client-error", "4xx", "die Startseite"],
    ["en-gb", "page: sign-in-required", "requires a sign-in", "opens without a sign-in"],
    ["de-de", "page: sign-in-required", "verlangt eine Anmeldung", "ohne Anmeldung \u00f6ffnet"],
    ["en-gb", "page: server-error", "5xx", "answers without an error"],
    ["en-gb", "page: tls-incompatible", "Browsers refuse", "TLS 1.2 or 1.3 with ECDHE"],
    ["de-de", "page: tls-incompatible", "Browser lehnen", "TLS 1.2 oder 1.3 mit ECDHE"],
    ["en-gb", "page: challenged", "bot defence", "allow this appliance"],
  ] as const)("in %s, %s: why and what to scan", (locale, because, why, instead) => {
    const text = notMeasuredBecause(result(null, row("a", 1, "tls: timeout"), row("b", 1, because)), locale, texts) ?? "";
    expect(text).toContain(why);
    expect(text).toContain(instead);
    expect(text).not.toContain("{{");
  });

  test("an unknown reason of a newer version is shown as it is", () => {
    expect(notMeasuredBecause(result(null, row("a", 1, "page: from-the-future")), "en-gb", texts)).toBe(
      `${enGb.report.pageNotRead} from-the-future`,
    );
  });

  test("a page that was read had too few rows", () => {
    expect(notMeasuredBecause(result(null, row("a", 1, "tls: timeout")), "de-de", texts)).toBe(deDe.report.notMeasured);
  });

  test("a measured result needs no reason", () => {
    expect(notMeasuredBecause(result(50, row("a", 1, "tls: timeout")), "en-gb", texts)).toBeNull();
  });
});

describe("a score with unread rows", () => {
  test("is limited by the heavy ones, each with its remedy", () => {
    const unread = result(79, row("csp", 8, "header-truncated"), row("tls-x", 10, "tls: timeout"), row("light", 7, "header-truncated"));
    const held = heldScore(unread, "en-gb", texts);
    expect(held).toEqual({
      scoreMax: 79,
      rows: [
        { key: "csp", because: "header-truncated", remedy: enGb.report.remedies["header-truncated"] },
        { key: "tls-x", because: "tls: timeout", remedy: enGb.report.remedies.reading },
      ],
    });
    expect(heldScore(unread, "de-de", texts)?.rows[0]?.remedy).toContain("scan.header_chars_max");
  });

  test.each([
    ["no heavy row", result(90, row("light", 7, "header-truncated"))],
    ["no score", result(null, row("csp", 8, "header-truncated"))],
    ["rules without this limit", { ...result(95, row("csp", 8, "header-truncated")), algorithmVersion: 2 }],
  ])("is not limited with %s", (_words, unlimited) => {
    expect(heldScore(unlimited, "en-gb", texts)).toBeNull();
  });
});
