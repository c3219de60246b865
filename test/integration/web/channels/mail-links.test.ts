/** `/confirm-channel/{name}` and `/unsubscribe/{name}`: links of mails, whose key is the permission. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { confirmationUrl, unsubscribeUrl } from "../../../../src/channels/channel-operations.ts";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Channel } from "../../../../src/store/channels.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages } from "../../../support/pages.ts";
import { accountIn, anotherAccount } from "../../../support/signed-in.ts";

let pages: PagesUnderTest;
let account: Account;
let channel: Channel;

beforeAll(async () => {
  pages = await startPages();
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  account = await anotherAccount(pages);
  channel = await mailChannel(false);
});
afterAll(() => pages.stop());

async function mailChannel(verified: boolean): Promise<Channel> {
  const target = "you@example.org";
  const added = await pages.store.channels.add({
    accountId: account.id,
    kind: "mail",
    name: "<b>Mine</b>",
    target,
    secrets: [],
    verified,
    now: new Date(),
  });
  if (added === "full") throw new Error(added);
  return added;
}

const now = () => pages.store.channels.find(account.id, channel.id);
const otherKey = "0".repeat(43);

describe("the link of a confirmation", () => {
  let link: string;
  let value: string;

  beforeEach(async () => {
    value = (await pages.store.channels.issueConfirmation(account.id, channel.id, new Date())) ?? "";
    link = confirmationUrl("", channel, value);
  });

  test("is shown and confirms until the mail with a newer one was sent", async () => {
    const { channels } = pages.store;
    const newer = (await channels.issueConfirmation(account.id, channel.id, new Date())) ?? "";
    for (const one of [link, confirmationUrl("", channel, newer)]) expect((await pages.visitor().get(one)).status).toBe(200);
    // The value of an earlier mail says nothing about the newer mail.
    await channels.noteConfirmationSent(account.id, channel.id, value);
    expect((await pages.visitor().get(link)).status).toBe(200);
    await channels.noteConfirmationSent(account.id, channel.id, newer);
    expect((await pages.visitor().get(link)).status).toBe(404);
    expect((await channels.confirm(account.id, channel.id, newer, new Date()))?.confirmation).toBeNull();
  });

  test("confirms by a button only, once, and without an account", async () => {
    const guest = pages.visitor();
    const asked = await guest.get(link);
    const html = mainOf(await asked.text());
    expect([asked.status, asked.headers.get("cache-control"), now()?.verifiedAt]).toEqual([200, "no-store", null]);
    expect(html).toContain(account.email);
    expect(html).not.toContain("Mine");
    const answer = await guest.post(link, {}, link);
    expect([answer.status, (await answer.text()).includes("The address is confirmed"), now()?.verifiedAt !== null]).toEqual([
      200,
      true,
      true,
    ]);
    expect((await guest.get(link)).status).toBe(404);
  });

  test("does not confirm without the token of the page, or with the body of one click", async () => {
    for (const body of ["", "List-Unsubscribe=One-Click"]) {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      expect((await fetch(`${pages.url}${link}`, { method: "POST", headers, body })).status).toBe(403);
    }
    expect(now()?.verifiedAt).toBeNull();
  });

  test("does not work after 72 hours", async () => {
    pages.advanceMs(72 * 3_600_000);
    expect((await pages.visitor().get(link)).status).toBe(404);
  });

  test("does not work with another key, channel or form", async () => {
    const { accountId, id } = channel;
    const wrong = [
      confirmationUrl("", channel, otherKey),
      confirmationUrl("", { accountId, id: id + 1 }, value),
      confirmationUrl("", { accountId: accountId + 1, id }, value),
      `/confirm-channel/${accountId}-${id}`,
      `/confirm-channel/%E0%A4%A?key=${value}`,
      `/confirm-channel/1-1-1?key=${value}`,
    ];
    const guest = pages.visitor();
    for (const path of wrong) {
      expect((await guest.get(path)).status).toBe(404);
      expect((await guest.post(path, {}, "/sign-in")).status).toBe(404);
    }
    expect(now()?.verifiedAt).toBeNull();
  });
});

describe("the link that ends the mails", () => {
  let link: string;

  beforeEach(async () => {
    channel = await mailChannel(true);
    link = unsubscribeUrl("", channel) ?? "";
  });

  /** Request as a mail program sends it: no cookie, no page before, any origin. */
  const oneClick = (path: string, body: BodyInit, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${pages.url}${path}`, { method: "POST", headers, body, redirect: "manual" });
  const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
  const because = () => now()?.disabled?.because;

  test("asks by a page, and ends by its button", async () => {
    const guest = pages.visitor();
    const html = mainOf(await (await guest.get(link)).text());
    expect([html.includes("you@example.org"), html.includes("Mine"), because()]).toEqual([true, false, undefined]);
    const answer = await guest.post(link, {}, link);
    expect([answer.status, because()]).toEqual([200, "unsubscribed"]);
    expect(mainOf(await (await guest.get(link)).text())).toContain("The mails have ended");
  });

  test("ends with one click, in both encodings of RFC 8058, without cookies and from another origin", async () => {
    const answer = await oneClick(link, "List-Unsubscribe=One-Click", { ...urlencoded, origin: "https://mail.example" });
    expect([answer.status, because()]).toEqual([200, "unsubscribed"]);
    channel = await mailChannel(true);
    const form = new FormData();
    form.set("List-Unsubscribe", "One-Click");
    expect([(await oneClick(unsubscribeUrl("", channel) ?? "", form)).status, because()]).toEqual([200, "unsubscribed"]);
  });

  test.each([
    ["another field", "List-Unsubscribe=One-Click&x=1"],
    ["another value", "List-Unsubscribe=Yes"],
    ["nothing", ""],
  ])("needs the token of the page for a body with %s", async (_what, body) => {
    expect([(await oneClick(link, body, urlencoded)).status, because()]).toEqual([403, undefined]);
  });

  test("needs its key", async () => {
    const { accountId, id } = channel;
    const other = unsubscribeUrl("", { accountId, id, unsubscribeKey: otherKey }) ?? "";
    for (const path of [other, `/unsubscribe/${accountId}-${id}`, `/unsubscribe/${accountId}-${id + 1}?key=${channel.unsubscribeKey}`]) {
      expect((await oneClick(path, "List-Unsubscribe=One-Click", urlencoded)).status).toBe(404);
      expect((await pages.visitor().get(path)).status).toBe(404);
    }
    expect(because()).toBeUndefined();
  });

  test("ends nothing once the channel has another address", async () => {
    const moved = await pages.store.channels.change(account.id, channel.id, () => ({ target: "other@example.org" }));
    expect(moved).toMatchObject({ verifiedAt: null, target: "other@example.org" });
    const answer = await pages.visitor().get(link);
    expect([answer.status, (await answer.text()).includes("other@example.org")]).toEqual([404, false]);
    expect((await oneClick(link, "List-Unsubscribe=One-Click", urlencoded)).status).toBe(404);
    expect(because()).toBeUndefined();
    const own = unsubscribeUrl("", moved ?? channel) ?? "";
    expect((await oneClick(own, "List-Unsubscribe=One-Click", urlencoded)).status).toBe(200);
  });

  test("stays the same while the address does", async () => {
    const changed = await pages.store.channels.change(account.id, channel.id, () => ({ name: "Other", target: channel.target }));
    expect(changed).toMatchObject({ name: "Other", unsubscribeKey: channel.unsubscribeKey, verifiedAt: channel.verifiedAt });
  });

  test("also ends a channel that its owner had disabled", async () => {
    await pages.store.channels.disable(account.id, channel.id, "owner", new Date());
    await oneClick(link, "List-Unsubscribe=One-Click", urlencoded);
    expect(because()).toBe("unsubscribed");
  });

  test("exempts no other form from the CSRF check", async () => {
    for (const path of ["/sign-in", "/reset", "/scans"])
      expect((await oneClick(path, "List-Unsubscribe=One-Click", urlencoded)).status).toBe(403);
  });
});
