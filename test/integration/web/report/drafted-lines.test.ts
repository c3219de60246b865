/** Lines of a report with the policy that the scan drafted: page, HTML file, terminal and API say the same. */
import { afterAll, describe, expect, test } from "vitest";
import { builtInCatalog as judgingCatalog } from "../../../../src/catalog/catalog.ts";
import { reportText } from "../../../../src/cli/scan/report-text.ts";
import { draftOfScan } from "../../../../src/prove/scan-draft.ts";
import { performJudge } from "../../../../src/scan/judge-task.ts";
import { storedResult } from "../../../../src/scan/judging.ts";
import { createTexts } from "../../../../src/text/i18n.ts";
import { renderFullReport } from "../../../../src/text/render.ts";
import { evidence } from "../../../support/evidence.ts";
import { storeFinished } from "../../../support/finished-scans.ts";
import { builtInCatalog, startPages } from "../../../support/pages.ts";

const inlineCode = { scripts: 7, styles: 0, handlers: 2, styleAttributes: 1, hashes: [] };
const loadedOrigins = [{ kind: "script", origin: "https://cdn.test" }];
const page = evidence({ requests: { loadedOrigins, loadedOriginsDropped: 0 }, markup: { inlineCode } });
const judged = storedResult(performJudge({ evidence: structuredClone(page), hung: [] }, judgingCatalog(), () => {}, draftOfScan));
const result = { ...judged, catalogVersion: builtInCatalog.version };
const policy =
  "default-src 'self'; script-src 'self' cdn.test; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; object-src 'none'";

const texts = createTexts(builtInCatalog.texts, builtInCatalog.checks);
const pages = await startPages({});
const { token } = await storeFinished(pages.store, { evidence: page, result, at: new Date() });
afterAll(() => pages.stop());

const read = async (path: string) => (await pages.visitor().get(path)).text();
const plain = (html: string) => html.replaceAll("&#39;", "'").replaceAll("&quot;", '"');

describe("the page", () => {
  test("sends the drafted policy as one that only reports, and says what it would block", async () => {
    const html = plain(await read(`/scans/${token}?server=nginx`));
    const whole = html.split('class="paste all-lines"')[1] ?? "";
    const [reporting = "", enforced = ""] = whole.split("data-draft");
    expect(reporting).toContain(`add_header Content-Security-Policy-Report-Only "${policy}`);
    expect(reporting).not.toContain('add_header Content-Security-Policy "default-src');
    expect(reporting).toContain("add_header Content-Security-Policy \"frame-ancestors 'self'\"");
    expect(reporting).toContain(`These lines: ${result.score} \u2192 ${result.lines?.score}`);
    expect(reporting).toContain("It counts the policy as enforced.");
    expect(enforced).toContain(`add_header Content-Security-Policy "${policy}`);
    expect(enforced).toContain("it would block the inline scripts of the page (7)");
    expect(enforced).toContain("it would block event handlers in attributes (2)");
    expect(enforced).toContain("Style attributes stay allowed");
    expect(enforced).toContain("one visit, without a click");
  });

  test("says it in German", async () => {
    const html = plain(await read(`/scans/${token}?server=nginx&locale=de-de`));
    expect(html).toContain("Inline-Skripte der Seite blockieren (7)");
  });

  test("keeps the general advice for a scan that drafted none", async () => {
    const { draft: _, ...older } = result;
    const stored = await storeFinished(pages.store, { evidence: page, result: older, at: new Date() });
    const html = plain(await read(`/scans/${stored.token}?server=nginx`));
    expect(html).toContain("add_header Content-Security-Policy \"default-src 'self'; object-src 'none'; base-uri 'self'");
    expect(html).not.toContain("add_header Content-Security-Policy-Report-Only");
    expect(html).not.toContain("It counts the policy as enforced.");
  });
});

test("HTML file, terminal and API have the same lines and figures", async () => {
  const file = plain(await read(`/scans/${token}.html`));
  expect(file).toContain(`add_header Content-Security-Policy-Report-Only "${policy}`);
  expect(file).toContain("it would block the inline scripts of the page (7)");
  const scan = pages.store.scans.findByToken(token);
  if (scan === undefined) throw new Error("the scan is gone");
  const report = renderFullReport(scan, result, { evidence: null, timings: null }, "en-gb", texts);
  expect(report.policyDraft).toEqual(result.draft);
  const finding = report.security?.findings.find(({ code }) => code === "security.missing-header.content-security-policy");
  expect(finding?.remediation).toContain(`\nnginx: add_header Content-Security-Policy-Report-Only "${policy}`);
  expect(finding?.remediation).toContain("it would block the inline scripts of the page (7)");
  const style = { locale: "en-gb", texts, colour: false, columns: 1_000, verbose: false } as const;
  expect(reportText(report, style)).toContain(
    `These lines: ${result.score} -> ${result.lines?.score} (header fields, with their policy enforced; all else as scanned)`,
  );
});
