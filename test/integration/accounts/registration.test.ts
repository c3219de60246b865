/** Registration: no open sign-up for the first account, and one account per link. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAccountActions } from "../../../src/accounts/account-actions.ts";
import { type AccountFixture, accountFixture, callerAt, email, password, testPasswordCost } from "../../support/account-fixture.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const caller = callerAt("192.0.2.7");
const registration = { email: "you@assay.test", password };
let fixture: AccountFixture;

beforeEach(async () => {
  fixture = await accountFixture();
});
afterEach(() => fixture.stop());

async function invitation(address: string | null = null): Promise<string> {
  const made = await fixture.store.oneTimeLinks.create({ kind: "invite", email: address, plan: "agency", admin: false }, fixture.now());
  return typeof made === "string" ? made : made.value;
}

describe("open sign-up", () => {
  test("creates a signed-in account on the default plan, never an administrator", async () => {
    const outcome = await fixture.actions.signUp(registration, "free", caller);
    if (outcome.status !== "registered") throw new Error(outcome.status);
    expect(outcome.account).toMatchObject({ id: 2, plan: "free", admin: false });
    expect(fixture.store.sessions.findByValue(outcome.opened?.value ?? "", fixture.now())?.accountId).toBe(2);
  });

  test("does not create the first account", async () => {
    const { store, stop } = temporaryStore();
    const actions = createAccountActions({ store, passwordCharsMin: 12, passwordCost: testPasswordCost, now: fixture.now });
    expect(await actions.signUp(registration, "free", caller)).toEqual({ status: "refused", fault: "not-set-up" });
    expect(store.accounts.hasAny()).toBe(false);
    await stop();
  });

  test("refuses a used address and an invalid password", async () => {
    expect(await fixture.actions.signUp({ email: " ME@assay.test", password }, "free", caller)).toEqual({
      status: "refused",
      fault: "email-taken",
    });
    expect(await fixture.actions.signUp({ email: "none", password }, "free", caller)).toEqual({
      status: "refused",
      fault: "email-invalid",
    });
    expect(await fixture.actions.signUp({ ...registration, password: "short" }, "free", caller)).toEqual({
      status: "refused",
      fault: "too-short",
    });
    const both = await Promise.all([
      fixture.actions.signUp(registration, "free", caller),
      fixture.actions.signUp(registration, "free", caller),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["refused", "registered"]);
  });

  test("is throttled for one address, whether or not accounts exist", async () => {
    const statuses: string[] = [];
    for (let count = 0; count < 13; count++) statuses.push((await fixture.actions.signUp({ email, password }, "free", caller)).status);
    expect(statuses).toEqual([...Array(11).fill("refused"), "throttled", "throttled"]);
    expect((await fixture.actions.signUp(registration, "free", callerAt("198.51.100.9"))).status).toBe("registered");
    const ofOneCustomer = Array.from({ length: 13 }, (_, number) => callerAt(`2001:db8:7:${number}::`));
    const outcomes = await Promise.all(ofOneCustomer.map((one) => fixture.actions.signUp({ email, password: "short" }, "free", one)));
    expect(outcomes.filter(({ status }) => status === "throttled")).toHaveLength(2);
  });
});

describe("by link", () => {
  test("an invitation is used up by a registration, not by a failed attempt", async () => {
    const value = await invitation("you@assay.test");
    expect(await fixture.actions.signUpByLink("invite", value, { ...registration, password: "short" }, caller)).toMatchObject({
      fault: "too-short",
    });
    expect(await fixture.actions.signUpByLink("invite", value, { ...registration, email: "x@assay.test" }, caller)).toMatchObject({
      fault: "email-not-invited",
    });
    expect(await fixture.actions.signUpByLink("invite", value, registration, caller)).toMatchObject({
      status: "registered",
      account: { plan: "agency" },
    });
    expect(await fixture.actions.signUpByLink("invite", value, registration, caller)).toMatchObject({ fault: "link-invalid" });
  });

  test("attempts that reveal accounts are throttled; successful invitations are not", async () => {
    const names = Array.from({ length: 30 }, (_, number) => `${number}@assay.test`);
    for (const name of names) {
      const value = await invitation(name);
      expect(await fixture.actions.signUpByLink("invite", value, { email: name, password }, caller)).toMatchObject({
        status: "registered",
      });
    }
    const value = await invitation(null);
    const statuses: string[] = [];
    for (const name of names)
      statuses.push((await fixture.actions.signUpByLink("invite", value, { email: name, password }, caller)).status);
    expect(statuses).toEqual([...Array(11).fill("refused"), ...Array(19).fill("throttled")]);
  });

  test("an unknown link costs no hash", async () => {
    const hash = vi.spyOn(Bun.password, "hash");
    for (let count = 0; count < 200; count++)
      expect(await fixture.actions.signUpByLink("invite", "0".repeat(43), registration, caller)).toMatchObject({ fault: "link-invalid" });
    for (let count = 0; count < 200; count++)
      expect(await fixture.actions.resetPassword("0".repeat(43), password)).toMatchObject({ fault: "link-invalid" });
    expect(hash).not.toHaveBeenCalled();
    hash.mockRestore();
  });

  test("a reset opens no session, ends all sessions, and works once", async () => {
    const signedIn = await fixture.actions.signIn({ email, password, caller });
    const made = await fixture.store.oneTimeLinks.create({ kind: "reset", accountId: 1 }, fixture.now());
    const value = typeof made === "string" ? made : made.value;
    expect(await fixture.actions.resetPassword(value, "short")).toMatchObject({ fault: "too-short" });
    const both = await Promise.all(["another long one", "yet another one"].map((one) => fixture.actions.resetPassword(value, one)));
    expect(both.map(({ status }) => status).sort()).toEqual(["refused", "reset"]);
    expect(fixture.store.sessions.listOfAccount(1, fixture.now())).toEqual([]);
    expect(signedIn.status).toBe("signed-in");
  });
});
