/** `/admin/audit`: entries with names of today, filters, pages, and what forms of administrators and sign-ins leave behind. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Account } from "../../../src/store/accounts.ts";
import { auditActions } from "../../../src/store/audit.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

let pages: PagesUnderTest;
let admin: Account;
let user: Account;
let visitor: Visitor;

beforeAll(async () => {
  pages = await startPages({ config: { "accounts.signup": "invite" } });
  admin = await accountIn(pages, "first@assay.test");
  user = await accountIn(pages, "second@assay.test");
  visitor = await signedIn(pages, admin);
});
afterAll(() => pages.stop());

async function read(query = "", by = visitor): Promise<string> {
  const answer = await by.get(`/admin/audit${query}`);
  expect(answer.status).toBe(200);
  return answer.text();
}

const rowsIn = (html: string) => [...html.matchAll(/<tr id="entry-(\d+)"/g)].map(([, id]) => Number(id));
const newest = () => pages.store.audit.list({ limit: 1, cursor: null, readMax: 10 }).items[0];

describe("entries", () => {
  test("of forms name the administrator who sent them", async () => {
    const by = { kind: "account", id: admin.id };
    const subject = { kind: "account", id: user.id };
    await visitor.post(`/admin/users/${user.id}/state`, { state: "disabled" }, "/admin/users");
    expect(newest()).toMatchObject({ actor: by, action: "account.disabled", subject });
    await visitor.post(`/admin/users/${user.id}/state`, { state: "enabled" }, "/admin/users");
    await visitor.post(`/admin/users/${user.id}/plan`, { plan: user.plan === "free" ? "agency" : "free" }, "/admin/users");
    expect(newest()).toMatchObject({ actor: by, action: "plan.changed", subject });
    await visitor.post("/admin/invitations", { email: "third@assay.test", plan: "free" }, "/admin/users");
    expect(newest()).toMatchObject({ actor: by, action: "link.created", details: { kind: "invite", plan: "free", admin: false } });
    await visitor.post("/account/tokens", { do: "create", name: "ci", expires: "90d" }, "/account/tokens");
    expect(newest()).toMatchObject({ actor: by, action: "token.created" });
    const html = await read();
    expect(html).toMatch(/first@assay\.test.*Plan changed.*second@assay\.test.*from=&quot;|from="/s);
  });

  test("of sign-ins are left by a wrong password of an administrator, without what was typed", async () => {
    const guest = pages.visitor();
    await guest.post("/sign-in", { email: admin.email, password: "a secret typed wrongly", next: "/" }, "/sign-in");
    // Noted after the answer, whose time must not depend on the account.
    while (newest()?.action !== "sign-in.refused") await Bun.sleep(5);
    expect(newest()).toMatchObject({ actor: { kind: "visitor" }, details: { because: "password" } });
    expect(JSON.stringify(newest())).not.toContain("secret");
  });

  test("show what an attacker wrote as text", async () => {
    await pages.store.audit.note({
      actor: { kind: "cli", user: "<b>root" },
      action: "worker.revoked",
      subject: { kind: "worker", id: "<i>w" },
      details: { text: "</code><script>" },
      now: new Date(),
    });
    const html = await read("?by=cli");
    for (const text of ["&lt;b>root", "&lt;i>w", "&lt;/code>&lt;script>"]) expect(html).toContain(text);
  });

  test("of accounts that are gone, and of actions of a later release, are shown", async () => {
    await pages.store.audit.note({
      actor: { kind: "account", id: 999 },
      action: "later.action" as never,
      subject: { kind: "later" as never, id: 1 },
      now: new Date(),
    });
    const html = await read("?by=999");
    expect(rowsIn(html)).toHaveLength(1);
    expect(html).toMatch(/account 999.*later\.action.*later/s);
  });
});

describe("filters", () => {
  test.each(auditActions)("have a text for %s in both languages", async (action) => {
    for (const locale of ["en-gb", "de-de"])
      expect(await read(`?locale=${locale}&action=${action}`)).toContain(`value="${action}" selected`);
    await read("?locale=en-gb");
  });

  test("find by account, by word and by action, and say if nobody is meant", async () => {
    const few = await startPages();
    const [first, second] = [await accountIn(few, "first@assay.test"), await accountIn(few, "second@assay.test")];
    const by = await signedIn(few, first);
    await by.post(`/admin/users/${second.id}/state`, { state: "disabled" }, "/admin/users");
    await by.post(`/admin/users/${second.id}/plan`, { plan: second.plan === "free" ? "agency" : "free" }, "/admin/users");
    await few.store.audit.note({ actor: { kind: "visitor" }, action: "sign-in.refused", subject: null, now: new Date() });
    expect(rowsIn(await read("?by=first@assay.test", by)).length).toBeGreaterThan(0);
    expect(await read("?by=second%40assay.test", by)).toContain("No entry");
    expect(rowsIn(await read("?action=plan.changed", by))).toHaveLength(1);
    expect(rowsIn(await read("?by=VISITOR", by))).toHaveLength(1);
    const html = await read("?by=none%40assay.test", by);
    expect(html).toContain("No account has this address.");
    expect(rowsIn(html)).toEqual([]);
    await few.stop();
  });

  test("stay on the next page, which needs no script", async () => {
    for (let at = 0; at < 60; at++)
      await pages.store.audit.note({ actor: { kind: "server" }, action: "checks.reloaded", subject: null, now: new Date() });
    const html = await read("?by=server&action=checks.reloaded");
    expect(rowsIn(html)).toHaveLength(50);
    const next = /href="\/admin\/audit(\?[^"]+before=\d+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const rest = rowsIn(await read(next));
    expect(rest).toHaveLength(10);
    expect(Math.max(...rest)).toBeLessThan(Math.min(...rowsIn(html)));
  });
});
