/** `/about` and `/migrate`. */
import { afterAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import { ownUserAgent } from "../../../src/egress/settings.ts";
import { startPages } from "../../support/pages.ts";

const pages = await startPages({ config: { "security.contact": "mailto:security@assay.test" } });
afterAll(() => pages.stop());

async function read(path: string, at = pages.url): Promise<string> {
  const answer = await fetch(`${at}${path}`);
  expect(answer.status).toBe(200);
  return answer.text();
}

describe("/about", () => {
  test.each([...locales])("explains every design decision and how to recognize the scanner, in %s", async (locale) => {
    const html = await read(`/about?locale=${locale}`);
    expect(html.match(/<dt>/g)).toHaveLength(Object.keys(enGb.pages.about.leftOut).length - 2);
    for (const word of ["OCSP", "STARTTLS", "RPKI"]) expect(html).toContain(word);
    expect(html).toContain(`>${builtInChecks.length} `);
    expect(html).toContain(`>${ownUserAgent}</code>`);
    expect(html).toContain("HeadlessChrome/");
    expect(html).toContain("https://cross-origin-probe.invalid");
    expect(html).toContain('<a href="mailto:security@assay.test">security@assay.test</a>');
    expect(html).not.toContain("{{");
    expect(html).not.toContain("`");
  });

  test("shows the configured contact page, or none", async () => {
    const named = await startPages({ config: { "security.contact": "https://assay.test/report" } });
    expect(await read("/about", named.url)).toContain('href="https://assay.test/report" rel="nofollow noopener noreferrer"');
    await named.stop();
    const unnamed = await startPages();
    expect(await read("/about", unnamed.url)).toContain(`${enGb.pages.about.visits.contact}</p>`);
    await unnamed.stop();
  });
});

describe("/migrate", () => {
  test.each([...locales])("maps every old concept and shows an example before and after, in %s", async (locale) => {
    const html = await read(`/migrate?locale=${locale}`);
    expect(html.match(/<th scope="row"/g)).toHaveLength(Object.keys(enGb.pages.migrate.concepts).length);
    for (const word of ["score", "notChecked", "information-disclosure", "cors-configuration", "/scans", "finished"])
      expect(html).toContain(`>${word}</code>`);
    expect(html).toContain(`BASE=${pages.url}`);
    expect(html).not.toContain("{{");
    expect(html).not.toContain("`");
  });

  test("names only existing checks and codes", async () => {
    const html = await read("/migrate");
    const codes = builtInChecks.flatMap(({ findings }) => Object.keys(findings));
    const named = [...html.matchAll(/security\.[\w-]+\.[\w-]+/g)]
      .map(([code]) => code)
      .filter((code) => code !== "security.missing-header.");
    for (const code of named) expect(codes).toContain(code);
    for (const key of ["information-disclosure", "x-xss-protection", "cors-configuration"])
      expect(builtInChecks.map((check) => check.key)).toContain(key);
  });
});

describe("the limit of header values of this installation", () => {
  test.each([
    ["en-gb", "/about", "first 4,096 characters"],
    ["de-de", "/about", "ersten 4.096 Zeichen"],
    ["en-gb", "/migrate", "first 4,096 characters"],
    ["de-de", "/migrate", "ersten 4.096 Zeichen"],
    ["en-gb", "/api", "first 4,096 characters"],
    ["de-de", "/api", "ersten 4.096 Zeichen"],
    ["en-gb", "/checks/content-security-policy", "up to 4,096 characters"],
    ["de-de", "/checks/content-security-policy", "bis zu 4.096 Zeichen"],
  ])("is stated in %s on %s", async (locale, path, words) => {
    const raised = await startPages({ config: { "scan.header_chars_max": 4_096 } });
    expect(await read(`${path}?locale=${locale}`, raised.url)).toContain(words);
    await raised.stop();
  });

  test("is 512 unless the operator raises it", async () => {
    expect(await read("/about")).toContain("first 512 characters");
  });
});
