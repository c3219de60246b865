/** Client report: what it says of sites in every state of a real store, and that the file is valid and self-contained. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { dayMs } from "../../../src/base/units.ts";
import { type ClientReportSettings, clientReportFile } from "../../../src/export/client-report/client-report.tsx";
import type { KnownFinding } from "../../../src/store/site-runs.ts";
import type { Site } from "../../../src/store/sites.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { markupComplaints } from "../../browser/web/markup.ts";
import { addClientSite, type ClientSites, fillClientSites } from "../../support/client-sites.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";
import { addSite } from "../../support/watched-sites.ts";

const now = new Date("2026-11-20T09:00:00.000Z");
const ago = (days: number) => new Date(now.getTime() - days * dayMs);
const client = "M\u00fcller & Co";
const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks }, builtInChecks);
const words = enGb.pages.sites.clientReport;

let temporary: TemporaryStore;
let sites: ClientSites;

beforeEach(async () => {
  temporary = temporaryStore();
  const account = await temporary.store.accounts.create({ email: "me@assay.test", now });
  if (typeof account === "string") throw new Error(account);
  sites = { store: temporary.store, accountId: account.id, client, now };
});
afterEach(() => temporary.stop());

function report(given: Partial<ClientReportSettings> = {}): string {
  const { store, accountId } = sites;
  const settings = { store, owner: { id: accountId }, client, locale: "en-gb", texts, checks: builtInChecks, version: "1.2.3", now };
  return clientReportFile({ ...settings, origin: "https://assay.test", brand: null, words: "technical", ...given }) ?? "";
}

/** Visible text, with single spaces. */
function textOf(html: string): string {
  return html
    .slice(Math.max(0, html.indexOf("<main")))
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ");
}

/** Section of a site by its name. */
function sectionOf(html: string, name: string): string {
  const section = html.split("<article").find((part) => part.includes(`>${name}</bdi></h2>`));
  if (section === undefined) throw new Error(`no section of ${name}`);
  return section.slice(0, section.indexOf("</article>"));
}

/** Cells of the row of a site in the table of all sites. */
function rowOf(html: string, name: string): readonly string[] {
  const row = html.split("<tr").find((part) => part.includes(`>${name}</bdi></a>`)) ?? "";
  return [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) => textOf(cell).trim());
}

/** Changes what is known of the findings of a site, as the runs of a later release or plugin could. */
async function knowFindings(site: Site, findings: Readonly<Record<string, KnownFinding>>): Promise<void> {
  await sites.store.siteRuns.noteState(site, (_site, state) => ({ state: { ...state, findings }, events: [] }), now);
}

const known = (given: Partial<KnownFinding> = {}): KnownFinding => ({
  ...{ checkKey: "gone-plugin", severity: "low", state: "open", since: ago(50).toISOString(), urls: [], flips: [], unstable: false },
  ...given,
});

test("there is no report of a client without sites, and none of another account", async () => {
  await addSite(sites.store, { accountId: sites.accountId, url: "https://a.test/", client: "Other", now });
  await addSite(sites.store, { accountId: sites.accountId + 1, url: "https://b.test/", client, now });
  expect(report()).toBe("");
  expect(textOf(report({ client: "Other" }))).toContain("a.test");
});

describe("the summary for a client", () => {
  beforeEach(() => fillClientSites(sites));

  test.each([
    ["en-gb", enGb],
    ["de-de", deDe],
  ] as const)("says first which sites need most, what to do and what got better, in %s", (locale, { pages }) => {
    const text = textOf(report({ locale, words: "plain" }));
    const { better, next, verdict, chart } = pages.sites.clientReport;
    expect(text).toContain(`${verdict.urgent.other.replace("{{count}}", "4").replace("{{all}}", "7")} Campaign , Archive , Shop`);
    const order = [verdict.urgent.other.slice(-10), chart.title, next.title, better.title, pages.sites.clientReport.overview];
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(text.slice(text.indexOf(next.title), text.indexOf(better.title))).toContain("Campaign");
    const improved = text.slice(text.indexOf(better.title), text.indexOf(pages.sites.clientReport.overview));
    expect(improved).toContain("Blog");
    expect(improved).toContain(pages.sites.clientReport.changes.resolved);
    expect(improved).not.toContain(locale === "de-de" ? "Kritisch" : "Critical");
    expect(text).not.toContain(pages.sites.clientReport.changes.title);
    expect(textOf(report({ locale }))).toContain(pages.sites.clientReport.changes.title);
    if (locale === "de-de") expect(text).not.toMatch(/\bSites?\b/);
  });

  test("draws a bar for each measured day, and nothing between them", () => {
    const [, chart = ""] = report({ words: "plain" }).split('aria-label="Main; ');
    const [drawing = ""] = chart.split("</svg>");
    expect(drawing).toMatch(/^31 Oct 2026: 40; 18 Nov 2026: 40; now 40 of 100"/);
    expect([drawing.match(/class="day /g)?.length, drawing.match(/class="day-none"/g)?.length]).toEqual([2, 29]);
  });

  test("says honestly that nothing got better", async () => {
    await addClientSite({ ...sites, client: "Still" }, "https://still.test/", { name: "Still" }, [[5, "bare"]]);
    await addClientSite({ ...sites, client: "Waiting" }, "https://waiting.test/", { name: "Waiting" }, []);
    expect(textOf(report({ client: "Still", words: "plain" }))).toContain(words.better.none);
    const waiting = textOf(report({ client: "Waiting", words: "plain" }));
    expect(waiting).toContain(words.verdict.none);
    expect(waiting).not.toContain(words.better.title);
  });
});

describe("a client with sites in every state", () => {
  beforeEach(() => fillClientSites(sites));

  test.each(["en-gb", "de-de"])("has a file that is valid, loads nothing, and has unique ids in %s", async (locale) => {
    const html = report({ locale });
    expect(await markupComplaints(html)).toEqual([]);
    expect(html).not.toMatch(/<(script|img|iframe|object|embed|form|input|button|base|audio|video|source)\b/);
    const ids = [...html.matchAll(/<[^>]+? id="([^"]*)"/g)].map(([, id = ""]) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const inside = [...html.matchAll(/<a [^>]*?href="#([^"]*)"/g)].map(([, id = ""]) => id);
    expect(inside.filter((id) => !ids.includes(id))).toEqual([]);
    expect(html).not.toMatch(/sites\.(clientReport|clientPage|columns)|\{\{|undefined|NaN/);
  });

  test("lists the worst first, and those without a score last", () => {
    const names = [...report().matchAll(/<a href="#site-\d+"><bdi[^>]*>([^<]*)</g)].map(([, name]) => name);
    expect(names).toEqual(["Campaign", "Archive", "Shop", "Main", "Blog", "Page 1", "Page 2"]);
  });

  test("begins with title, date and figures", () => {
    const text = textOf(report());
    expect(text).toContain("Security report for M\u00fcller & Co 9 websites, as of 20 Nov 2026.");
    expect(text).toContain("3 good 4 poor 2 no score yet Lowest score 15");
    expect(text).toContain("Accepted findings 2");
    expect(text).toContain("Next certificate to expire 13 Sept 2026 , expired");
    expect(textOf(report({ locale: "de-de" }))).toContain("Sicherheitsbericht f\u00fcr M\u00fcller & Co 9 Websites, Stand 20. Nov. 2026.");
  });

  test("says how a score has changed in about 30 days, or that it is not known", () => {
    const html = report();
    const changeOf = (name: string) => rowOf(html, name)[2]?.replaceAll("\u00a0", " ");
    expect(changeOf("Main")).toBe("\u221260 since 20 Oct 2026");
    expect(changeOf("Blog")).toBe("+85 since 19 Oct 2026");
    expect(changeOf("Shop")).toBe("the same as on 20 Oct 2026");
    expect(["Campaign", "Page 1"].map(changeOf)).toEqual([words.unknown, words.unknown]);
  });

  test("says of a site what keeps its score from being current", () => {
    const html = report();
    const archive = textOf(sectionOf(html, "Archive"));
    expect(archive).toContain(
      "No scan could measure this website since 11 Nov 2026, 09:00 UTC. The score is the last one that was measured.",
    );
    expect(archive).toContain("old.example.test could not be reached");
    expect(archive).toContain("The website could not be measured since 11 Nov 2026 not measured 17 Nov 2026");
    expect(textOf(sectionOf(html, "Campaign"))).toContain(words.state.paused);
    const unmeasured = textOf(html.slice(html.indexOf('id="without-score"'), html.indexOf("<article")));
    expect(unmeasured).toMatch(
      /Never reached .* No scan could measure this website since 18 Nov 2026, 09:00 UTC. There is no .* New .* not been scanned yet/,
    );
    for (const name of ["New", "Never reached"]) expect(() => sectionOf(html, name)).toThrow("no section");
    for (const name of ["Shop", "Page 1"]) expect(sectionOf(html, name)).not.toContain('class="notice');
  });

  test("lists open findings with their addresses, and accepted ones apart while the acceptance holds", () => {
    const html = report();
    expect(textOf(sectionOf(html, "Shop"))).toMatch(/Critical Certificate is self-signed 21 Sept 2026 3 of 3/);
    const main = sectionOf(html, "Main");
    const [open = "", rest = ""] = main.split("<h3>Accepted findings</h3>");
    const [accepted = ""] = rest.split("<h3>");
    expect(open).not.toContain("accepted</span>");
    expect(textOf(accepted)).toMatch(/accepted The client wants it so no end .* accepted Fixed with the relaunch 18 Feb 2027/);
    expect(main).not.toContain("Only until last month");
    const state = sites.store.siteRuns.state(Number(/id="site-(\d+)"/.exec(main)?.[1]));
    const codes = Object.keys(state.findings).filter((code) => state.findings[code]?.state === "open");
    expect(textOf(open)).toContain(`Open findings ${codes.length - 2} Accepted findings 2`);
    expect(open.match(/<th scope="row"/g)).toHaveLength(codes.length - 2);
  });

  test("lists what opened and what was resolved, and how much is left out", () => {
    const html = report();
    expect(textOf(sectionOf(html, "Main"))).toMatch(/Changes of the last 30 days .* No Content Security Policy new 31 Oct 2026/);
    const blog = textOf(sectionOf(html, "Blog"));
    // The run of the day before had a new finding, too: its second look came first.
    expect(blog).toMatch(/Certificate has expired resolved 11 Nov 2026/);
    expect(blog).toMatch(/\d+ more changes are not listed\./);
    expect(textOf(sectionOf(html, "Shop"))).toContain(words.changes.none);
    expect(textOf(sectionOf(html, "Page 1"))).toContain(words.changes.silent);
    expect(textOf(sectionOf(html, "Shop"))).not.toContain(words.changes.silent);
  });

  test("has the brand in place of assay, and no links without an address of the appliance", () => {
    const html = report({ brand: { name: "Agency <b>", logo: null, accent: "#14501e", footer: "Call </p>" }, origin: null });
    expect(html).toContain("<title>Security report for M\u00fcller &amp; Co - Agency &lt;b></title>");
    expect(html).toContain('fill="#14501e"');
    expect(html).toContain("Call &lt;/p>");
    expect(html).not.toMatch(/href="(?!#|data:)/);
  });
});

test("the change is that to the score nearest to 30 days ago, unless it is too far away", async () => {
  // A second look confirms each run.
  const course = (days: readonly number[]) =>
    days.flatMap((each, at) => [each, each - 0.01].map((day) => [day, at % 2 === 0 ? "bare" : "sound"] as const));
  await addClientSite(sites, "https://near.test/", { name: "Near" }, course([44, 31, 16, 1]));
  await addClientSite(sites, "https://exact.test/", { name: "Exact" }, course([60, 30, 29, 1]));
  await addClientSite(sites, "https://far.test/", { name: "Far" }, course([46, 14, 1]));
  await addClientSite(sites, "https://same.test/", { name: "Same" }, [[30, "bare"]]);
  const html = report();
  const changeOf = (name: string) => rowOf(html, name)[2]?.replaceAll("\u00a0", " ");
  expect(["Near", "Exact", "Far", "Same"].map(changeOf)).toEqual([
    "the same as on 20 Oct 2026",
    "the same as on 21 Oct 2026",
    words.unknown,
    words.unknown,
  ]);
});

test("scores by other rules, or of scans that are gone, are not compared", async () => {
  const site = await addClientSite(sites, "https://one.test/", { name: "One" }, [
    [30, "sound"],
    [1, "bare"],
    [0.9, "bare"],
  ]);
  const [before] = sites.store.siteRuns.history(site.id);
  if (before === undefined) throw new Error("no history");
  expect(rowOf(report(), "One")[2]).toContain("\u221285");
  const { scans } = sites.store;
  const summaryOf = (token: string) => {
    const scan = scans.findByToken(token);
    return scan?.summary ? { ...scan, summary: { ...scan.summary, catalogVersion: "other" } } : scan;
  };
  const changed = {
    ...sites.store,
    scans: { ...scans, findByToken: (token: string) => (token === before.token ? summaryOf(token) : scans.findByToken(token)) },
  };
  const gone = { ...sites.store, scans: { ...scans, findByToken: () => undefined } };
  for (const store of [changed, gone]) expect(rowOf(report({ store }), "One")[2]).toContain("not comparable with 21");
});

test("changes of a former first address are not those of the site", async () => {
  const site = await addClientSite(sites, "https://old.test/", { name: "Moved" }, [
    [20, "sound"],
    [10, "bare"],
    [9, "bare"],
  ]);
  expect(textOf(sectionOf(report(), "Moved"))).toContain(words.changes.opened);
  await sites.store.sites.change(sites.accountId, site.id, () => ({ url: "https://new.test/" }));
  const html = report();
  expect(html).toContain("new.test");
  expect(() => sectionOf(html, "Moved")).toThrow("no section");
  expect(html).not.toContain(`>${words.changes.opened}</span>`);
});

test("an acceptance that ended is no new finding", async () => {
  const site = await addClientSite(sites, "https://one.test/", { name: "One" }, [[70, "bare"]]);
  const [code = ""] = Object.keys(sites.store.siteRuns.state(site.id).findings);
  const until = ago(10).toISOString().slice(0, 10);
  await sites.store.sites.change(site.accountId, site.id, () => ({
    accepted: [{ code, reason: "For a while", until, acceptedAt: ago(60).toISOString() }],
  }));
  const finding = known({ checkKey: "hsts", severity: "critical", since: ago(70).toISOString() });
  await sites.store.siteRuns.noteState(
    site,
    (_site, state) => ({
      state: { ...state, findings: { [code]: finding } },
      events: [{ type: "finding.opened", token: null, data: { findings: [{ code, checkKey: "hsts", severity: "critical", urls: [] }] } }],
    }),
    ago(9),
  );
  const section = textOf(sectionOf(report(), "One"));
  expect(section).toContain("no longer accepted 11 Nov 2026");
  expect(section).toContain("Open findings 1 ");
  expect(section).not.toMatch(/ new 11 Nov|For a while/);
});

test("many findings are counted, not listed; those of removed plugins show their codes", async () => {
  const site = await addClientSite(sites, "https://one.test/", { name: "One" }, [[2, "sound"]]);
  const code = (at: number) => `security.gone-plugin.code-${at}` as const;
  await knowFindings(site, Object.fromEntries(Array.from({ length: 300 }, (_none, at) => [code(at), known({ unstable: at === 0 })])));
  const section = sectionOf(report(), "One");
  expect(section.match(/security\.gone-plugin\.code-\d+/g)).toHaveLength(40);
  expect(textOf(section)).toContain("260 more findings are not listed.");
  expect(textOf(section)).toContain(`${code(0)} (comes and goes)`);
  expect(section).not.toContain("/checks/gone-plugin");
});

test("of many sites, the table has all and the first have sections", async () => {
  for (let at = 0; at < 103; at += 1) await addSite(sites.store, { accountId: sites.accountId, url: `https://s${at}.test/`, client, now });
  const html = report();
  // Sites without a score have a row with its reason, and no section.
  expect(html.match(/<article/g)).toBeNull();
  expect(html.split(words.state.notScanned)).toHaveLength(104);
  for (const name of ["s0.test", "s102.test"]) expect(html).toContain(name);
});

test("of many findings, the details end with the site that reaches the limit of rows", async () => {
  const measured = await addClientSite(sites, "https://one.test/", { name: "One" }, [[2, "sound"]]);
  const findings = Object.fromEntries(Array.from({ length: 60 }, (_none, at) => [`security.gone-plugin.code-${at}`, known()]));
  await knowFindings(measured, findings);
  for (let at = 0; at < 80; at += 1) {
    const site = await addSite(sites.store, { accountId: sites.accountId, url: `https://s${at}.test/`, client, now });
    await sites.store.sites.change(site.accountId, site.id, () => ({ reading: measured.reading }));
    await knowFindings(site, findings);
  }
  const html = report();
  expect(html.match(/<article/g)).toHaveLength(75);
  expect(textOf(html)).toContain("Details follow for the first 75 websites of the table.");
  expect([...html.matchAll(/href="#site-/g)]).toHaveLength(75);
});

test("addresses that could not be measured are named, with time and reason, while the site has them", async () => {
  const pages = ["https://one.test/a", "https://one.test/b"];
  const site = await addClientSite(sites, "https://one.test/", { name: "One", pages }, [[2, "sound"]]);
  const unmeasured = {
    "https://one.test/a": { since: ago(5).toISOString(), errorCode: "unreachable" },
    "https://one.test/b": { since: ago(4).toISOString(), errorCode: null },
    "https://one.test/gone": { since: ago(4).toISOString(), errorCode: null },
  };
  await sites.store.siteRuns.noteState(site, (_site, state) => ({ state: { ...state, unmeasured }, events: [] }), now);
  const section = textOf(sectionOf(report(), "One"));
  expect(section).toMatch(/https:\/\/ one\.test \/a 15 Nov 2026 one\.test could not be reached/);
  expect(section).toContain(`one.test /b 16 Nov 2026 ${words.unmeasured.noScore}`);
  expect(section).not.toContain("/gone");
});

test("hostile names, addresses, reasons and codes are shown as text", async () => {
  const hostile = `</title><script>alert(1)</script>\u202e{{day}}`;
  const hostileSites = { ...sites, client: hostile };
  const site = await addClientSite(hostileSites, "https://x.test/%3Cb%3E?a=%22", { name: hostile }, [[2, "bare"]]);
  const code = `security.x.${hostile}`;
  const accepted = [{ code, reason: hostile, until: null, acceptedAt: ago(1).toISOString() }];
  await sites.store.sites.change(site.accountId, site.id, () => ({ accepted }));
  await knowFindings(site, { [code]: known({ checkKey: hostile }), [`${code}2`]: known({ checkKey: hostile }) });
  for (const locale of ["en-gb", "de-de"]) {
    const html = report({ client: hostile, locale });
    expect(html).not.toMatch(/<script|\u202e|<b>/);
    expect(textOf(html)).toContain("<script>alert(1)</script>");
    expect(html.match(/<\/title>/g)).toHaveLength(1);
    expect(await markupComplaints(html)).toEqual([]);
  }
});
