/** `/clients/{name}/report.html` and `.pdf`: the answers of the routes. What the files say is tested in test/integration/export. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import enGb from "../../../../locales/en-gb.json" with { type: "json" };
import type { PrintPdf } from "../../../../src/base/documents.ts";
import type { Account } from "../../../../src/store/accounts.ts";
import type { MemberRole } from "../../../../src/store/site-accounts.ts";
import { measureOften } from "../../../support/measured-sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

const client = "B\u00e4ckerei Gro\u00df & S\u00f6hne";
const path = `/clients/${encodeURIComponent(client)}`;
const brand = { name: "Muster & Partner", logoPng: null, accent: "#14501e", footer: "Impressum: <b>muster.example</b>" };

let pages: PagesUnderTest;
let owner: Account;
let visitor: Visitor;
let printed: string[];
let outcome: Awaited<ReturnType<PrintPdf>>;

beforeAll(async () => {
  pages = await startPages({
    printPdf: async (html) => {
      printed.push(html);
      return outcome;
    },
  });
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  printed = [];
  outcome = new Uint8Array(Buffer.from("%PDF-1.7 test"));
  owner = await anotherAccount(pages);
  visitor = await signedIn(pages, owner);
  const site = await addSite(pages.store, { accountId: owner.id, url: "https://shop.example/", client, now: new Date() });
  await measureOften(pages.store, site, [{ at: new Date(Date.now() - 60_000), shows: "bare" }]);
});
afterAll(() => pages.stop());

const day = () => new Date().toISOString().slice(0, 10);

test("the files are downloads with media type and an ASCII name; the PDF is made from the HTML file", async () => {
  const html = await visitor.get(`${path}/report.html?locale=en-gb`);
  const pdf = await visitor.get(`${path}/report.pdf?locale=en-gb`);
  const facts = ({ status, headers }: Response) =>
    [status, ...["content-type", "content-disposition", "cache-control"].map((name) => headers.get(name))] as const;
  const name = `attachment; filename="security-report_Baeckerei-Gross-Soehne_${day()}`;
  expect(facts(html)).toEqual([200, "text/html; charset=utf-8", `${name}.html"`, "private, no-cache"]);
  expect(facts(pdf)).toEqual([200, "application/pdf", `${name}.pdf"`, "private, no-cache"]);
  expect(html.headers.get("vary")).toBe("Accept-Encoding, Accept-Language, Cookie");
  expect(await pdf.text()).toBe("%PDF-1.7 test");
  const text = await html.text();
  expect(text).toContain("shop.example");
  expect(printed).toEqual([text]);
});

test("the parameter chooses the language", async () => {
  await visitor.get(`${path}/report.pdf?locale=de-de`);
  expect(printed[0]).toContain('<html lang="de-DE"');
  expect(printed[0]).toContain("Sicherheitsbericht f\u00fcr");
});

describe("the brand of the owner", () => {
  beforeEach(() => pages.store.brands.change(owner.id, () => brand));

  test("is always shown, escaped", async () => {
    const html = await (await visitor.get(`${path}/report.html`)).text();
    expect(html).toContain("<span>Muster &amp; Partner</span>");
    expect(html).toContain("Impressum: &lt;b>muster.example&lt;/b>");
    expect(html).toContain('fill="#14501e"');
  });

  test("is left out while the plan includes none", async () => {
    await pages.store.accounts.setPlan(owner.id, "free");
    expect(await (await visitor.get(`${path}/report.html`)).text()).not.toContain("Muster");
  });

  test.each(["viewer", "editor"] as const)("is shown to a member who is %s; the client page links the files", async (role) => {
    const member = await memberWith(role);
    const of = `?of=${owner.id}`;
    expect(await (await member.get(`${path}/report.html${of}`)).text()).toContain("Muster &amp; Partner");
    expect((await member.get(`${path}/report.html`)).status).toBe(404);
    const page = mainOf(await (await member.get(`${path}${of}`)).text());
    for (const extension of ["pdf", "html"]) expect(page).toContain(`href="${path}/report.${extension}${of}" download`);
  });
});

async function memberWith(role: MemberRole): Promise<Visitor> {
  const account = await anotherAccount(pages);
  const invited = await pages.store.members.invite({ ownerId: owner.id, email: account.email, role }, new Date());
  if (typeof invited === "string") throw new Error(invited);
  await pages.store.members.accept(invited.value, account.id, new Date());
  return signedIn(pages, account);
}

test.each(["busy", "failed"] as const)("the PDF is 503 with a page when the browser is %s", async (fault) => {
  outcome = fault;
  const answer = await visitor.get(`${path}/report.pdf`);
  expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("content-disposition")]).toEqual([503, "20", null]);
  expect(await answer.text()).toContain(enGb.pages.errors.pdfUnavailable.title);
});

test.each(["Other", "%", "B%C3%A4ckerei", ""])("there are no files of the client %s, and nothing is printed", async (name) => {
  const statuses = await Promise.all(["html", "pdf"].map(async (each) => (await visitor.get(`/clients/${name}/report.${each}`)).status));
  expect([statuses, printed]).toEqual([[404, 404], []]);
});

test("other accounts find nothing, and guests sign in first", async () => {
  const other = await signedIn(pages, await anotherAccount(pages));
  for (const extension of ["html", "pdf"]) {
    const file = `${path}/report.${extension}`;
    expect([(await other.get(file)).status, (await other.get(`${file}?of=${owner.id}`)).status]).toEqual([404, 404]);
    const guest = await pages.visitor().get(file);
    expect([guest.status, guest.headers.get("location")]).toEqual([303, `/sign-in?${new URLSearchParams({ next: file })}`]);
  }
  expect(printed).toEqual([]);
});
