/** `/plans`: contents and contact. */
import { afterAll, expect, test } from "vitest";
import { startPages } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const pages = await startPages();
const withContact = await startPages({ config: { "plans.contact": "mailto:sales@assay.test" } });
afterAll(() => Promise.all([pages.stop(), withContact.stop()]));

/** Text of a page without markup. */
function wordsOf(html: string): string {
  return html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test("shows what each plan includes", async () => {
  const words = wordsOf(await (await pages.visitor().get("/plans")).text());
  expect(words).toContain("API access with API tokens Not included Included ");
  expect(words).toContain("Reports with a brand of your own Not included Included ");
  expect(words).toContain("API requests a minute, for each account and IP address none 60 ");
  expect(words).toContain("wait in the queue 1 of 5 4 of 5 ");
  expect(words).toContain("Ask the operator of this appliance.");
  expect(words).not.toContain("your plan)");
});

test("marks the plan of the signed-in account", async () => {
  const first = await accountIn(pages, "first@assay.test");
  const visitor = await signedIn(pages, first);
  const html = await (await visitor.get("/plans")).text();
  expect(wordsOf(html)).toContain("Agency (your plan)");
  // The first account is an administrator, who links to the user page.
  expect(html).toContain('<a href="/admin/users">');
  expect(html).not.toContain("Ask the operator");
});

test("names the operator's contact", async () => {
  const html = await (await withContact.visitor().get("/plans?locale=de-de")).text();
  expect(html).toContain('<a href="mailto:sales@assay.test">sales@assay.test</a>');
  expect(html).toContain("Nicht enthalten");
});
