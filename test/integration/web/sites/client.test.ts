/** `/clients/{name}`: sites of one client, the summary, and the brand of the owner. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import { pngImage } from "../../../support/images.ts";
import { measureOften } from "../../../support/measured-sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;

beforeAll(async () => {
  pages = await startPages();
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

function add(url: string, client: string | null) {
  return addSite(pages.store, { accountId: account.id, url, client, now: new Date() });
}

test("lists the sites of the client alone, with figures of all together", async () => {
  const [good, bad] = [await add("https://good.example/", "A/B & Co"), await add("https://bad.example/", "A/B & Co")];
  await add("https://new.example/", "A/B & Co");
  await add("https://other.example/", "Other");
  await add("https://none.example/", null);
  const at = new Date(Date.now() - 60_000);
  const measured = [
    await measureOften(pages.store, good, [{ at, shows: "sound" }]),
    await measureOften(pages.store, bad, [{ at, shows: "bare" }]),
  ];
  const answer = await visitor.get("/clients/A%2FB%20%26%20Co");
  const html = mainOf(await answer.text());
  expect(answer.status).toBe(200);
  expect(html).toContain("3 websites, as of");
  expect([...html.matchAll(/<a href="\/sites\/\d+"><bdi[^>]*>([^<]*)</g)].map(([, name]) => name)).toEqual([
    "bad.example",
    "good.example",
    "new.example",
  ]);
  const readings = measured.flatMap(({ reading }) => reading ?? []);
  expect(html).toContain(`<dt>Lowest score</dt><dd>${Math.min(...readings.map(({ score }) => score))}</dd>`);
  expect(html).toContain(`<dt>Open findings</dt><dd>${readings.reduce((sum, { open }) => sum + open, 0)}</dd>`);
  expect(html).toContain("data-print");
  expect(html).not.toContain("other.example");
});

test("has the brand of the owner: name, logo, accent and footer", async () => {
  await add("https://good.example/", "Acme");
  const logo = pngImage(3, 2, "noise").toString("base64");
  await pages.store.brands.change(account.id, () => ({
    name: "Agency <b>",
    logoPng: logo,
    accent: "#123456",
    footer: "Call us </p><script>",
  }));
  const html = mainOf(await (await visitor.get("/clients/Acme")).text());
  expect(html).toContain('<img src="/clients/Acme/logo.png" alt="Agency &lt;b>"');
  expect(html).toContain('fill="#123456"');
  expect(html).toContain("Call us &lt;/p>&lt;script>");
  const picture = await visitor.get("/clients/Acme/logo.png");
  expect([picture.headers.get("content-type"), Buffer.from(await picture.arrayBuffer()).toString("base64")]).toEqual(["image/png", logo]);
});

test.each(["Acme", "%", "other", "Other%20", "Acme/logo.png", "Other/logo.png"])("there is no page %s", async (name) => {
  await add("https://good.example/", "Other");
  expect((await visitor.get(`/clients/${name}`)).status).toBe(404);
});
