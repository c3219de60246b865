/** Report page of six known sites in both languages, of old results and of other catalogs. */
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import deDe from "../../../../locales/de-de.json" with { type: "json" };
import { dayMs } from "../../../../src/base/units.ts";
import { type Evidence, read as readingOf } from "../../../../src/evidence/evidence.ts";
import { knownScans, landmarkKeys, pixelJpeg, type SiteName, storeFinished, storeSite } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";

/** Compressed size limit of the largest report (people.md 3.1). */
const htmlBytesMax = 60_000;

const pages = await startPages();
const now = Date.now();
afterAll(() => pages.stop());

const sites = Object.keys(knownScans) as SiteName[];
const tokens = new Map<SiteName, string>();
for (const name of sites)
  tokens.set(name, (await storeSite(pages.store, name, { at: new Date(now), screenshot: name === "bare" ? pixelJpeg : null })).token);

async function read(path: string, locale = "en-gb"): Promise<string> {
  const answer = await fetch(`${pages.url}${path}`, { headers: { cookie: `locale=${locale}` } });
  expect(answer.status).toBe(200);
  return answer.text();
}
const report = (name: SiteName, locale?: string) => read(`/scans/${tokens.get(name)}`, locale);
const count = (html: string, sign: RegExp) => (html.match(sign) ?? []).length;
const text = (html: string) =>
  html
    .replaceAll(/<script[\s\S]*?<\/script>|<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'");

describe.each(["en-gb", "de-de"])("in %s", (locale) => {
  test.each(sites)("%s: a row per check, a row per finding, no missing text", async (name) => {
    const html = await report(name, locale);
    const { ledger, findings } = knownScans[name].result;
    for (const { key } of ledger) expect(count(html, new RegExp(`<li [^>]*id="${key}"`, "g"))).toBe(1);
    expect(count(html, /<details class="finding-row"/g)).toBe(findings.length);
    expect(html).not.toMatch(/\{\{|undefined|\[object|NaN/);
    expect(text(html)).not.toMatch(/\b(report|evidence|components|checks)\.[a-z]+[A-Z.][\w.]*/);
  });

  test("the largest report fits its size limit", async () => {
    expect(gzipSync(await report("bare", locale)).length).toBeLessThan(htmlBytesMax);
  });
});

test("ids are unique and every fragment link has a target", async () => {
  for (const name of sites) {
    const html = await report(name);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const targets = [...html.matchAll(/href="(?:\?[^"#]*)?#([^"]+)"/g)].map(([, id = ""]) => id);
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  }
});

test("links that group or expand the findings keep the filter", async () => {
  const path = `/scans/${tokens.get("bare")}`;
  const linksOf = (html: string) =>
    [...html.matchAll(/href="([^"]*#findings)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&").replace(path, ""));
  expect(linksOf(await report("bare"))).toEqual(["?group=area#findings", "?open=all#findings"]);
  expect(linksOf(await read(`${path}?severity=high&q=a%26b&in=unknown&group=area`))).toEqual([
    "?severity=high&q=a%26b#findings",
    "?severity=high&q=a%26b&group=area&open=all#findings",
  ]);
});

test("is sent compressed", async () => {
  const answer = await fetch(`${pages.url}/scans/${tokens.get("bare")}`, { headers: { "accept-encoding": "gzip" }, decompress: false });
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  expect(gunzipSync(await answer.arrayBuffer()).toString()).toMatch(/<\/html>$/);
});

describe("the score", () => {
  test("names the finding that caps it", async () => {
    const html = text(await report("plain"));
    expect(html).toContain("This finding limits the score to 20, whatever else is fixed:");
  });
  test.each([48, 12])("ignores caps that do not decide a score of %i", async (score) => {
    const url = `https://cap-of-${score}.example/`;
    const { token } = await storeSite(pages.store, "plain", { at: new Date(now), url, result: { score } });
    expect(text(await read(`/scans/${token}`))).not.toContain("limits the score to 20");
  });
  test("explains a score rounded to 100 and weights that did not count", async () => {
    const ledger = [
      { key: "dnssec", state: "passed" as const, weight: 300, evidence: [] },
      { key: "security-txt", state: "violated" as const, weight: 1, evidence: [] },
      { key: "mail-spf", state: "notChecked" as const, weight: 4, evidence: [] },
    ];
    const { token } = await storeSite(pages.store, "sound", {
      at: new Date(now),
      url: "https://nearly.example/",
      result: { algorithmVersion: 2, score: 99, ledger },
    });
    const html = text(await read(`/scans/${token}`));
    expect(html).toContain(
      "300 of 301 points were earned, which is 100 of 100. That is rounded. A score of 100 is kept for sites without a failed check.",
    );
    expect(html).toContain("4 points could not be checked and do not count.");
    expect(html).toContain("The reason was not stored.");
  });
  test("has no explanation at 100", async () => {
    expect(text(await report("sound"))).toContain("No points are charged.");
  });
  test("that was not measured is never zero, and shows the reason", async () => {
    const html = await report("old");
    expect(html).toContain('aria-label="not measured"');
    expect(text(html)).toContain("Not measured.What depends on the page is therefore not checked.");
    expect(text(html)).toContain("This is not a report about the page itselfBrowsers refuse the encrypted connection:");
    expect(html).not.toContain("0 of 100");
  });
});

describe("the ledger", () => {
  test("names the list that decided about preloading", async () => {
    const html = text(await report("silent"));
    expect(html).toContain("The host is not on the HSTS preload list. Source: list of 1 Jun 2026.");
    expect(html).toContain("(list of ");
  });
  test("shows counts of states per area", async () => {
    expect(text(await report("silent"))).toContain("Headers: 2 passed, 5 failed, 3 not applicable");
  });
  test("has a bar for each area with a verdict, which links to its rows", async () => {
    const html = await report("silent");
    const bars = [
      ...(/<ul class="area-bars">([\s\S]*?)<\/ul>/.exec(html)?.[1] ?? "").matchAll(/<a href="#(area-[\w-]+)">([\s\S]*?)<\/a>/g),
    ];
    expect(bars.map(([, , content = ""]) => text(content))[0]).toBe("Headers 2 of 7");
    expect(bars[0]?.[2]).toContain('<rect width="29" height="1">');
    for (const [, id] of bars) expect(html).toContain(`<details id="${id}"`);
    // Mail and other areas without a verdict have none.
    expect((await report("old")).split('href="#area-csp"')).toHaveLength(1);
  });
  test("shows the reason for a row that was not checked", async () => {
    const area = /<details [^>]*data-area="csp"[\s\S]*?<\/details>/.exec(await report("old"))?.[0] ?? "";
    expect(area).toContain('id="content-security-policy"');
    // Once for all checks of the reason.
    expect(text(area).split("Response: Browsers refuse the encrypted connection:")).toHaveLength(2);
  });
  test("filters by state, area or both without script", async () => {
    const visible = (html: string) => [...html.matchAll(/<li (?![^>]*hidden)[^>]*data-state="(\w+)"/g)].map(([, state]) => state);
    const path = `/scans/${tokens.get("silent")}`;
    const violated = await read(`${path}?state=violated`);
    expect(new Set(visible(violated))).toEqual(new Set(["violated"]));
    expect(violated).toMatch(/<a [^>]*data-filter-state="violated" aria-current="true"/);
    const headers = visible(await read(`${path}?state=violated&area=headers`));
    expect(headers).toHaveLength(5);
    expect(visible(await read(`${path}?state=nonsense&area=__proto__`))).toEqual(visible(await read(path)));
    expect(text(await read(`/scans/${tokens.get("sound")}?state=violated`))).toContain("No check is in this state.");
  });
});

test("configuration lines are complete, and appear only in code blocks", async () => {
  const html = await report("silent");
  const card = html.split('id="security.missing-header.content-security-policy"')[1]?.split('<details class="finding-row"')[0] ?? "";
  expect(card.split("<pre")).toHaveLength(2);
  expect(text(/<code id="[^"]+">(add_header[^<]*)<\/code>/.exec(card)?.[1] ?? "")).toBe(
    "add_header Content-Security-Policy \"default-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'\" always;",
  );
});

test("results without weights and removed checks are still shown", async () => {
  const { result } = knownScans.silent;
  const ledger = [
    ...result.ledger.map(({ weight: _weight, ...row }) => row),
    { key: "gone-check", state: "violated" as const, evidence: ["subject", "wholeNewReading", "headers.x-gone"] },
    { key: "gone-too", state: "notChecked" as const, evidence: [], notCheckedBecause: "wholeNewReading: whoKnows" as const },
  ];
  const gone = {
    code: "security.gone.finding",
    checkKey: "gone-check",
    severity: "high",
    riskLevel: "low",
    effort: "low",
    values: {},
  } as const;
  const scan = await storeSite(pages.store, "silent", {
    at: new Date(now),
    url: "https://gone.example/",
    result: { ledger, findings: [gone, ...result.findings] },
  });
  for (const locale of ["en-gb", "de-de"]) {
    const html = await read(`/scans/${scan.token}`, locale);
    expect(html).not.toMatch(/\{\{|undefined|\[object|NaN/);
    expect(html).toContain('id="security.gone.finding"');
    expect(html).not.toContain("/checks/gone-check");
  }
  const html = text(await read(`/scans/${scan.token}`));
  expect(html).toContain("No longer part of this appliance: 1 failed, 1 not checked");
  expect(html).toContain("wholeNewReading: Reason: whoKnows");
  expect(html).not.toContain("points passed");
});

test("evidence of older versions shows readings that were not taken", async () => {
  const { tls: _tls, dnssec: _dnssec, ...older } = knownScans.silent.evidence;
  const { token } = await storeFinished(pages.store, { evidence: older as Evidence, result: knownScans.silent.result, at: new Date(now) });
  const html = await read(`/scans/${token}`);
  const part = html.split('<div id="evidence-tls">')[1]?.split("</details>")[0] ?? "";
  expect(text(part)).toContain("It was not requested");
});

test("script libraries are listed, whether or not they are vulnerable", async () => {
  const found = { detectedBy: ["url", "page"] as const, url: "https://site.example/a.js", advisories: [] };
  const scriptLibraries = {
    advisoriesDate: "2026-08-22",
    libraries: [
      { ...found, name: "jquery", version: "3.7.1" },
      { ...found, name: "<b>vue", version: "3.4.0", url: null },
    ],
    librariesDropped: 2,
    bannersUnread: 1,
    variablesRead: false,
  };
  const files = [{ url: "https://cdn.example/<i>.js", answeredBy: null, sameSite: false }];
  const evidence = {
    ...knownScans.silent.evidence,
    scriptLibraries: readingOf(scriptLibraries),
    scripts: readingOf({ files, filesDropped: 0 }),
  };
  const { token } = await storeFinished(pages.store, { evidence, result: knownScans.silent.result, at: new Date(now) });
  const part = (await read(`/scans/${token}`)).split('<div id="evidence-scripts">')[1]?.split("</details>")[0] ?? "";
  expect(part).not.toMatch(/<b>vue|<i>/);
  for (const shown of ["jquery", "3.7.1", "address, the page itself", "2026-08-22", "https://site.example/a.js", "https://cdn.example/"])
    expect(text(part)).toContain(shown);
  expect(text(part)).toContain("The start of 1 script file was not read.");
  expect(text(part)).toContain("The versions that the page itself states were not read.");
});

test("a list of script files with dropped ones does not say that none is of another site", async () => {
  const files = [{ url: "https://site.example/a.js", answeredBy: null, sameSite: true }];
  const evidence = { ...knownScans.silent.evidence, scripts: readingOf({ files, filesDropped: 3 }) };
  const { token } = await storeFinished(pages.store, { evidence, result: knownScans.silent.result, at: new Date(now) });
  const part = (await read(`/scans/${token}`)).split('<div id="evidence-scripts">')[1]?.split("</details>")[0] ?? "";
  expect(text(part)).not.toContain("no script file of another site");
  expect(text(part)).toContain("3 more");
});

test("a report without stored evidence keeps the verdicts", async () => {
  const scan = await storeSite(pages.store, "silent", { at: new Date(now), url: "https://forgotten.example/" });
  const { store } = pages;
  const forgetful = await startPages({ store: { ...store, evidence: { find: () => undefined, has: () => false } } });
  const html = await (await fetch(`${forgetful.url}/scans/${scan.token}`)).text();
  expect(text(html)).toContain("The evidence of this scan is no longer stored.");
  expect(html).toContain('id="content-security-policy"');
  await forgetful.stop();
});

describe("earlier and later scans", () => {
  test("show score change, age of findings, and a newer scan", async () => {
    const url = "https://moved.example/";
    const at = (days: number) => new Date(now - days * dayMs);
    const [first] = knownScans.silent.result.findings;
    const better = { score: 80, findings: knownScans.silent.result.findings.slice(1) };
    const oldest = await storeSite(pages.store, "silent", { at: at(40), url, result: { ...better, catalogVersion: "another" } });
    const middle = await storeSite(pages.store, "silent", { at: at(20), url, result: better });
    const newest = await storeSite(pages.store, "silent", { at: at(0), url });
    const html = await read(`/scans/${newest.token}`);
    expect(text(html)).toContain(`Down ${80 - (knownScans.silent.result.score ?? 0)} points since`);
    const card = (code: string) => text(html.split(`id="${code}"`)[1]?.split('<details class="finding-row"')[0] ?? "");
    expect(card(first?.code ?? "")).toContain("New: the last scan that checked this did not find it.");
    expect(card(knownScans.silent.result.findings[1]?.code ?? "")).toContain("Present at least since");
    expect(html).toContain(`/scans/${newest.token}/compare?with=${oldest.token}`);
    const before = text(await read(`/scans/${middle.token}`));
    expect(before).toContain("by different rules");
    expect(before).toContain("There is a newer report for this address");
    expect(text(await read(`/scans/${oldest.token}`))).toContain("This report is 40 days old");
  });
  test("of another URL of the host are labelled", async () => {
    const one = await storeSite(pages.store, "silent", { at: new Date(now), url: "https://two.example/one" });
    await storeSite(pages.store, "silent", { at: new Date(now), url: "https://two.example/two" });
    const html = text(await read(`/scans/${one.token}`));
    expect(html).toContain("There is a newer report for another address of this host");
    expect(html).not.toMatch(/points? since|same as on/);
  });
});

test.each([
  [1_000, "<dd>1 second</dd>"],
  [1_520, "<dd>1.5 seconds</dd>"],
])("%i ms are shown as the duration", async (tookMs, words) => {
  const from = new Date(now);
  const queued = await pages.store.scans.queue({ accountId: null, url: "https://quick.example/", now: from });
  if (queued === "full") throw new Error("the queue is full");
  await pages.store.scans.claimNext("local", from);
  await pages.store.scans.finish(queued.token, { ...knownScans.silent, timings: {}, now: new Date(from.getTime() + tookMs) });
  expect((await read(`/scans/${queued.token}`)).includes(words)).toBe(true);
});

describe("the screenshot", () => {
  test("is shown if it exists", async () => {
    expect(await report("bare")).toContain(
      `<img class="screenshot" src="/scans/${tokens.get("bare")}/screenshot" alt="assay-bare-site.org in a browser window`,
    );
    expect(await report("sound")).not.toContain("<img");
  });
  test("is a JPEG with headers against embedding and sniffing", async () => {
    const answer = await fetch(`${pages.url}/scans/${tokens.get("bare")}/screenshot`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "private, max-age=31536000, immutable",
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(pixelJpeg)).toBe(true);
  });
  test("gives 404 if none was taken", async () => {
    expect((await fetch(`${pages.url}/scans/${tokens.get("sound")}/screenshot`)).status).toBe(404);
    expect((await fetch(`${pages.url}/scans/nobody/screenshot`)).status).toBe(404);
  });
});

describe("the download", () => {
  test("is the full report in the visitor's language with a descriptive file name", async () => {
    const token = tokens.get("bare");
    const answer = await fetch(`${pages.url}/scans/${token}.json`, { headers: { cookie: "locale=de-de" } });
    const day = new Date(now).toISOString().slice(0, 10);
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="assay-bare-site.org_${day}_${token}.json"`);
    expect(answer.headers.get("content-type")).toBe("application/json");
    const body = (await answer.json()) as Record<string, unknown> & { security: { checks: { label: string }[] } };
    expect(body).toMatchObject({
      token,
      status: "finished",
      algorithmVersion: knownScans.bare.result.algorithmVersion,
      timings: { total: 2_340 },
      evidence: { subject: {} },
    });
    expect(body.security.checks).toHaveLength(landmarkKeys.length);
    expect(body.security.checks.map(({ label }) => label)).toContain(deDe.checks.dnssec.label);
  });
  test("is refused before the scan is finished", async () => {
    const lone = await startPages();
    const scan = await lone.store.scans.queue({ accountId: null, url: "https://waiting.example/", now: new Date() });
    if (scan === "full") throw new Error("the queue is full");
    for (const path of [`/scans/${scan.token}.json`, `/scans/${scan.token}/compare`]) {
      const answer = await fetch(`${lone.url}${path}`);
      expect(answer.status).toBe(409);
      expect(await answer.text()).toContain(`href="/scans/${scan.token}"`);
    }
    expect((await fetch(`${lone.url}/scans/nobody.json`)).status).toBe(404);
    await lone.stop();
  });
});

test("no internal error was logged", () => {
  expect(pages.logged).toEqual([]);
});
