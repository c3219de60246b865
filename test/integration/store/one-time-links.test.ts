/** One-time links: single use, single purpose, expiry and races. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LinkPurpose } from "../../../src/store/one-time-links.ts";
import { openStore, type Store } from "../../../src/store/store.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const now = new Date(start);
const origin = { userAgent: "Firefox", address: "192.0.2.0" };

let dataDir: string;
let store: Store;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-links-"));
  store = openStore(dataDir, { noSync: true });
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

function hoursLater(hours: number): Date {
  return new Date(start + hours * 3_600_000);
}

async function linkTo(purpose: LinkPurpose, at = now): Promise<string> {
  const made = await store.oneTimeLinks.create(purpose, at);
  if (typeof made === "string") throw new Error(made);
  return made.value;
}

function invitation(email: string | null): LinkPurpose {
  return { kind: "invite", email, plan: "agency", admin: false };
}

async function firstAccount(): Promise<void> {
  await store.accounts.create({ email: "first@site.example", passwordHash: "first", now });
}

function signUp(kind: "setup" | "invite", value: string, email: string, at = now) {
  return store.redemptions.signUp(kind, value, { email, passwordHash: "hash", now: at });
}

describe("the first account", () => {
  test("is created once, even by two uses of the same link", async () => {
    const value = await linkTo({ kind: "setup" });
    const outcomes = await Promise.all([signUp("setup", value, "one@site.example"), signUp("setup", value, "two@site.example")]);
    expect(outcomes).toMatchObject([{ id: 1, admin: true, plan: "agency" }, "link-invalid"]);
    expect(store.accounts.list()).toHaveLength(1);
    expect(store.credentials.get(1).passwordHash).toBe("hash");
  });

  test("cannot be created by a link once an account exists, nor can a new setup link", async () => {
    const value = await linkTo({ kind: "setup" });
    await firstAccount();
    expect(store.oneTimeLinks.findByValue("setup", value, now)).toBeUndefined();
    expect(await signUp("setup", value, "two@site.example")).toBe("link-invalid");
    expect(await store.oneTimeLinks.create({ kind: "setup" }, now)).toBe("set-up");
    expect(await store.accounts.createFirst({ email: "two@site.example", now })).toBe("not-first");
  });

  test("has one setup link at a time", async () => {
    const [old, fresh] = [await linkTo({ kind: "setup" }), await linkTo({ kind: "setup" })];
    expect([store.oneTimeLinks.findByValue("setup", old, now), store.oneTimeLinks.findByValue("setup", fresh, now)?.kind]).toEqual([
      undefined,
      "setup",
    ]);
  });
});

describe("a link", () => {
  beforeEach(firstAccount);

  test("is found only by its value, which is not stored", async () => {
    const value = await linkTo(invitation(null));
    expect(value).toMatch(/^[0-9A-Za-z]{43}$/);
    await store.close();
    expect(Buffer.from(await Bun.file(join(dataDir, "store", "data.mdb")).bytes()).includes(value)).toBe(false);
    store = openStore(dataDir, { noSync: true });
    expect(store.oneTimeLinks.findByValue("invite", value, now)).toMatchObject({ kind: "invite", plan: "agency", email: null });
    for (const wrong of ["", value.slice(1), value.toLowerCase(), "\0", "x".repeat(100_000)])
      expect(store.oneTimeLinks.findByValue("invite", wrong, now)).toBeUndefined();
  });

  test("works only for its own kind", async () => {
    const [invite, reset] = [await linkTo(invitation(null)), await linkTo({ kind: "reset", accountId: 1 })];
    expect(await store.redemptions.resetPassword(invite, "stolen", now)).toBe("link-invalid");
    expect(await signUp("invite", reset, "two@site.example")).toBe("link-invalid");
    expect(await signUp("setup", invite, "two@site.example")).toBe("link-invalid");
    expect(store.credentials.get(1).passwordHash).toBe("first");
    expect(store.accounts.list()).toHaveLength(1);
  });

  test("expires", async () => {
    const [invite, reset] = [await linkTo(invitation(null)), await linkTo({ kind: "reset", accountId: 1 })];
    expect(store.oneTimeLinks.findByValue("invite", invite, hoursLater(167.9))).toBeDefined();
    expect(await signUp("invite", invite, "two@site.example", hoursLater(168))).toBe("link-invalid");
    expect(store.oneTimeLinks.findByValue("reset", reset, hoursLater(23.9))).toBeDefined();
    expect(await store.redemptions.resetPassword(reset, "late", hoursLater(24))).toBe("link-invalid");
  });

  test("is refused while a thousand are open", async () => {
    for (let count = 0; count < 1_000; count++) await linkTo(invitation(null));
    expect(await store.oneTimeLinks.create(invitation(null), now)).toBe("full");
    expect(typeof (await store.oneTimeLinks.create(invitation(null), hoursLater(168)))).toBe("object");
  });
});

describe("an invitation", () => {
  beforeEach(firstAccount);

  test("for one address refuses other addresses and stays valid", async () => {
    const value = await linkTo(invitation("You@site.example"));
    expect(await signUp("invite", value, "other@site.example")).toBe("email-not-invited");
    expect(await signUp("invite", value, " you@SITE.example ")).toMatchObject({ id: 2, plan: "agency", admin: false });
    expect(await signUp("invite", value, "you@site.example")).toBe("link-invalid");
  });

  test("without address creates one account on its plan", async () => {
    const value = await linkTo(invitation(null));
    expect(await signUp("invite", value, "first@site.example")).toBe("email-taken");
    expect(await signUp("invite", value, "nonsense")).toBe("email-invalid");
    const outcomes = await Promise.all(["a@site.example", "b@site.example"].map((email) => signUp("invite", value, email)));
    expect(outcomes).toMatchObject([{ email: "a@site.example" }, "link-invalid"]);
  });

  test("is replaced by the next to the same address, and refused for an existing account", async () => {
    const [old, open, fresh] = [
      await linkTo(invitation("you@site.example")),
      await linkTo(invitation(null)),
      await linkTo(invitation("YOU@site.example")),
    ];
    expect([old, open, fresh].map((value) => store.oneTimeLinks.findByValue("invite", value, now) !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
    expect(await store.oneTimeLinks.create(invitation("first@site.example"), now)).toBe("email-taken");
    expect(await store.oneTimeLinks.create(invitation("first"), now)).toBe("email-invalid");
  });
});

describe("a reset", () => {
  beforeEach(firstAccount);

  test("sets the password once, ends sessions, keeps the second factor", async () => {
    const totp = { secret: "SECRET", confirmedAt: now.toISOString(), lastUsedStep: 1 };
    await store.credentials.change(1, { totp }, { reopen: null });
    const session = await store.sessions.open({ accountId: 1, verifiedPasswordHash: "first", origin, now });
    const value = await linkTo({ kind: "reset", accountId: 1 });
    const outcomes = await Promise.all([
      store.redemptions.resetPassword(value, "mine", now),
      store.redemptions.resetPassword(value, "theirs", now),
    ]);
    expect(outcomes).toMatchObject([{ id: 1 }, "link-invalid"]);
    expect(store.credentials.get(1)).toMatchObject({ passwordHash: "mine", totp });
    expect(store.sessions.findByValue(session?.value ?? "", now)).toBeUndefined();
  });

  test("of a disabled account has no effect, also after enabling", async () => {
    const value = await linkTo({ kind: "reset", accountId: 1 });
    await store.accounts.setDisabled(1, true);
    expect(await store.redemptions.resetPassword(value, "back", now)).toBe("link-invalid");
    await store.accounts.setDisabled(1, false);
    expect(await store.redemptions.resetPassword(value, "back", now)).toBe("link-invalid");
  });
});
