/** Credential changes: require the password and end all other sessions. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountFixture, accountFixture, callerAt, codeAt, email, password } from "../../support/account-fixture.ts";

const caller = callerAt("192.0.2.7");
let fixture: AccountFixture;

beforeEach(async () => {
  fixture = await accountFixture();
});
afterEach(() => fixture.stop());

function proof(typed = password) {
  return { account: fixture.account, password: typed, caller };
}

async function signedInTwice(): Promise<readonly string[]> {
  const steps = [await fixture.actions.signIn({ email, password, caller }), await fixture.actions.signIn({ email, password, caller })];
  return steps.map((step) => (step.status === "signed-in" ? step.opened.value : ""));
}

function isOpen(value: string): boolean {
  return fixture.store.sessions.findByValue(value, fixture.now()) !== undefined;
}

async function enrol(): Promise<string> {
  const secret = (await fixture.actions.offerTotp(fixture.account)) ?? "";
  expect((await fixture.actions.confirmTotp(proof(), codeAt(secret, fixture.now()))).status).toBe("changed");
  return secret;
}

describe("a new password", () => {
  test("ends all sessions, opens a new one, and replaces the old password", async () => {
    const before = await signedInTwice();
    const outcome = await fixture.actions.changePassword(proof(), "another long one");
    if (outcome.status !== "changed") throw new Error(outcome.status);
    expect(before.map(isOpen)).toEqual([false, false]);
    expect(isOpen(outcome.opened.value)).toBe(true);
    expect((await fixture.actions.signIn({ email, password, caller })).status).toBe("refused");
    expect((await fixture.actions.signIn({ email, password: "another long one", caller })).status).toBe("signed-in");
  });

  test.each(["short", "passwordpassword", email, "x".repeat(257)])("that is invalid changes nothing: %s", async (weak) => {
    const [session = ""] = await signedInTwice();
    expect((await fixture.actions.changePassword(proof(), weak)).status).toBe("refused");
    expect(isOpen(session)).toBe(true);
  });

  test("one of two parallel changes wins", async () => {
    const outcomes = await Promise.all([
      fixture.actions.changePassword(proof(), "another long one"),
      fixture.actions.changePassword(proof(), "yet another one"),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["changed", "wrong-password"]);
  });
});

describe("without the password", () => {
  test("nothing changes, and attempts with a stolen session are throttled", async () => {
    const [session = ""] = await signedInTwice();
    const secret = await enrol();
    const before = fixture.store.credentials.get(1);
    const attempts = [
      fixture.actions.changePassword(proof("wrong"), "another long one"),
      fixture.actions.changeEmail(proof("wrong"), "attacker@assay.test"),
      fixture.actions.removeTotp(proof("wrong")),
      fixture.actions.renewRecoveryCodes(proof("wrong")),
    ];
    for (const attempt of await Promise.all(attempts)) expect(attempt).toEqual({ status: "wrong-password" });
    expect(isOpen(session)).toBe(false);
    expect(fixture.store.credentials.get(1)).toEqual(before);
    for (let count = 0; count < 3; count++) await fixture.actions.removeTotp(proof("wrong"));
    expect(await fixture.actions.removeTotp(proof())).toMatchObject({ status: "throttled" });
    expect(secret).toHaveLength(32);
  });
});

describe("the second factor", () => {
  test("is active after the first valid code", async () => {
    const [session = ""] = await signedInTwice();
    const secret = (await fixture.actions.offerTotp(fixture.account)) ?? "";
    expect(fixture.actions.offeredTotp(fixture.account)).toBe(secret);
    expect((await fixture.actions.signIn({ email, password, caller })).status).toBe("signed-in");
    expect((await fixture.actions.confirmTotp(proof(), "000000")).status).toBe("wrong-code");
    expect((await fixture.actions.confirmTotp(proof("wrong"), codeAt(secret, fixture.now()))).status).toBe("wrong-password");
    const outcome = await fixture.actions.confirmTotp(proof(), codeAt(secret, fixture.now()));
    if (outcome.status !== "changed") throw new Error(outcome.status);
    expect(new Set(outcome.recoveryCodes).size).toBe(10);
    expect([isOpen(session), isOpen(outcome.opened.value)]).toEqual([false, true]);
    expect(fixture.actions.offeredTotp(fixture.account)).toBeNull();
    expect((await fixture.actions.signIn({ email, password, caller })).status).toBe("second-factor");
  });

  test("cannot be replaced while active, only removed", async () => {
    await enrol();
    expect(await fixture.actions.offerTotp(fixture.account)).toBeNull();
    expect((await fixture.actions.confirmTotp(proof(), "000000")).status).toBe("not-offered");
    expect((await fixture.actions.removeTotp(proof())).status).toBe("changed");
    expect(fixture.store.credentials.get(1)).toMatchObject({ totp: null, recoveryCodeHashes: [] });
    expect((await fixture.actions.signIn({ email, password, caller })).status).toBe("signed-in");
  });

  test("gets ten new recovery codes; the old ones are void", async () => {
    await enrol();
    const before = fixture.store.credentials.get(1).recoveryCodeHashes;
    const outcome = await fixture.actions.renewRecoveryCodes(proof());
    expect(outcome.status).toBe("changed");
    const after = fixture.store.credentials.get(1).recoveryCodeHashes;
    expect([after.length, after.filter((hash) => before.includes(hash))]).toEqual([10, []]);
  });

  test("has no recovery codes before it exists", async () => {
    expect((await fixture.actions.renewRecoveryCodes(proof())).status).toBe("not-offered");
  });
});

describe("a new mail address", () => {
  test("is required at sign-in; sessions stay open", async () => {
    const [session = ""] = await signedInTwice();
    expect(await fixture.actions.changeEmail(proof(), " New@assay.test ")).toMatchObject({
      status: "renamed",
      account: { email: "New@assay.test" },
    });
    expect(isOpen(session)).toBe(true);
    expect((await fixture.actions.signIn({ email, password, caller })).status).toBe("refused");
    expect((await fixture.actions.signIn({ email: "new@ASSAY.test", password, caller })).status).toBe("signed-in");
    expect(fixture.store.accounts.findByEmail(email)).toBeUndefined();
  });

  test("attempts are throttled, because each reveals whether an account exists", async () => {
    await fixture.store.accounts.create({ email: "other@assay.test", now: fixture.now() });
    const statuses: string[] = [];
    for (let count = 0; count < 13; count++) statuses.push((await fixture.actions.changeEmail(proof(), "other@assay.test")).status);
    expect(statuses).toEqual([...Array(11).fill("refused"), "throttled", "throttled"]);
  });

  test("must be valid and unused; another case of the own address is allowed", async () => {
    await fixture.store.accounts.create({ email: "other@assay.test", now: fixture.now() });
    expect(await fixture.actions.changeEmail(proof(), "OTHER@assay.test")).toEqual({ status: "refused", fault: "email-taken" });
    for (const none of ["", "none", "a@b\r\nBcc: c@d", "a@b\u202e"])
      expect(await fixture.actions.changeEmail(proof(), none)).toEqual({ status: "refused", fault: "email-invalid" });
    expect((await fixture.actions.changeEmail(proof(), "ME@assay.test")).status).toBe("renamed");
    expect(fixture.store.accounts.findByEmail(email)?.id).toBe(1);
  });
});
