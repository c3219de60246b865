/** A third language of the pages needs one locale file: a pseudo-locale is served like the two that exist. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { CheckTexts } from "../../../src/check/check.ts";
import { createTexts, type LocaleFile } from "../../../src/text/i18n.ts";
import { startApi } from "../../support/api.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages } from "../../support/pages.ts";

const accents: Readonly<Record<string, string>> = {
  a: "\u00e5",
  e: "\u00e9",
  i: "\u00ef",
  o: "\u00f8",
  u: "\u00fc",
  n: "\u00f1",
  s: "\u0161",
};

/** Every text in brackets and with accents, except for placeholders. */
function pseudo<T>(value: T): T {
  if (typeof value !== "string") return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, pseudo(one)])) as T;
  const pieces = value.split(/(\{\{.*?\}\})/);
  return `[${pieces.map((piece, at) => (at % 2 === 1 ? piece : piece.replace(/[aeiouns]/g, (letter) => accents[letter] ?? letter))).join("")}]` as T;
}

const plugin: CheckTexts = { label: "Own label", reason: "Own reason.", findings: {} };
const french: LocaleFile = pseudo(enGb);
const texts = createTexts({ "en-gb": { ...enGb.checks, "own-check": plugin }, "de-de": { ...deDe.checks, "own-check": plugin } }, [], {
  "en-gb": enGb,
  "de-de": deDe,
  "fr-fr": french,
});
const at = new Date("2026-03-09T14:05:00Z");
let pages: PagesUnderTest;
let token: string;

beforeAll(async () => {
  pages = await startPages({ texts, now: () => new Date(at.getTime() + 5 * 86_400_000) });
  await storeSite(pages.store, "bare", { at: new Date(at.getTime() - 60_000) });
  ({ token } = await storeSite(pages.store, "bare", { at }));
});
afterAll(() => pages.stop());

const htmlOf = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await pages.visitor().get(path, headers);
  return { answer, html: await answer.text() };
};

describe("a third language", () => {
  test.each(["/", "/about", "/api", "/checks", "/checks/hsts-effective", "/migrate", "/plans", "/scans", "/sign-in", "/nothing"])(
    "%s is in it",
    async (path) => {
      const { answer, html } = await htmlOf(`${path}?locale=fr-fr`);
      expect(answer.headers.get("content-language")).toBe("fr-fr");
      expect(html).toContain('<html lang="fr-FR"');
      expect(html).toMatch(/<h1[^>]*>(<[^>]*>)*\[/);
    },
  );

  test("localizes reports: check texts, dates and numbers", async () => {
    const { html } = await htmlOf(`/scans/${token}?locale=fr-fr`);
    const { "hsts-effective": hsts } = french.checks;
    expect(html).toContain(hsts.label);
    expect(html).toContain("9 mars 2026");
    expect(texts.translate("fr-fr", ["scanErrors", "refused"], { host: "{{x}}" })).toContain("{{x}}");
  });

  test("localizes comparisons", async () => {
    const { answer, html } = await htmlOf(`/scans/${token}/compare?locale=fr-fr`);
    expect(answer.status).toBe(200);
    expect(html).toMatch(/<h1[^>]*>\[/);
  });

  test("is offered by its own name and remembered", async () => {
    const visitor = pages.visitor();
    const english = await (await visitor.get("/")).text();
    expect(english).toMatch(/<a href="\/\?locale=fr-fr" lang="fr-FR" hreflang="fr-FR">\[[^<]+\]<\/a>/);
    expect(english).toContain(`<link rel="alternate" hreflang="fr-FR" href="${pages.url}/?locale=fr-fr"`);
    await visitor.get("/?locale=fr-fr");
    expect(await (await visitor.get("/about")).text()).toContain('<html lang="fr-FR"');
  });

  test.each([
    ["fr", "fr-FR"],
    ["fr-CA, en;q=0.9", "fr-FR"],
    ["de;q=0.4, fr;q=0.5", "fr-FR"],
    ["de;q=0.6, fr;q=0.5", "de-DE"],
    ["it, fr;q=0", "en-GB"],
  ])("Accept-Language: %s leads to %s", async (header, lang) => {
    expect((await htmlOf("/", { "accept-language": header })).html).toContain(`<html lang="${lang}"`);
  });
});

test("a plugin's texts fall back to English", () => {
  expect(texts.ofCheck("fr-fr", "own-check")).toEqual(plugin);
  expect(texts.translate("fr-fr", ["checks", "own-check", "label"])).toBe("Own label");
});

test("the API keeps its two languages", async () => {
  const checks = { texts, catalog: { checks: [], version: "v" } };
  const api = await startApi({ checks: () => checks });
  const { token: apiToken } = await api.customer();
  const { statusUrl } = await api.start(apiToken);
  expect((await api.request(`${statusUrl}/security?locale=de-de`, { token: apiToken })).status).toBe(200);
  expect((await api.request(`${statusUrl}/security?locale=fr-fr`, { token: apiToken })).status).toBe(400);
  await api.stop();
});
