/** The page of the plans: what they include and whom to ask. */
import { afterAll, expect, test } from "vitest";
import { startPages } from "../support/pages.ts";
import { accountIn, signedIn } from "../support/signed-in.ts";

const pages = await startPages();
const withContact = await startPages({ contacts: { security: null, plans: "mailto:sales@assay.test" } });
afterAll(() => Promise.all([pages.stop(), withContact.stop()]));

test("tells what each plan includes", async () => {
  const html = await (await pages.visitor().get("/plans")).text();
  expect(html).toMatch(/API access with tokens<\/th><td><span class="unknown">not included<.*<td><span class="good">included</s);
  expect(html).toMatch(/API requests a minute[^<]*<\/th><td>none<\/td><td>60<\/td>/);
  expect(html).toContain("Ask whoever runs this appliance.");
  expect(html).not.toContain("your plan)");
});

test("tells whoever is signed in which one is theirs", async () => {
  const first = await accountIn(pages, "first@assay.test");
  const html = await (await (await signedIn(pages, first)).get("/plans")).text();
  expect(html).toMatch(/Agency <span[^>]*>\(your plan\)/);
});

test("names the operator's contact", async () => {
  const html = await (await withContact.visitor().get("/plans?locale=de-de")).text();
  expect(html).toContain('<a href="mailto:sales@assay.test" rel="nofollow noopener noreferrer">sales@assay.test</a>');
  expect(html).toContain("nicht enthalten");
});
