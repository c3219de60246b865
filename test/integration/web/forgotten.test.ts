/** Links by mail: `/forgotten`, and invitations by administrators. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { Account } from "../../../src/store/accounts.ts";
import { type AccountMailsUnderTest, startAccountMails } from "../../support/account-mails.ts";
import { mainOf } from "../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn } from "../../support/signed-in.ts";

const path = "/forgotten";
const sent = `${path}?done=sent`;
const oldPassword = "the password that was forgotten";
const newPassword = "a new and much better password";
/** The page answers before the mail is sent. */
const waitMsMax = 60_000;
const pauseMs = 10;
let pages: PagesUnderTest;
let mails: AccountMailsUnderTest;
let account: Account;

async function start(replies = {}): Promise<void> {
  mails = await startAccountMails({ replies });
  pages = await startPages({ mail: mails.mail, config: { "accounts.signup": "invite" } });
  mails.use(pages);
  account = await withPassword("me@assay.test");
}

beforeEach(() => start());
afterEach(stop);

async function stop(): Promise<void> {
  await pages.stop();
  await mails.stop();
}

async function withPassword(email: string): Promise<Account> {
  const { actions } = pages.settings.accounts;
  const passwordHash = await actions.passwords.hash(oldPassword);
  const made = await pages.store.accounts.create({ email, passwordHash, now: new Date() });
  if (typeof made === "string") throw new Error(made);
  return made;
}

const ask = (email: string, by = pages.visitor()) => by.post(path, { email }, path);

async function until(isDone: () => boolean): Promise<void> {
  for (const end = Date.now() + waitMsMax; !isDone() && Date.now() < end; ) await Bun.sleep(pauseMs);
  expect(isDone()).toBe(true);
}

const logged = (text: string) => pages.logged.filter((line) => line.includes(text)).length;
const linkIn = (at: number, page: string) =>
  new RegExp(`https?://[^\\s/]+(/${page}\\?t=\\w+)`).exec(mails.received()[at]?.parsed.text ?? "")?.[1] ?? "";

async function setPassword(link: string, by: Visitor): Promise<number> {
  const value = new URL(link, pages.url).searchParams.get("t") ?? "";
  return (await by.post("/reset", { t: value, password: newPassword }, link)).status;
}

describe("a forgotten password", () => {
  test("is reset by a mailed link, once", async () => {
    expect(mainOf(await (await pages.visitor().get("/sign-in")).text())).toContain('<a href="/forgotten">');
    const answer = await ask(" ME@assay.test ");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, sent]);
    expect(mainOf(await (await pages.visitor().get(sent)).text())).toContain(enGb.pages.forgotten.sent.slice(0, 40));
    await until(() => mails.received().length === 1);
    expect(mails.received()).toMatchObject([{ to: ["me@assay.test"] }]);
    const link = linkIn(0, "reset");
    const by = pages.visitor();
    expect(await setPassword(link, by)).toBe(303);
    const signIn = await by.post("/sign-in", { email: account.email, password: newPassword, next: "/account" }, "/sign-in");
    expect([signIn.status, signIn.headers.get("location")]).toEqual([303, "/account"]);
    expect((await by.get(link)).status).toBe(410);
    expect(pages.logged.join("")).not.toContain("t=");
  });

  test("gets the same answer for every account, and mails only those with a password", async () => {
    const disabled = await withPassword("disabled@assay.test");
    await pages.store.accounts.setDisabled(disabled.id, true);
    await accountIn(pages, "provider@assay.test");
    const answers = [];
    for (const email of ["unknown@assay.test", "disabled@assay.test", "provider@assay.test", "me@assay.test"]) {
      const answer = await ask(email);
      const names = [...answer.headers.keys()].sort();
      answers.push(JSON.stringify([answer.status, answer.headers.get("location"), await answer.text(), names]));
    }
    expect(new Set(answers).size).toBe(1);
    await until(() => logged("password reset requested") === 1);
    expect(mails.received().flatMap(({ to }) => to)).toEqual(["me@assay.test"]);
  });

  test("is mailed three times an hour for an account, and the last link stays valid", async () => {
    for (let round = 1; round <= 3; round++) {
      await ask(account.email);
      await until(() => mails.received().length === round);
    }
    expect((await ask(account.email)).headers.get("location")).toBe(sent);
    await until(() => logged("too-many") === 1);
    expect(mails.received().length).toBe(3);
    expect((await pages.visitor().get(linkIn(0, "reset"))).status).toBe(410);
    expect((await pages.visitor().get(linkIn(2, "reset"))).status).toBe(200);
    pages.advanceMs(3_600_000);
    await ask(account.email);
    await until(() => mails.received().length === 4);
  });

  test("has a limit for each caller", async () => {
    const statuses: number[] = [];
    // The first waits are short, and a slow machine asks after their end.
    while (!statuses.includes(429) && statuses.length < 20) statuses.push((await ask(`unknown-${statuses.length}@assay.test`)).status);
    expect(statuses.slice(0, 6)).toEqual([303, 303, 303, 303, 303, 303]);
    expect(statuses.at(-1)).toBe(429);
  });

  test("needs an address", async () => {
    const answer = await ask("me");
    expect([answer.status, mainOf(await answer.text()).includes(enGb.pages.credentials.errors.emailInvalid)]).toEqual([400, true]);
  });

  test("gets the same answer when the mail server refuses", async () => {
    await stop();
    await start({ mail: [[421, "later"]] });
    expect((await ask(account.email)).headers.get("location")).toBe(sent);
    await until(() => logged('"mail":"failed"') === 1);
    expect(mails.received()).toEqual([]);
  });

  test("has no page without a mail server", async () => {
    const plain = await startPages();
    expect([(await plain.visitor().get(path)).status, (await plain.visitor().post(path, { email: "a@b.test" }, "/")).status]).toEqual([
      404, 404,
    ]);
    await accountIn(plain, "me@assay.test");
    const html = mainOf(await (await plain.visitor().get("/sign-in")).text());
    expect(html).toContain(enGb.pages.signIn.forgottenText);
    expect(html).not.toContain(path);
    await plain.stop();
  });
});

describe("an invitation by an administrator", () => {
  const invite = async (email: string) => {
    const admin = pages.visitor();
    await admin.post("/sign-in", { email: account.email, password: oldPassword, next: "/" }, "/sign-in");
    return mainOf(await (await admin.post("/admin/invitations", { email, plan: "free" }, "/admin/users")).text());
  };

  test("is mailed to its address, and shown", async () => {
    const html = await invite("new@client.test");
    expect(html).toContain(enGb.pages.admin.invitation.sent);
    expect(mails.received()).toMatchObject([{ to: ["new@client.test"] }]);
    const link = linkIn(0, "sign-up");
    expect(html).toContain(link);
    expect((await pages.visitor().get(link)).status).toBe(200);
  });

  test("without an address is only shown", async () => {
    const html = await invite("");
    expect([html.includes(enGb.pages.admin.invitation.madeForYou), mails.received().length]).toEqual([true, 0]);
  });

  test("says that the mail was refused", async () => {
    await stop();
    await start({ recipient: [[550, "no such mailbox"]] });
    expect(await invite("new@client.test")).toContain(enGb.pages.admin.invitation.notSent);
  });
});
