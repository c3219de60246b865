/** What follows when an address shows another page than the one that its site is known by, or leads to another site. */
import { describe, expect, test } from "vitest";
import type { ShownPage } from "../../../src/store/site-events.ts";
import { address, inShort, openCodesOf, type ScriptedSite, type Shown, scriptedSite, shown } from "./run-script.ts";

const week = 7 * 24 * 60;
const look = week + 10;
const shopPage: ShownPage = { url: address, title: "Shop", asksPassword: false };
const maintenance: ShownPage = { ...shopPage, title: "Maintenance" };

function shopSite(given: Shown = {}): ScriptedSite {
  const site = scriptedSite();
  site.run(0, shown({ page: shopPage, ...given }));
  return site;
}

const others: readonly (readonly [string, ShownPage])[] = [
  ["a maintenance page", maintenance],
  ["a login page under its address", { url: address, title: "Sign in", asksPassword: true }],
  ["a login page with the title of the shop", { ...shopPage, asksPassword: true }],
  ["a redirect to a login page", { ...shopPage, url: `${address}login` }],
  ["a login page of another host of the site", { ...shopPage, url: "https://sso.a.example/" }],
  ["an empty page", { ...shopPage, title: "" }],
];

describe.each(others)("%s", (_name, page) => {
  test("praises nothing, neither then nor when it stays, and its end is silent", () => {
    const site = shopSite({ codes: ["x.missing", "y.weak"], score: 70 });
    expect(site.run(week, shown({ page, score: 100 }))).toEqual([]);
    expect(openCodesOf(site)).toEqual([]);
    expect(site.run(week + 40, shown({ page, score: 100 }), "manual")).toEqual([]);
    expect(site.run(week + 60, shown({ page: shopPage, codes: ["x.missing", "y.weak"], score: 70 }))).toEqual([]);
    expect([site.secondLook(), openCodesOf(site)]).toEqual([null, ["x.missing", "y.weak"]]);
  });

  test("is named as the cause of what it has, and its end is told", () => {
    const site = shopSite({ codes: ["y.weak"], score: 90 });
    const worse = shown({ page, codes: ["x.missing"], score: 50 });
    expect(site.run(week, worse)).toEqual([]);
    expect(site.run(look, worse, "second-look")).toMatchObject([
      { type: "site.score_dropped", data: { from: 90, to: 50, page: { from: shopPage, to: page } } },
      { type: "finding.opened", data: { page: { from: shopPage, to: page } } },
    ]);
    expect(inShort(site.run(week + 60, shown({ page: shopPage, codes: ["y.weak"], score: 90 })))).toEqual(["resolved x.missing"]);
    expect(openCodesOf(site)).toEqual(["y.weak"]);
  });
});

test("one that stays for a day is the known page", () => {
  const site = shopSite({ codes: ["x.missing"], score: 70 });
  site.run(week, shown({ page: maintenance, codes: ["y.weak"], score: 80 }));
  site.run(look, shown({ page: maintenance, codes: ["y.weak"], score: 80 }), "second-look");
  expect(inShort(site.run(2 * week, shown({ page: maintenance, score: 95 })))).toEqual(["resolved y.weak"]);
  expect(site.state).toMatchObject({ score: 95, page: maintenance, otherPageSince: null });
});

test("a title that changes with each run silences praise for one run only", () => {
  const site = shopSite({ codes: ["x.missing", "y.weak"] });
  const on = (day: number) => ({ ...shopPage, title: `News of day ${day}` });
  expect(site.run(week, shown({ page: on(7), codes: ["x.missing", "y.weak"] }))).toEqual([]);
  expect(inShort(site.run(2 * week, shown({ page: on(14), codes: ["x.missing"] })))).toEqual(["resolved y.weak"]);
});

test.each([
  ["(3) Shop", "(12) Shop"],
  ["Shop", "(1) Shop"],
  ["Offers of 2026-11-27", "Offers of 2026-11-28"],
  ["\u2022 Shop \u2022 19,90 \u20ac", "Shop 24,90 \u20ac"],
  ["\u30b7\u30e7\u30c3\u30d7 3", "\u30b7\u30e7\u30c3\u30d7 4"],
])("%s and %s name one page, whose improvement is told at once", (before, after) => {
  const site = shopSite({ page: { ...shopPage, title: before }, codes: ["x.missing"], score: 70 });
  expect(inShort(site.run(week, shown({ page: { ...shopPage, title: after }, score: 90 })))).toEqual(["resolved x.missing"]);
});

test.each([
  ["(3) Shop", "(3) Maintenance"],
  ["Shop", "Back in 58 minutes"],
  ["24", "404"],
  ["Shop", "404"],
  ["2026", ""],
])("%s and %s name two pages, the second of which praises nothing", (before, after) => {
  const site = shopSite({ page: { ...shopPage, title: before }, codes: ["x.missing"], score: 70 });
  expect(site.run(week, shown({ page: { ...shopPage, title: after }, score: 90 }))).toEqual([]);
});

test("a page that was not read changes nothing", () => {
  const site = shopSite({ codes: ["x.missing", "y.weak"] });
  expect(inShort(site.run(week, shown({ codes: ["y.weak"] })))).toEqual(["resolved x.missing"]);
  expect(site.state.page).toEqual(shopPage);
});

test("under new rules it is the page that later ones are compared with, and the return is named as the cause", () => {
  const site = shopSite();
  const rules = { algorithmVersion: 3, catalogVersion: "c2" };
  site.run(week, shown({ page: maintenance, rules }));
  site.run(2 * week, shown({ page: shopPage, codes: ["x.missing"], rules }));
  expect(site.run(2 * week + 10, shown({ page: shopPage, codes: ["x.missing"], rules }), "second-look")).toMatchObject([
    { type: "finding.opened", data: { page: { from: maintenance, to: shopPage } } },
  ]);
});

describe("a redirect to another site", () => {
  const elsewhere = shown({ page: { ...shopPage, url: "https://parked.test/" }, codes: ["y.weak"], score: 100, certificate: null });

  test("is reported with its host within the time of a second look, once, and changes no finding", () => {
    const site = shopSite({ codes: ["x.missing"], score: 70 });
    expect(site.run(week, elsewhere)).toEqual([]);
    expect(site.run(week + 5, elsewhere, "second-look")).toEqual([]);
    expect(site.run(look, elsewhere, "second-look")).toMatchObject([
      { type: "site.unreachable", data: { errorCode: null, leadsTo: "parked.test" } },
    ]);
    expect(site.run(2 * week, elsewhere)).toEqual([]);
    expect([openCodesOf(site), site.site.reading?.score, site.site.trend]).toEqual([["x.missing"], 70, [70]]);
    expect(inShort(site.run(3 * week, shown({ page: shopPage, codes: ["x.missing"], score: 70 })))).toEqual(["site.recovered"]);
  });

  test("does not take the certificate of that site for its own", () => {
    const site = shopSite({ certificate: { validFrom: "2026-01-01T00:00:00Z", expiresAt: "2027-01-01T00:00:00Z" } });
    site.run(week, { ...elsewhere, certificate: { validFrom: "2026-11-01T00:00:00Z", expiresAt: "2026-11-10T00:00:00Z" } });
    expect(site.site.reading?.certificateExpiresAt).toBe("2027-01-01T00:00:00Z");
  });

  test.each([
    ["that the site always did", "https://parked.test/", "https://parked.test/shop"],
    ["back to its own address", "https://parked.test/", address],
    ["between hosts of one site", "https://a.example/", "https://www.a.example/"],
  ])("%s is none", (_name, from, to) => {
    const site = shopSite({ page: { ...shopPage, url: from } });
    site.run(week, shown({ page: { ...shopPage, url: to } }));
    expect(site.site.failingSince).toBeNull();
  });
});
