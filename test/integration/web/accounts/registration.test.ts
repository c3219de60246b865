/** `/setup`, `/sign-up` and `/reset`: by link, open or closed, and their errors. */
import { afterEach, describe, expect, test } from "vitest";
import type { LinkPurpose } from "../../../../src/store/one-time-links.ts";
import { inputValueOf, mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages } from "../../../support/pages.ts";

const password = "green lamps over Oslo";

let pages: PagesUnderTest;

afterEach(() => pages.stop());

async function start(signUp: "closed" | "invite" | "open" = "closed", empty = false): Promise<void> {
  pages = await startPages({ config: { "accounts.signup": signUp } });
  if (!empty) await pages.store.accounts.create({ email: "first@assay.test", now: new Date() });
}

async function linkTo(purpose: LinkPurpose): Promise<string> {
  const made = await pages.store.oneTimeLinks.create(purpose, new Date());
  if (typeof made === "string") throw new Error(made);
  return made.value;
}

function invitation(email: string | null): LinkPurpose {
  return { kind: "invite", email, plan: "agency", admin: false };
}

describe("/setup", () => {
  test("creates and signs in the first account, and then closes", async () => {
    await start("closed", true);
    const link = await linkTo({ kind: "setup" });
    const visitor = pages.visitor();
    const form = await visitor.get(`/setup?t=${link}`);
    expect([form.status, form.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const answer = await visitor.post("/setup", { t: link, email: "me@assay.test", password }, `/setup?t=${link}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account?done=made"]);
    expect(await (await visitor.get("/account?done=made")).text()).toContain("Your account is ready");
    expect((await visitor.get("/admin")).status).toBe(200);
    const again = await pages.visitor().get(`/setup?t=${link}`);
    expect([again.status, await again.text()]).toEqual([410, expect.stringContaining("Set-up is done")]);
    expect(pages.logged.join("")).not.toContain(link);
  });

  test("keeps the typed address and shows the password error", async () => {
    await start("closed", true);
    const link = await linkTo({ kind: "setup" });
    const visitor = pages.visitor();
    for (const [typed, words] of [
      ["short", "at least 12 characters"],
      ["passwordpassword", "an attacker would try"],
      ["me@assay.test", "must not be the email address"],
      ["x".repeat(300), "at most 256 characters"],
    ] as const) {
      const answer = await visitor.post("/setup", { t: link, email: "me@assay.test", password: typed }, `/setup?t=${link}`);
      const text = await answer.text();
      expect([answer.status, inputValueOf(text, "email"), inputValueOf(text, "t")]).toEqual([400, "me@assay.test", link]);
      expect(text).toContain(words);
      expect(inputValueOf(text, "password")).toBe("");
    }
    expect(pages.store.accounts.hasAny()).toBe(false);
  });

  test("refuses expired, replaced, cut or unrelated links and explains how to get a new one", async () => {
    await start("closed", true);
    const replaced = await linkTo({ kind: "setup" });
    const link = await linkTo({ kind: "setup" });
    const other = await linkTo(invitation(null));
    for (const wrong of ["", replaced, link.slice(1), other, "\0", "x".repeat(5_000)]) {
      const answer = await pages.visitor().get(`/setup?t=${encodeURIComponent(wrong)}`);
      expect([answer.status, mainOf(await answer.text())]).toEqual([410, expect.stringContaining("assay user setup-link")]);
    }
    const visitor = pages.visitor();
    await visitor.get(`/setup?t=${link}`);
    pages.advanceMs(24 * 3_600_000);
    const late = await visitor.post("/setup", { t: link, email: "me@assay.test", password }, "/");
    expect(late.status).toBe(410);
  });

  test("lets only one of two concurrent requests succeed", async () => {
    await start("closed", true);
    const link = await linkTo({ kind: "setup" });
    const answers = await Promise.all(
      ["one@assay.test", "two@assay.test"].map((email) => pages.visitor().post("/setup", { t: link, email, password }, `/setup?t=${link}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410]);
    expect(pages.store.accounts.list()).toHaveLength(1);
  });
});

describe("/sign-up", () => {
  test("refuses everybody while closed, invitations too", async () => {
    await start("closed");
    const link = await linkTo(invitation(null));
    for (const path of ["/sign-up", `/sign-up?t=${link}`]) {
      const answer = await pages.visitor().get(path);
      expect([answer.status, mainOf(await answer.text())]).toEqual([403, expect.stringContaining("Sign-up is closed")]);
    }
    expect(pages.store.accounts.list()).toHaveLength(1);
  });

  test("refuses everybody before the first account exists", async () => {
    await start("open", true);
    expect((await pages.visitor().get("/sign-up")).status).toBe(403);
  });

  test("accepts an invitation with its address and plan", async () => {
    await start("invite");
    expect((await pages.visitor().get("/sign-up")).status).toBe(403);
    const link = await linkTo(invitation("you@assay.test"));
    const visitor = pages.visitor();
    const form = await (await visitor.get(`/sign-up?t=${link}`)).text();
    expect([inputValueOf(form, "email"), form.includes("readonly")]).toEqual(["you@assay.test", true]);
    expect(mainOf(form)).toContain("Agency");
    const swapped = await visitor.post("/sign-up", { t: link, email: "evil@assay.test", password }, `/sign-up?t=${link}`);
    expect([swapped.status, await swapped.text()]).toEqual([400, expect.stringContaining("for another email address")]);
    const answer = await visitor.post("/sign-up", { t: link, email: "you@assay.test", password }, `/sign-up?t=${link}`);
    expect(answer.headers.get("location")).toBe("/account?done=made");
    expect(pages.store.accounts.findByEmail("you@assay.test")).toMatchObject({ plan: "agency", admin: false });
    const used = await pages.visitor().get(`/sign-up?t=${link}`);
    expect([used.status, mainOf(await used.text())]).toEqual([410, expect.stringContaining("older than 7 days")]);
  });

  test("ignores form fields that would grant admin rights or another plan", async () => {
    await start("open");
    const visitor = pages.visitor();
    const fields = { email: "you@assay.test", password, plan: "agency", admin: "true", id: "1" };
    expect((await visitor.post("/sign-up", fields, "/sign-up")).status).toBe(303);
    expect(pages.store.accounts.findByEmail("you@assay.test")).toMatchObject({ id: 2, plan: "free", admin: false });
    const taken = await pages.visitor().post("/sign-up", { email: "FIRST@assay.test", password }, "/sign-up");
    expect([taken.status, await taken.text()]).toEqual([400, expect.stringContaining("already an account with this email address")]);
  });

  test("sends Retry-After after too many attempts", async () => {
    await start("open");
    const visitor = pages.visitor();
    let answer = await visitor.post("/sign-up", { email: "none", password }, "/sign-up");
    for (let count = 0; count < 15 && answer.status === 400; count++)
      answer = await visitor.post("/sign-up", { email: "none", password }, "/sign-up");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
  });
});

describe("/reset", () => {
  test("sets a new password, ends all sessions and opens none", async () => {
    await start();
    const link = await linkTo({ kind: "reset", accountId: 1 });
    const visitor = pages.visitor();
    const form = await visitor.get(`/reset?t=${link}`);
    expect([form.headers.get("cache-control"), mainOf(await form.text())]).toEqual([
      "no-store",
      expect.stringContaining("first@assay.test"),
    ]);
    expect((await visitor.post("/reset", { t: link, password: "short" }, `/reset?t=${link}`)).status).toBe(400);
    const answer = await visitor.post("/reset", { t: link, password }, `/reset?t=${link}`);
    expect([answer.headers.get("location"), visitor.cookies.has("sid")]).toEqual(["/sign-in?done=reset", false]);
    expect(await (await visitor.get("/sign-in?done=reset")).text()).toContain("The password was changed.");
    expect((await visitor.post("/sign-in", { email: "first@assay.test", password }, "/sign-in")).status).toBe(303);
    const used = await pages.visitor().get(`/reset?t=${link}`);
    expect([used.status, mainOf(await used.text())]).toEqual([410, expect.stringContaining("assay user reset-password")]);
  });

  test("refuses a disabled account without revealing it", async () => {
    await start();
    const link = await linkTo({ kind: "reset", accountId: 1 });
    const unknown = mainOf(await (await pages.visitor().get(`/reset?t=${"0".repeat(43)}`)).text());
    await pages.store.accounts.setDisabled(1, true);
    expect(mainOf(await (await pages.visitor().get(`/reset?t=${link}`)).text())).toBe(unknown);
  });
});
