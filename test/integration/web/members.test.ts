/** `/account/members`: invitations with and without mail, acceptance, roles, and the end of a membership. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { Account } from "../../../src/store/accounts.ts";
import { startAccountMails } from "../../support/account-mails.ts";
import { inputValueOf, mainOf } from "../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const path = "/account/members";
const texts = enGb.pages.members;
const guest = "guest@client.test";
let pages: PagesUnderTest;
let owner: Account;
let visitor: Visitor;

async function start(options: Parameters<typeof startPages>[0] = {}): Promise<void> {
  pages = await startPages(options);
  owner = await accountIn(pages, "owner@assay.test");
  visitor = await signedIn(pages, owner);
}

beforeEach(() => start());
afterEach(() => pages.stop());

const send = (fields: Readonly<Record<string, string>>, by = visitor) => by.post(path, fields, path);
const open = () => pages.store.members.invitations(owner.id, new Date());
const roles = () => pages.store.members.list(owner.id).map(({ memberId, role }) => [memberId, role]);

/** Path of the link that the page shows. */
async function invited(email = guest, role = "viewer"): Promise<string> {
  const html = await (await send({ do: "invite", email, role })).text();
  const url = /id="invitation"[^>]* value="([^"]+)"/.exec(html)?.[1] ?? "";
  expect(url.startsWith(`${pages.url}/members/accept?invitation=`)).toBe(true);
  return url.slice(pages.url.length);
}

function accept(link: string, by: Visitor): Promise<Response> {
  return by.post("/members/accept", { invitation: new URL(link, pages.url).searchParams.get("invitation") ?? "" }, link);
}

describe("an invitation", () => {
  test("without a mail server, is a link that is shown once", async () => {
    const answer = await send({ do: "invite", email: guest, role: "editor" });
    const html = mainOf(await answer.text());
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(html).toContain(texts.made.noMail);
    expect(open()).toMatchObject([{ email: guest, role: "editor" }]);
    const list = mainOf(await (await visitor.get(path)).text());
    expect(list).toContain(guest);
    expect(list).not.toContain("invitation=");
    expect(pages.logged.join("")).not.toContain(guest);
  });

  test.each([
    ["not an address", texts.invite.errors.emailInvalid],
    ["OWNER@assay.test", texts.invite.errors.own],
    ["member@assay.test", texts.invite.errors.member],
  ])("of %s is refused at the field", async (email, error) => {
    const member = await accountIn(pages, "member@assay.test");
    await accept(await invited(member.email), await signedIn(pages, member));
    const answer = await send({ do: "invite", email, role: "editor" });
    const html = mainOf(await answer.text());
    expect([answer.status, html.includes(error), inputValueOf(html, "email")]).toEqual([400, true, email]);
    expect(html).toContain('<option value="editor" selected');
    expect(open()).toEqual([]);
  });

  test("can be withdrawn, and then its link does not work", async () => {
    const link = await invited();
    expect((await send({ do: "withdraw", email: guest })).headers.get("location")).toBe(`${path}?done=withdrawn`);
    expect(open()).toEqual([]);
    const answer = await (await signedIn(pages, await accountIn(pages, guest))).get(link);
    expect([answer.status, mainOf(await answer.text()).includes(texts.accept.invalid.title)]).toEqual([410, true]);
  });

  test.each([
    [{ do: "invite", email: guest, role: "owner" }],
    [{ do: "role", account: "1", role: "admin" }],
    [{ do: "remove", account: "1x" }],
    [{ do: "other" }],
  ])("form %o is malformed", async (fields) => {
    expect((await send(fields as Readonly<Record<string, string>>)).status).toBe(400);
  });
});

describe("where sign-up is closed, an invitation", () => {
  const secretOf = (link: string) => new URL(link, pages.url).searchParams.get("invitation") ?? "";
  const signUp = (value: string, email: string, by = pages.visitor()) =>
    by.post("/sign-up", { t: value, email, password: "a long enough passphrase 7" }, "/sign-in");
  const account = (email = guest) => pages.store.accounts.findByEmail(email);

  test("permits an account for its address, which then joins", async () => {
    const link = await invited();
    const visitor = pages.visitor();
    const form = mainOf(await (await visitor.get(`/sign-up?t=${secretOf(link)}`)).text());
    expect(inputValueOf(form, "email")).toBe(guest);
    const made = await signUp(secretOf(link), guest, visitor);
    expect([made.status, made.headers.get("location")]).toEqual([303, link]);
    expect(account()).toMatchObject({ admin: false, plan: "free" });
    expect((await accept(link, visitor)).headers.get("location")).toBe("/account/members?done=accepted");
    expect(roles()).toEqual([[account()?.id, "viewer"]]);
  });

  test("permits no other address", async () => {
    const answer = await signUp(secretOf(await invited()), "other@client.test");
    expect([answer.status, account("other@client.test")]).toEqual([400, undefined]);
  });

  test("permits nothing when it was used, withdrawn, replaced, is unknown or its owner is disabled", async () => {
    const member = await accountIn(pages, "member@assay.test");
    const used = await invited(member.email);
    await accept(used, await signedIn(pages, member));
    const replaced = await invited("replaced@client.test");
    await invited("replaced@client.test");
    const withdrawn = await invited("gone@client.test");
    await send({ do: "withdraw", email: "gone@client.test" });
    for (const value of [secretOf(used), secretOf(replaced), secretOf(withdrawn), "x".repeat(43), ""])
      expect([(await pages.visitor().get(`/sign-up?t=${value}`)).status, (await signUp(value, "new@client.test")).status]).toEqual([
        403, 403,
      ]);
    const left = secretOf(await invited());
    await pages.store.accounts.setDisabled(owner.id, true);
    expect((await signUp(left, guest)).status).toBe(403);
    expect(account()).toBe(undefined);
  });

  test("permits nothing when it has expired", async () => {
    const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000);
    const issued = await pages.store.members.invite({ ownerId: owner.id, email: guest, role: "viewer" }, eightDaysAgo);
    if (typeof issued === "string") throw new Error(issued);
    expect([(await signUp(issued.value, guest)).status, account()]).toEqual([403, undefined]);
  });
});

describe("the link", () => {
  test("leads guests to sign in and back, and to sign up where that is open", async () => {
    const link = await invited();
    const html = mainOf(await (await pages.visitor().get(link)).text());
    expect(html).toContain(`href="/sign-in?${new URLSearchParams({ next: link })}"`);
    expect(html).toContain("owner@assay.test");
    expect(html).toContain("This invitation lets you create one");
    expect(html).not.toContain('href="/sign-up"');
    const signIn = await pages.visitor().get(`/sign-in?${new URLSearchParams({ next: link })}`);
    expect(inputValueOf(await signIn.text(), "next")).toBe(link);
    await pages.stop();
    await start({ config: { "accounts.signup": "open" } });
    expect(mainOf(await (await pages.visitor().get(await invited())).text())).toContain('href="/sign-up"');
  });

  test.each(["viewer", "editor"] as const)("makes the invited account a %s, once", async (role) => {
    const link = await invited(guest, role);
    const member = await accountIn(pages, guest.toUpperCase());
    const by = await signedIn(pages, member);
    expect(mainOf(await (await by.get(link)).text())).toContain(texts.accept.means[role]);
    expect(roles()).toEqual([]);
    const answer = await accept(link, by);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}?done=accepted`]);
    expect(roles()).toEqual([[member.id, role]]);
    const list = mainOf(await (await by.get(path)).text());
    expect(list).toContain(`<a href="/sites?of=${owner.id}">`);
    expect((await by.get(`/sites?of=${owner.id}`)).status).toBe(200);
    expect((await by.get(link)).status).toBe(410);
  });

  test("explains to another account that it is not for it", async () => {
    const link = await invited();
    const by = await signedIn(pages, await accountIn(pages, "other@assay.test"));
    const answer = await by.get(link);
    const html = mainOf(await answer.text());
    expect([answer.status, html.includes(texts.accept.other.title), html.includes("<form")]).toEqual([403, true, false]);
    const value = new URL(link, pages.url).searchParams.get("invitation") ?? "";
    expect((await by.post("/members/accept", { invitation: value }, path)).status).toBe(403);
    expect(roles()).toEqual([]);
    expect(mainOf(await (await visitor.get(link)).text())).toContain(texts.accept.own.title);
  });

  test("expires, and unknown ones look the same", async () => {
    const link = await invited();
    pages.advanceMs(7 * 86_400_000);
    for (const path of [link, "/members/accept?invitation=unknown", "/members/accept"]) {
      const answer = await pages.visitor().get(path);
      expect([answer.status, mainOf(await answer.text()).includes(texts.accept.invalid.title)]).toEqual([410, true]);
    }
  });
});

describe("a member", () => {
  let member: Account;
  let by: Visitor;
  beforeEach(async () => {
    member = await accountIn(pages, guest);
    by = await signedIn(pages, member);
    await accept(await invited(), by);
  });

  test("gets another role", async () => {
    await send({ do: "role", account: String(member.id), role: "editor" });
    expect(roles()).toEqual([[member.id, "editor"]]);
  });

  test("is removed by the owner alone", async () => {
    await send({ do: "remove", account: String(member.id) }, await signedIn(pages, await accountIn(pages, "other@assay.test")));
    await send({ do: "role", account: String(owner.id), role: "editor" }, by);
    expect(roles()).toEqual([[member.id, "viewer"]]);
    await send({ do: "remove", account: String(member.id) });
    expect(roles()).toEqual([]);
    expect((await by.get(`/sites?of=${owner.id}`)).status).toBe(404);
  });

  test("can leave", async () => {
    expect((await send({ do: "leave", account: String(owner.id) }, by)).headers.get("location")).toBe(`${path}?done=left`);
    expect(roles()).toEqual([]);
  });
});

describe("with a mail server", () => {
  test("the invitation is mailed with a link that works, and the page shows none", async () => {
    await pages.stop();
    const mails = await startAccountMails();
    await start({ mail: mails.mail });
    mails.use(pages);
    const answer = await send({ do: "invite", email: guest, role: "viewer" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}?done=invited`]);
    expect(mails.received()).toMatchObject([{ to: [guest] }]);
    const link = /https?:\/\/[^\s/]+(\/members\/accept\?invitation=\w+)/.exec(mails.received()[0]?.parsed.text ?? "")?.[1] ?? "";
    const member = await accountIn(pages, guest);
    expect((await accept(link, await signedIn(pages, member))).status).toBe(303);
    expect(roles()).toEqual([[member.id, "viewer"]]);
    await mails.stop();
  });

  test("that refuses the mail, the link is shown", async () => {
    await pages.stop();
    const mails = await startAccountMails({ replies: { recipient: [[550, "no such mailbox"]] } });
    await start({ mail: mails.mail });
    mails.use(pages);
    const html = mainOf(await (await send({ do: "invite", email: guest, role: "viewer" })).text());
    expect(html).toContain(texts.made.notSent);
    expect(html).toContain("/members/accept?invitation=");
    await mails.stop();
  });
});
