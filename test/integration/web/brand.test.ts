/** `/account/brand`: the form with its errors and its file, the logo, and the brand on files and on the report. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { DecodedLogo, LogoFault } from "../../../src/base/documents.ts";
import type { Account } from "../../../src/store/accounts.ts";
import { serverActor } from "../../../src/store/audit.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { pngImage } from "../../support/images.ts";
import { inputValueOf, mainOf } from "../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../support/signed-in.ts";

const path = "/account/brand";
const texts = enGb.pages.brand;
const drawn: DecodedLogo = { png: new Uint8Array(pngImage(30, 20, [255, 0, 0, 255])), width: 30, height: 20 };
const drawnBase64 = Buffer.from(drawn.png).toString("base64");
let decoded: Uint8Array[];
let outcome: DecodedLogo | LogoFault;
let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;

beforeAll(async () => {
  pages = await startPages({
    decodeLogo: async (bytes) => {
      decoded.push(bytes);
      return outcome;
    },
  });
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  decoded = [];
  outcome = drawn;
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

interface Sent {
  readonly fields?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly by?: Visitor;
}

/** Submits the form as a browser does; a file that was not chosen is empty. */
async function send({ fields = {}, files = { logo: new Uint8Array() }, headers = {}, by = visitor }: Sent): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries({ name: "Agency", accent: "", footer: "", ...fields })) body.append(name, value);
  for (const [name, bytes] of Object.entries(files)) body.append(name, new Blob([bytes], { type: "image/svg+xml" }), "logo.svg");
  const cookie = [...by.cookies].map((pair) => pair.join("=")).join("; ");
  return fetch(`${pages.url}${path}`, { method: "POST", redirect: "manual", headers: { origin: pages.url, cookie, ...headers }, body });
}

const stored = () => pages.store.brands.find(account.id);

describe("the form", () => {
  test("saves what was typed, with the logo as it was drawn, and shows it", async () => {
    const file = new Uint8Array(pngImage(60, 40, [255, 0, 0, 255]));
    const fields = { name: " Agency <b> ", accent: "#14501E", footer: "1 Street & Co" };
    const answer = await send({ fields, files: { logo: file } });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}?done=saved`]);
    expect(stored()).toEqual({ name: "Agency <b>", logoPng: drawnBase64, accent: "#14501e", footer: "1 Street & Co" });
    expect(decoded).toEqual([file]);
    const html = mainOf(await (await visitor.get(`${path}?done=saved`)).text());
    expect(html).toContain(texts.done.saved);
    expect(html).toContain(`<img src="/brands/${account.id}/logo.png" alt width="30" height="20"/>`);
    expect(html).toContain("<span>Agency &lt;b></span>");
    expect(html).toContain("1 Street &amp; Co");
    expect(pages.logged.join("")).not.toContain("Agency");
  });

  test("keeps the logo without a new file, and removes it on request", async () => {
    await send({ files: { logo: new Uint8Array([1]) } });
    await send({ fields: { name: "Other" } });
    expect(stored()).toMatchObject({ name: "Other", logoPng: drawnBase64 });
    await send({ fields: { "without-logo": "1" } });
    expect([stored()?.logoPng, decoded.length]).toEqual([null, 1]);
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["no name", { name: " " }, texts.errors.noName],
    ["a long name", { name: "n".repeat(61) }, texts.errors.tooLong.replace("{{charsMax}}", "60")],
    ["a name with a control character", { name: "a\u0007b" }, texts.errors.characters],
    ["a name that turns its direction", { name: "a\u202eb" }, texts.errors.characters],
    ["no colour", { accent: "red" }, texts.errors.notColour],
    ["a light colour", { accent: "#ffee00" }, texts.errors.lowContrast],
    ["a long footer", { footer: "f".repeat(201) }, texts.errors.tooLong.replace("{{charsMax}}", "200")],
    ["a footer of two lines", { footer: "a\nb" }, texts.errors.characters],
  ])("answers 400 for %s, and keeps what was typed", async (_name, fields, error) => {
    const answer = await send({ fields: { footer: "typed", ...fields }, files: { logo: new Uint8Array([1]) } });
    const html = mainOf(await answer.text());
    expect(answer.status).toBe(400);
    expect(html).toContain(error);
    expect(html.match(/aria-invalid/g)).toHaveLength(1);
    if (!("footer" in fields)) expect(inputValueOf(html, "footer")).toBe("typed");
    expect([stored(), decoded.length]).toEqual([undefined, 0]);
  });

  test.each(["too-large", "wrong-type", "too-many-pixels", "broken"] as const)("answers 400 for a logo that is %s", async (fault) => {
    outcome = fault;
    const answer = await send({ files: { logo: new Uint8Array(200_000) } });
    expect([answer.status, mainOf(await answer.text()).includes(texts.errors[fault])]).toEqual([400, true]);
    expect([stored(), decoded[0]?.length]).toEqual([undefined, 200_000]);
  });

  test("answers 503 while the browser that draws logos is busy", async () => {
    outcome = "busy";
    const answer = await send({ files: { logo: new Uint8Array([1]) } });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "20"]);
    expect(mainOf(await answer.text())).toContain(texts.errors.busy);
  });

  test("answers 400 for a picture of ten megabytes, which is neither kept nor decoded", async () => {
    for (const bytes of [10_000_000, 13_500_000]) {
      const answer = await send({ fields: { name: "Typed" }, files: { logo: new Uint8Array(bytes) } });
      expect([answer.status, mainOf(await answer.text()).includes(texts.errors["too-large"])]).toEqual([400, true]);
    }
    expect([decoded, stored()]).toEqual([[], undefined]);
  });

  test.each<[string, Sent, number]>([
    ["of another site", { headers: { origin: "https://other.example" } }, 403],
    ["of a hidden sender", { headers: { origin: "null" } }, 403],
    ["of another type", { headers: { "content-type": "text/plain" } }, 400],
    ["without parts", { headers: { "content-type": "multipart/form-data" } }, 400],
  ])("refuses a form %s", async (_name, given, status) => {
    expect((await send(given)).status).toBe(status);
    expect(stored()).toBeUndefined();
  });

  test("removes the brand", async () => {
    await send({});
    const answer = await visitor.post(`${path}/remove`, { do: "remove" }, `${path}#removal`);
    expect([answer.headers.get("location"), stored()]).toEqual([`${path}?done=removed`, undefined]);
  });

  test("is only for the plan agency; what was stored on it can be removed", async () => {
    const free = await anotherAccount(pages, "free");
    await pages.store.brands.change(free.id, () => ({ name: "Former", logoPng: null, accent: null, footer: null }));
    const by = await signedIn(pages, free);
    const html = mainOf(await (await by.get(path)).text());
    expect(html).toContain("It needs the plan Agency.");
    expect(html).not.toContain('type="file"');
    expect((await send({ by })).status).toBe(403);
    expect(pages.store.brands.find(free.id)?.name).toBe("Former");
    await by.post(`${path}/remove`, { do: "remove" }, path);
    expect(pages.store.brands.find(free.id)).toBeUndefined();
  });
});

async function member(): Promise<Visitor> {
  const joining = await anotherAccount(pages, "free");
  const invited = await pages.store.members.invite({ ownerId: account.id, email: joining.email, role: "viewer" }, new Date());
  if (typeof invited === "string") throw new Error(invited);
  await pages.store.members.accept(invited.value, joining.id, new Date());
  return signedIn(pages, joining);
}

const other = async () => signedIn(pages, await anotherAccount(pages, "free"));

describe("the brand", () => {
  beforeEach(() =>
    pages.store.brands.change(account.id, () => ({ name: "Agency", logoPng: drawnBase64, accent: "#14501e", footer: "Call us" })),
  );

  test("has a logo for the owner and members alone", async () => {
    const logo = `/brands/${account.id}/logo.png`;
    const answer = await visitor.get(logo);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("x-content-type-options")]).toEqual([
      200,
      "image/png",
      "nosniff",
    ]);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(drawn.png);
    expect((await (await member()).get(logo)).status).toBe(200);
    const unrelated = await other();
    expect(
      (await Promise.all([logo, "/brands/999/logo.png", "/brands/x/logo.png"].map((one) => unrelated.get(one)))).map(
        ({ status }) => status,
      ),
    ).toEqual([404, 404, 404]);
    expect((await pages.visitor().get(logo)).status).toBe(303);
  });

  test("is on files that ask for it, by the owner and by members", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    const file = async (by: Visitor, query: string) => (await by.get(`/scans/${token}.html${query}`)).text();
    for (const html of [
      await file(visitor, "?brand=own"),
      await file(visitor, `?brand=${account.id}`),
      await file(await member(), `?brand=${account.id}`),
    ]) {
      expect(html).toContain("<span>Agency</span>");
      expect(html).toContain(`src="data:image/png;base64,${drawnBase64}"`);
      expect(html).toContain("Call us");
    }
    for (const query of ["", "?brand="]) expect(await file(visitor, query)).not.toContain("Agency");
  });

  test("is not for others", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    const status = async (by: Visitor, value: string) => (await by.get(`/scans/${token}.html?brand=${value}`)).status;
    const by = await other();
    expect([await status(by, "own"), await status(by, String(account.id)), await status(by, "other")]).toEqual([404, 404, 404]);
    expect(await status(pages.visitor(), "own")).toBe(401);
    await pages.store.accounts.setPlan(account.id, "free", serverActor);
    expect(await status(visitor, "own")).toBe(404);
  });

  test("is offered on the report, also where the page is kept for others", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    const joined = await member();
    const unrelated = await other();
    const links = async (by: Visitor) =>
      [...(await (await by.get(`/scans/${token}`)).text()).matchAll(/<a href="([^"]*\?brand=[^"]*)" download>([^<]*)</g)].map(
        ([, href, text]) => `${href} ${text}`,
      );
    const of = (value: string) => [
      `/scans/${token}.pdf?brand=${value} PDF with the brand Agency`,
      `/scans/${token}.html?brand=${value} HTML with the brand Agency`,
    ];
    for (let round = 0; round < 2; round++) {
      expect(await links(visitor)).toEqual(of("own"));
      expect(await links(joined)).toEqual(of(String(account.id)));
      expect([await links(unrelated), await links(pages.visitor())]).toEqual([[], []]);
    }
  });
});
