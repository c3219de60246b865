/** Validation of the fields of sites: defaults, stored forms, and a fault for every rule. */
import { describe, expect, test } from "vitest";
import { plannedChange, plannedSite, shownRunsOf } from "../../../src/sites/schedule.ts";
import {
  acceptedWith,
  parseAcceptance,
  parseBulkChange,
  parseSiteChange,
  parseSiteFields,
  type SiteFault,
} from "../../../src/sites/site-fields.ts";
import { bulkChangeOf } from "../../../src/sites/site-operations.ts";
import { newSiteState } from "../../../src/store/site-runs.ts";
import { acceptedFindingsMax, type Site, type SiteFields, sitePagesMax, siteTagsMax } from "../../../src/store/sites.ts";

const settings = { locations: ["berlin"] };
const url = "https://bakery.example/";
const now = new Date("2026-03-05T10:00:00Z");

function fieldsOf(given: object): SiteFields {
  const parsed = parseSiteFields(given, settings);
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed;
}

function faultsOf(parsed: object): readonly SiteFault[] {
  return "faults" in parsed ? (parsed.faults as readonly SiteFault[]) : [];
}

const site: Site = {
  ...fieldsOf({ url }),
  id: 1,
  accountId: 7,
  accepted: [],
  createdAt: now.toISOString(),
  nextRunAt: "2026-03-06T00:00:00.000Z",
  secondLookAt: null,
  lastRunAt: "2026-03-01T00:00:00.000Z",
  failingSince: null,
  reading: null,
  trend: [],
};

describe("a new site", () => {
  test("has defaults", () => {
    const defaults = {
      name: "bakery.example",
      pages: [],
      client: null,
      tags: [],
      location: "local",
      schedule: { every: "weekly" },
      paused: false,
    };
    expect(fieldsOf({ url: "HTTPS://Bakery.Example#x" })).toEqual({ url, ...defaults });
    expect(fieldsOf({ url, name: " ", client: "", tags: null, pages: null, location: "", schedule: null, paused: null })).toEqual({
      url,
      ...defaults,
    });
  });
  test("has its texts trimmed, its addresses in their stored form, and each tag once", () => {
    const given = {
      url,
      name: " Bakery ",
      client: " Miller ",
      tags: [" shop ", "shop", "key account"],
      pages: ["HTTPS://bakery.example:443/a b".replace(" ", "%20")],
      location: "berlin",
      schedule: { cron: " 0  3 * * 1 ", zone: "Europe/Berlin" },
      paused: true,
    };
    expect(fieldsOf(given)).toEqual({
      url,
      name: "Bakery",
      client: "Miller",
      tags: ["shop", "key account"],
      pages: ["https://bakery.example/a%20b"],
      location: "berlin",
      schedule: { cron: "0 3 * * 1", zone: "Europe/Berlin" },
      paused: true,
    });
  });
  test("cuts a default name at the limit", () => {
    expect(fieldsOf({ url: `https://${"a".repeat(60)}.${"b".repeat(60)}.example/` }).name).toHaveLength(100);
  });

  const long = "x".repeat(101);
  test.each<readonly [string, object, Partial<SiteFault>]>([
    ["no url", {}, { field: "url", code: "required" }],
    ["an empty url", { url: "" }, { field: "url", code: "required" }],
    ["a url that is no text", { url: 7 }, { field: "url", code: "not-text" }],
    ["a url of another scheme", { url: "ftp://a.example/" }, { field: "url", code: "url-invalid", fault: "not-absolute" }],
    ["a url with a password", { url: "https://u:p@a.example/" }, { field: "url", code: "url-invalid", fault: "credentials" }],
    ["a name that is no text", { url, name: ["x"] }, { field: "name", code: "not-text" }],
    ["a long name", { url, name: long }, { field: "name", code: "too-long", max: 100 }],
    ["a line break in a name", { url, name: "a\nb" }, { field: "name", code: "characters" }],
    ["a control of direction in a client", { url, client: "a\u202eb" }, { field: "client", code: "characters" }],
    ["half a surrogate pair in a client", { url, client: "a\ud800" }, { field: "client", code: "characters" }],
    ["a long client", { url, client: long }, { field: "client", code: "too-long", max: 100 }],
    ["tags that are no list", { url, tags: "shop" }, { field: "tags", code: "not-list" }],
    ["a tag that is no text", { url, tags: ["a", 1] }, { field: "tags", code: "not-text", entry: 2 }],
    ["an empty tag", { url, tags: [" "] }, { field: "tags", code: "required", entry: 1 }],
    ["a long tag", { url, tags: ["x".repeat(41)] }, { field: "tags", code: "too-long", max: 40, entry: 1 }],
    ["a tag with a separator", { url, tags: ["a|b"] }, { field: "tags", code: "tag-separator", entry: 1 }],
    ["a tag with a comma", { url, tags: ["ok", "retail, B2B"] }, { field: "tags", code: "tag-separator", entry: 2 }],
    [
      "both forms of a schedule",
      { url, schedule: { every: "daily", cron: "0 3 * * *", zone: "UTC" } },
      { field: "schedule", code: "both-forms" },
    ],
    [
      "too many tags",
      { url, tags: Array.from({ length: siteTagsMax + 1 }, (_, at) => `t${at}`) },
      { field: "tags", code: "too-many", max: siteTagsMax },
    ],
    ["pages that are no list", { url, pages: "x" }, { field: "pages", code: "not-list" }],
    ["a page that is no text", { url, pages: [null] }, { field: "pages", code: "not-text", entry: 1 }],
    ["a page that is no address", { url, pages: ["/a"] }, { field: "pages", code: "url-invalid", fault: "not-absolute", entry: 1 }],
    ["a page of another host", { url, pages: [`${url}a`, "https://other.example/"] }, { field: "pages", code: "origin-differs", entry: 2 }],
    ["a page of another port", { url, pages: ["https://bakery.example:8443/"] }, { field: "pages", code: "origin-differs", entry: 1 }],
    ["the first address as a page", { url, pages: [`${url}#x`] }, { field: "pages", code: "repeated", entry: 1 }],
    ["a page twice", { url, pages: [`${url}a`, `${url}a`] }, { field: "pages", code: "repeated", entry: 2 }],
    [
      "too many pages",
      { url, pages: Array.from({ length: sitePagesMax }, (_, at) => `${url}${at}`) },
      { field: "pages", code: "too-many", max: sitePagesMax - 1 },
    ],
    ["an unknown location", { url, location: "paris" }, { field: "location", code: "unknown-location" }],
    ["a location that is no text", { url, location: {} }, { field: "location", code: "not-text" }],
    ["an unknown interval", { url, schedule: { every: "minutely" } }, { field: "schedule", code: "unknown-interval" }],
    ["a schedule that is a text", { url, schedule: "daily" }, { field: "schedule", code: "unknown-interval" }],
    ["bad cron", { url, schedule: { cron: "x", zone: "UTC" } }, { field: "schedule", code: "cron-malformed" }],
    ["an unknown zone", { url, schedule: { cron: "0 3 * * *", zone: "Mars" } }, { field: "schedule", code: "zone-unknown" }],
    ["runs within an hour", { url, schedule: { cron: "*/5 * * * *", zone: "UTC" } }, { field: "schedule", code: "too-often" }],
    ["cron without a date", { url, schedule: { cron: "0 0 30 2 *", zone: "UTC" } }, { field: "schedule", code: "never-runs" }],
    ["a switch that is a text", { url, paused: "true" }, { field: "paused", code: "not-switch" }],
  ])("is refused for %s", (_words, given, fault) => expect(faultsOf(parseSiteFields(given, settings))).toEqual([fault as SiteFault]));

  test("reports the faults of all fields", () => {
    const fields = faultsOf(parseSiteFields({ url: "x", name: long, tags: [1, 2], paused: 1 }, settings)).map(({ field }) => field);
    expect(fields).toEqual(["url", "name", "tags", "tags", "paused"]);
  });
  test("takes as many pages and tags as allowed", () => {
    const pages = Array.from({ length: sitePagesMax - 1 }, (_, at) => `${url}${at}`);
    expect(fieldsOf({ url, pages, tags: Array.from({ length: siteTagsMax }, (_, at) => `t${at}`) }).pages).toEqual(pages);
  });
});

describe("a change", () => {
  test("has the given fields only", () => {
    expect(parseSiteChange({ client: "M" }, site, settings)).toEqual({ client: "M" });
    expect(parseSiteChange({ paused: true, tags: [] }, site, settings)).toEqual({ paused: true, tags: [] });
  });
  test("of the address renames a site with its default name, and judges the pages again", () => {
    const moved = { url: "https://new.example/" };
    expect(parseSiteChange(moved, site, settings)).toEqual({ ...moved, name: "new.example", pages: [] });
    expect(parseSiteChange(moved, { ...site, name: "Bakery" }, settings)).toEqual({ ...moved, name: "Bakery", pages: [] });
    expect(faultsOf(parseSiteChange(moved, { ...site, pages: [`${url}a`] }, settings))).toMatchObject([
      { field: "pages", code: "origin-differs" },
    ]);
    expect(parseSiteChange({ pages: [`${url}b`] }, site, settings)).toEqual({ pages: [`${url}b`] });
  });
  test("is refused with all its faults", () => {
    expect(faultsOf(parseSiteChange({ url: "x", schedule: {} }, site, settings)).map(({ field }) => field)).toEqual(["url", "schedule"]);
  });
});

describe("an acceptance", () => {
  const code = "security.missing-header.content-security-policy";
  test.each<readonly [string, unknown, object, readonly [string, string]]>([
    ["a malformed code", "csp", { reason: "x" }, ["code", "code-malformed"]],
    ["a code that is no text", null, { reason: "x" }, ["code", "code-malformed"]],
    ["no reason", code, {}, ["reason", "required"]],
    ["a blank reason", code, { reason: " " }, ["reason", "required"]],
    ["a long reason", code, { reason: "x".repeat(501) }, ["reason", "too-long"]],
    ["a day of another form", code, { reason: "x", until: "5.3.2026" }, ["until", "day-malformed"]],
    ["a day that does not exist", code, { reason: "x", until: "2027-02-29" }, ["until", "day-malformed"]],
    ["a day that is a number", code, { reason: "x", until: 2027 }, ["until", "day-malformed"]],
    ["yesterday", code, { reason: "x", until: "2026-03-04" }, ["until", "day-past"]],
  ])("is refused for %s", (_words, given, fields, fault) => {
    expect(faultsOf(parseAcceptance(given, fields, now)).map(({ field, code: is }) => [field, is])).toEqual([[...fault]]);
  });
  test("ends with a day, or not", () => {
    expect(parseAcceptance(code, { reason: " x ", until: "2026-03-05" }, now)).toEqual({
      code,
      reason: "x",
      until: "2026-03-05",
      acceptedAt: now.toISOString(),
    });
    expect(parseAcceptance(code, { reason: "x", until: "" }, now)).toMatchObject({ until: null });
  });
  test("replaces an earlier one of its code, and has a limit", () => {
    const entry = (each: string) => ({ code: each, reason: "x", until: null, acceptedAt: now.toISOString() });
    const accepted = Array.from({ length: acceptedFindingsMax }, (_, at) => entry(`security.a.b${at}`));
    expect(acceptedWith({ accepted }, entry("security.a.b0"))).toHaveLength(acceptedFindingsMax);
    expect(acceptedWith({ accepted }, entry("security.a.other"))).toBe(null);
  });
});

describe("planned runs", () => {
  test("of a new site begin at once with an interval, at their time with cron, and never while paused", () => {
    expect(plannedSite(fieldsOf({ url }), 7, now).nextRunAt).toBe(now.toISOString());
    const cron = fieldsOf({ url, schedule: { cron: "0 3 * * *", zone: "UTC" } });
    expect(plannedSite(cron, 7, now).nextRunAt).toBe("2026-03-06T03:00:00.000Z");
  });
  test("stay with a change that does not touch them", () => {
    expect(plannedChange(site, { client: "M", schedule: { every: "weekly" } }, now)).toEqual({
      client: "M",
      schedule: { every: "weekly" },
    });
  });
  test("follow a new schedule, a pause and its end", () => {
    const schedule = { cron: "0 3 * * *", zone: "UTC" };
    expect(plannedChange(site, { schedule }, now).nextRunAt).toBe("2026-03-06T03:00:00.000Z");
    expect(plannedChange(site, { paused: true }, now)).toEqual({ paused: true, nextRunAt: null, secondLookAt: null });
    const paused = { ...site, paused: true, nextRunAt: null };
    expect(plannedChange(paused, { schedule }, now)).toMatchObject({ nextRunAt: null });
    expect(Date.parse(plannedChange(paused, { paused: false }, now).nextRunAt ?? "")).toBeGreaterThan(now.getTime());
    expect(plannedChange({ ...paused, lastRunAt: null }, { paused: false }, now).nextRunAt).toBe(now.toISOString());
  });
  test("are shown three at a time", () => {
    const cron = { ...site, schedule: { cron: "0 3 * * *", zone: "UTC" }, nextRunAt: "2026-03-06T03:00:00.000Z" };
    expect(shownRunsOf(cron)).toEqual(["2026-03-06T03:00:00.000Z", "2026-03-07T03:00:00.000Z", "2026-03-08T03:00:00.000Z"]);
    expect(shownRunsOf({ ...cron, nextRunAt: null })).toEqual([]);
  });
});

describe("a change of many sites", () => {
  function changeOf(given: object) {
    const parsed = parseBulkChange(given, { ...settings, now });
    if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
    return parsed;
  }
  test("adds and removes tags, and changes what is given", () => {
    const tagged = { ...site, tags: ["a", "b"] };
    const change = changeOf({ addTags: ["c", "a"], removeTags: ["b"], client: null });
    expect(bulkChangeOf(tagged, change, now, () => newSiteState)).toEqual({ client: null, tags: ["a", "c"] });
    expect(bulkChangeOf(tagged, changeOf({ addTags: ["a"], removeTags: ["a"] }), now, () => newSiteState)).toEqual({ tags: ["b", "a"] });
    expect(bulkChangeOf(site, changeOf({ paused: true }), now, () => newSiteState)).toMatchObject({ paused: true, nextRunAt: null });
  });
  test("sets schedule and location, and accepts a finding whose count goes down", () => {
    const change = changeOf({
      location: "berlin",
      schedule: { every: "daily" },
      accept: { code: "security.hsts.max-age-too-short", reason: "Ours", until: null },
    });
    const acceptance = { code: "security.hsts.max-age-too-short", reason: "Ours", until: null, acceptedAt: now.toISOString() };
    expect(bulkChangeOf(site, change, now, () => newSiteState)).toMatchObject({
      location: "berlin",
      schedule: { every: "daily" },
      accepted: [acceptance],
    });
    const replaced = { ...site, accepted: [{ ...acceptance, reason: "Old" }] };
    expect(bulkChangeOf(replaced, change, now, () => newSiteState)).toMatchObject({ accepted: [acceptance] });
  });
  test("is refused for a site that accepts too many findings", () => {
    const full = {
      ...site,
      accepted: Array.from({ length: acceptedFindingsMax }, (_, at) => ({
        code: `security.c.${at}`,
        reason: "Ours",
        until: null,
        acceptedAt: now.toISOString(),
      })),
    };
    const change = changeOf({ accept: { code: "security.hsts.max-age-too-short", reason: "Ours" } });
    expect(faultsOf(bulkChangeOf(full, change, now, () => newSiteState))).toEqual([
      { field: "code", code: "too-many", max: acceptedFindingsMax },
    ]);
  });
  test("is refused for a site that would have too many tags", () => {
    const full = { ...site, tags: Array.from({ length: siteTagsMax }, (_, at) => `t${at}`) };
    expect(faultsOf(bulkChangeOf(full, changeOf({ addTags: ["x"] }), now, () => newSiteState))).toEqual([
      { field: "tags", code: "too-many", max: siteTagsMax },
    ]);
  });
  test("is refused for its fields", () => {
    const faults = faultsOf(parseBulkChange({ paused: 1, schedule: {}, client: 7, addTags: "x", removeTags: [""] }, { ...settings, now }));
    expect(faults.map(({ field }) => field)).toEqual(["paused", "schedule", "client", "tags", "tags"]);
    const others = faultsOf(parseBulkChange({ location: "nowhere", accept: { code: 1, until: "2026-13-01" } }, { ...settings, now }));
    expect(others.map(({ field }) => field)).toEqual(["location", "code", "reason", "until"]);
    expect(faultsOf(parseBulkChange({ accept: "security.hsts.max-age-too-short" }, { ...settings, now }))).toHaveLength(2);
  });
});
