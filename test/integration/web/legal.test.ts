/** Imprint and privacy: texts of the operator, or no page. */
import { afterAll, expect, test } from "vitest";
import { startPages } from "../../support/pages.ts";

const bare = await startPages();
const legal = { imprint: "\ufeffAssay GmbH\r\nMain <Street> 1\r\n\r\n \n\nMail: us@assay.test\n", privacy: null };
const pages = await startPages({ legal });
afterAll(() => Promise.all([bare.stop(), pages.stop()]));

test("without a text there is neither page nor link", async () => {
  for (const path of ["/imprint", "/privacy"]) expect((await bare.visitor().get(path)).status).toBe(404);
  expect(await (await bare.visitor().get("/plans")).text()).not.toMatch(/href="\/(imprint|privacy)"/);
});

test("blank lines separate paragraphs, and line breaks are kept", async () => {
  const html = await (await pages.visitor().get("/imprint?locale=de-de")).text();
  expect(html).toContain("<h1>Impressum</h1><p>Assay GmbH<br/>Main &lt;Street> 1</p><p>Mail: us@assay.test</p>");
});

test("the footer links only to existing pages", async () => {
  const html = await (await pages.visitor().get("/plans")).text();
  expect(html).toContain('<a href="/imprint">Imprint</a>');
  expect(html).not.toContain('href="/privacy"');
});
