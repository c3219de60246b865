/** Notices above a report, and scores that are missing or held down, in both languages. */
import { afterAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../../checks/index.ts";
import { evidenceWithoutErrorPage } from "../../../../src/evidence/evidence.ts";
import { judgeEvidence } from "../../../../src/judge/ledger.ts";
import { algorithmVersion } from "../../../../src/judge/result.ts";
import { evidence } from "../../../support/evidence.ts";
import { knownScans, type SiteName, storeFinished, storeSite } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";

const pages = await startPages();
const now = Date.now();
afterAll(() => pages.stop());

async function read(path: string, locale = "en-gb"): Promise<string> {
  const answer = await fetch(`${pages.url}${path}`, { headers: { cookie: `locale=${locale}` } });
  expect(answer.status).toBe(200);
  return answer.text();
}
const text = (html: string) =>
  html
    .replaceAll(/<script[\s\S]*?<\/script>|<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'");

describe("notices", () => {
  const noticesOf = async (given: Parameters<typeof storeSite>[2], name: SiteName = "silent") =>
    text(await read(`/scans/${(await storeSite(pages.store, name, given)).token}`));
  const { navigation, page } = knownScans.silent.evidence;

  test("report a bot defence", async () => {
    const html = await noticesOf({ at: new Date(now), evidence: { page: { status: "failed", because: "challenged" } } });
    expect(html).toContain("A bot defence responded instead of the site.");
    expect(html).toContain("allow this appliance");
  });
  test("report an error page of an older scan, which was judged", async () => {
    if (page.status === "failed") throw new Error("the known page was read");
    const html = await noticesOf({ at: new Date(now), evidence: { page: { status: "read", facts: { ...page.facts, status: 404 } } } });
    expect(html).toContain("The server responded with status 404");
    expect(html).toContain("those of the error page");
  });
  test.each([
    ["en-gb", "too busy to read everything", "scan.concurrency"],
    ["de-de", "zu ausgelastet, um alles zu lesen", "weniger zu tun hat"],
  ])("in %s, say that the appliance was too busy, although the page was read, and so do files", async (locale, why, instead) => {
    const busy = evidence({ tls: "server-busy" });
    const result = judgeEvidence(busy, { checks: builtInChecks, version: "v" }, () => {});
    const { token } = await storeFinished(pages.store, { evidence: busy, result, at: new Date(now) });
    for (const suffix of ["", ".md", ".csv", ".junit.xml"]) {
      const html = text(await read(`/scans/${token}${suffix}`, locale));
      expect(html).toContain(why);
      expect(html).toContain(instead);
    }
  });
  test.each([
    ["en-gb", 404, {}, "The server responded with status 404", "Scan an address that shows visitors a page"],
    ["de-de", 404, {}, "Der Server antwortete mit Status 404", "Scannen Sie eine Adresse, die Besuchern eine Seite zeigt"],
    ["en-gb", 401, { "www-authenticate": "Basic" }, "The page asks for a sign-in (401)", "Scan a page that opens without a sign-in"],
    ["de-de", 401, { "www-authenticate": "Basic" }, "Die Seite verlangt eine Anmeldung (401)", "die sich ohne Anmeldung \u00f6ffnet"],
    ["en-gb", 204, {}, "The server responded with status 204", "Scan an address that shows visitors a page"],
    ["de-de", 205, {}, "Der Server antwortete mit Status 205", "Scannen Sie eine Adresse, die Besuchern eine Seite zeigt"],
    ["en-gb", 301, {}, "The server responded with status 301", "Scan the address to which it should lead"],
    ["de-de", 302, {}, "Der Server antwortete mit Status 302", "Scannen Sie die Adresse, zu der sie f\u00fchren soll"],
    ["en-gb", 200, { "content-disposition": "attachment" }, "This is not a report about the page itself", "links to the file"],
    ["de-de", 200, { "content-disposition": "attachment" }, "Dieser Bericht handelt nicht von der Seite selbst", "auf die Datei verweist"],
  ])("in %s, status %i with %j is not judged, and why", async (locale, status, headers, title, instead) => {
    const known = evidence({ page: { status }, navigation: { finalStatus: status }, headers });
    const errorPage = evidenceWithoutErrorPage(known);
    const result = judgeEvidence(errorPage, { checks: builtInChecks, version: "v" }, () => {});
    expect([result.measured, result.score]).toEqual([false, null]);
    const { token } = await storeFinished(pages.store, { evidence: errorPage, result, at: new Date(now) });
    const html = text(await read(`/scans/${token}`, locale));
    expect(html).toContain(title);
    // Once, in the notice.
    expect(html.split(instead)).toHaveLength(2);
    expect(html).not.toMatch(/\d+ (of|von) \d+ (checks|Pr\u00fcfungen)/);
  });
  test.each([
    ["en-gb", 512, "the score is at most 79", "longer than the 512 characters", "scan.header_chars_max"],
    ["de-de", 512, "h\u00f6chstens 79", "l\u00e4nger als die 512 Zeichen", "scan.header_chars_max"],
    ["en-gb", 4_096, "the score is at most 79", "longer than the 4,096 characters", "scan.header_chars_max"],
  ])("in %s, a header over %i characters that holds the score, and what to do", async (locale, limit, held, reason, remedy) => {
    const cut = { name: "content-security-policy", value: "default-src 'self'", truncated: true };
    const known = evidence({ page: { headers: [cut] } });
    const given = limit === 512 ? known : { ...known, subject: { ...known.subject, headerValueCharsMax: limit } };
    const result = judgeEvidence(given, { checks: builtInChecks, version: "v" }, () => {});
    expect(result.ledger.find(({ key }) => key === "content-security-policy")?.notCheckedBecause).toBe("header-truncated");
    const { token } = await storeFinished(pages.store, { evidence: given, result, at: new Date(now) });
    const html = await read(`/scans/${token}`, locale);
    const score = html.split('<details id="score">')[1]?.split("</details>")[0] ?? "";
    for (const words of [held, reason, remedy]) expect(text(score)).toContain(words);
    expect(score).toContain('href="#content-security-policy"');
  });
  test("report another host", async () => {
    if (navigation.status === "failed") throw new Error("the known navigation was read");
    const facts = { ...navigation.facts, finalUrl: "https://elsewhere.example/" };
    expect(await noticesOf({ at: new Date(now), evidence: { navigation: { status: "read", facts } } })).toContain(
      "The address led to another host",
    );
  });
  test("report many checks that did not run", async () => {
    expect(await noticesOf({ at: new Date(now) }, "old")).toContain("43 checks could not be carried out.");
    expect(await noticesOf({ at: new Date(now) }, "sound")).not.toContain("could not be carried out");
  });
  test("report a changed catalog, and only then", async () => {
    expect(await noticesOf({ at: new Date(now) })).toContain("The rules have changed since this scan");
    const current = { algorithmVersion, catalogVersion: "0123456789abcdef" };
    expect(await noticesOf({ at: new Date(now), result: current })).not.toContain("The rules have changed");
    expect(await noticesOf({ at: new Date(now), result: { ...current, algorithmVersion: 2 } })).toContain("The rules have changed");
  });
});
