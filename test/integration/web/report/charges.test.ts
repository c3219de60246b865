/** Points charged by violated rows, and notes, which charge nothing and are no failures. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LedgerRow, StoredFinding } from "../../../../src/judge/result.ts";
import type { ScanRecord } from "../../../../src/store/scans.ts";
import { storeSite } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";

const pages = await startPages();
afterAll(() => pages.stop());

const url = "https://charged.example/";
const row = (key: string, state: LedgerRow["state"], weight: number, charged?: number): LedgerRow => ({
  ...{ key, state, weight, evidence: [] },
  ...(charged === undefined ? {} : { charged }),
});
const ledger = [
  row("content-security-policy", "violated", 8, 12),
  row("referrer-policy", "violated", 1, 1),
  row("dnssec", "violated", 0, 0),
  row("mail-spf", "passed", 4),
  row("mail-dmarc", "notChecked", 4),
];
const finding = (code: string, checkKey: string, severity: StoredFinding["severity"]): StoredFinding => ({
  ...{ code, checkKey, severity, riskLevel: "low", effort: "low", values: { domain: "charged.example" } },
});
const findings = [
  finding("security.missing-header.content-security-policy", "content-security-policy", "high"),
  finding("security.missing-header.referrer-policy", "referrer-policy", "low"),
  finding("security.dns.dnssec-missing", "dnssec", "info"),
];
const basis = { headerValueCharsMax: 512, dataDates: { hstsPreload: "2026-06-01" } };
const result = { algorithmVersion: 3, catalogVersion: "one", basis, score: 88, ledger, findings };

let earlier: ScanRecord;
let later: ScanRecord;
let newerData: ScanRecord;
beforeAll(async () => {
  const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000);
  const asViolation = ledger.map((each) => (each.key === "dnssec" ? row("dnssec", "violated", 2, 2) : each));
  earlier = await storeSite(pages.store, "sound", { at: at(30), url, result: { ...result, score: 86, ledger: asViolation } });
  later = await storeSite(pages.store, "sound", { at: at(20), url, result });
  const newer = { ...basis, dataDates: { hstsPreload: "2026-09-01" } };
  newerData = await storeSite(pages.store, "sound", { at: at(10), url, result: { ...result, basis: newer } });
});

async function read(path: string, locale = "en-gb"): Promise<string> {
  const answer = await fetch(`${pages.url}${path}`, { headers: { cookie: `locale=${locale}` } });
  expect(answer.status).toBe(200);
  const html = await answer.text();
  expect(html).not.toMatch(/\{\{|undefined|NaN/);
  return html;
}
const text = (html: string) => html.replaceAll(/<script[\s\S]*?<\/script>|<[^>]*>/g, "");
const rowOf = (html: string, key: string) => text(new RegExp(`<li[^>]*id="${key}"[\\s\\S]*?</li>`).exec(html)?.[0] ?? "");

describe("a report", () => {
  test("derives the score from the points charged", async () => {
    const html = await read(`/scans/${later.token}`);
    expect(text(html)).toContain(
      "13 points are charged. Each takes one per cent of what is left, which leaves 88 of 100. 1 check could not be carried out and charges nothing.",
    );
    expect(rowOf(html, "content-security-policy")).toMatch(/Failed.*12/);
    expect(rowOf(html, "mail-spf")).not.toContain("point");
    expect(rowOf(html, "mail-dmarc")).not.toContain("point");
    expect(text(await read(`/scans/${later.token}`, "de-de"))).toContain(
      "13 Abzugspunkte. Jeder nimmt ein Prozent von dem, was \u00fcbrig ist",
    );
  });

  test("names the data that it rests on", async () => {
    expect(text(await read(`/scans/${later.token}`))).toContain("headers up to 512 characters; HSTS preload list of 2026-06-01");
    expect(text(await read(`/scans/${later.token}`, "de-de"))).toContain("Header bis 512 Zeichen; HSTS-Preload-Liste vom 2026-06-01");
  });

  test("shows a violated row of weight 0 as a note", async () => {
    const html = await read(`/scans/${later.token}`);
    expect(rowOf(html, "dnssec")).toMatch(/^Note(?!.*point)/);
    expect(text(html)).toContain("note");
    const steps = html.split('id="first-steps"')[1]?.split("</ol>")[0] ?? "";
    expect(steps).toContain("#security.missing-header.content-security-policy");
    expect(steps).not.toContain("#security.dns.dnssec-missing");
    expect(rowOf(await read(`/scans/${later.token}`, "de-de"), "dnssec")).toMatch(/^Hinweis/);
  });

  test("does not call a noted check passed", async () => {
    const noted = { ...result, score: 100, ledger: ledger.slice(2), findings: findings.slice(2) };
    const { token } = await storeSite(pages.store, "sound", { at: new Date(), url: "https://noted.example/", result: noted });
    const html = text(await read(`/scans/${token}`));
    expect(html).toContain("No problem found.");
    expect(html).not.toContain("None of the checks that were carried out failed");
  });

  test("filters and counts notes apart from violated rows", async () => {
    const visible = (html: string) => [...html.matchAll(/<li (?![^>]*hidden)[^>]*data-state="(\w+)"/g)].map(([, state]) => state);
    expect(visible(await read(`/scans/${later.token}?state=violated`))).toEqual(["violated", "violated"]);
    expect(visible(await read(`/scans/${later.token}?state=note`))).toEqual(["note"]);
    const counts = (html: string) =>
      [...html.matchAll(/data-filter-state="(\w+)"[^>]*><span class="count">(\d+)/g)].map(([, ...one]) => one);
    expect(counts(await read(`/scans/${later.token}`)).slice(0, 5)).toEqual([
      ["passed", "1"],
      ["violated", "2"],
      ["note", "1"],
      ["notChecked", "1"],
      ["notApplicable", "0"],
    ]);
    expect(counts(await read(`/scans/${earlier.token}`)).flat()).not.toContain("note");
  });

  test("without a charge says so", async () => {
    const sound = { ...result, score: 100, ledger: [row("mail-spf", "passed", 4)], findings: [] };
    const { token } = await storeSite(pages.store, "sound", { at: new Date(), url: "https://sound.example/", result: sound });
    expect(text(await read(`/scans/${token}`))).toContain("No points are charged.");
  });

  test("has charges, notes and basis in its JSON, and the states of the API", async () => {
    const report = await (await fetch(`${pages.url}/scans/${later.token}.json`)).json();
    expect(report).toMatchObject({
      notes: ["dnssec"],
      ledgerCharges: { "content-security-policy": 12, "referrer-policy": 1, dnssec: 0 },
      basis,
      security: { checkSummary: { violated: 3 } },
    });
  });
});

describe("scans of one host", () => {
  test("count violated rows without notes", async () => {
    const rows = [...(await read("/hosts/charged.example")).matchAll(/<tr[\s\S]*?<\/tr>/g)].map(([html]) => html);
    const violated = (token: string) =>
      /<td[^>]*class="num"[^>]*><div>(\d+)</.exec(rows.find((html) => html.includes(`href="/scans/${token}"`)) ?? "")?.[1];
    expect([violated(earlier.token), violated(later.token)]).toEqual(["3", "2"]);
  });

  test("do not compare across data files of different dates", async () => {
    const html = await read("/hosts/charged.example");
    expect(html.split(" other rules</span>")).toHaveLength(2);
    expect(html).toContain("chart-change");
    const warning = "The two scans were evaluated by different rules";
    expect(text(await read(`/scans/${newerData.token}/compare?with=${later.token}`))).toContain(warning);
    expect(text(await read(`/scans/${later.token}/compare?with=${earlier.token}`))).not.toContain(warning);
    expect(text(await read(`/scans/${newerData.token}`))).toContain("88 on");
  });

  test("show that a violation became a note", async () => {
    const html = text(await read(`/scans/${later.token}/compare?with=${earlier.token}`));
    expect(html).toMatch(/DNSSEC.*Failed.*Note/);
  });
});
