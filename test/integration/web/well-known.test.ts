/** security.txt, which passes our own check, and robots.txt. */
import { afterAll, expect, test } from "vitest";
import check from "../../../checks/security-txt-valid.ts";
import { parseSecurityTxt, securityTxtValues } from "../../../src/parse/security-txt.ts";
import { evidence } from "../../support/evidence.ts";
import { startPages } from "../../support/pages.ts";

const origin = "https://assay.test";
const address = `${origin}/.well-known/security.txt`;
const bare = await startPages();
const pages = await startPages({
  config: { "security.contact": "mailto:security@assay.test", "report.index": true },
  publicUrl: origin,
});
const overHttp = await startPages({
  config: { "security.contact": "https://assay.test/report" },
  publicUrl: "http://nas:8787",
});
afterAll(() => Promise.all([bare, pages, overHttp].map((one) => one.stop())));

async function securityTxt(at = pages) {
  const answer = await at.visitor().get("/.well-known/security.txt");
  return { status: answer.status, contentType: answer.headers.get("content-type"), body: await answer.text() };
}

test("security.txt needs a contact", async () => {
  expect((await securityTxt(bare)).status).toBe(404);
});

test("security.txt passes our own check", async () => {
  const { status, contentType, body } = await securityTxt();
  expect([status, contentType]).toEqual([200, "text/plain; charset=utf-8"]);
  const attempt = { url: address, finalUrl: address, status, contentType, body, truncated: false };
  const { subject, securityTxt: reading } = evidence({
    url: `${origin}/`,
    securityTxt: { attempts: [attempt] },
    scannedAt: new Date().toISOString(),
  });
  if (reading.status !== "read") throw new Error("the file was not read");
  expect(check.judge({ subject, securityTxt: reading.facts } as never)).toEqual({ state: "passed" });
  expect(securityTxtValues(parseSecurityTxt(body), "canonical")).toEqual([address]);
});

test("its expiry date advances and stays below a year", async () => {
  const expires = async () => Date.parse(securityTxtValues(parseSecurityTxt((await securityTxt()).body), "expires")[0] ?? "");
  const dayMs = 86_400_000;
  const before = await expires();
  expect(before - Date.now()).toBeGreaterThan(350 * dayMs);
  expect(before - Date.now()).toBeLessThan(365 * dayMs);
  pages.advanceMs(100 * dayMs);
  expect((await expires()) - before).toBe(100 * dayMs);
});

test("it has no Canonical on plain http", async () => {
  const file = parseSecurityTxt((await securityTxt(overHttp)).body);
  expect(file.defects).toEqual([]);
  expect(securityTxtValues(file, "canonical")).toEqual([]);
});

test("robots.txt excludes reports unless the operator allows them", async () => {
  const robots = async (at: typeof pages) => (await at.visitor().get("/robots.txt")).text();
  const groups = async (at: typeof pages) => (await robots(at)).split("\n\n");
  expect((await groups(bare))[1]).toBe("User-agent: *\nDisallow: /scans/\n");
  expect((await groups(pages))[1]).toBe("User-agent: *\nDisallow:\n");
  expect((await groups(bare))[0]).toMatch(/^User-agent: facebookexternalhit\n(User-agent: [\w-]+\n)+Allow: \/$/);
});
