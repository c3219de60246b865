/** Sign-in: throttles, replays, races and disabled accounts. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPasswords, type Passwords } from "../../../src/accounts/passwords.ts";
import { createSignIn, type PasswordStep, parseRecoveryCode, type SignIn } from "../../../src/accounts/sign-in.ts";
import { createSignInThrottles } from "../../../src/accounts/throttles.ts";
import { type AccountFixture, accountFixture, callerAt, codeAt, email, password } from "../../support/account-fixture.ts";

const home = callerAt("192.0.2.7");
const elsewhere = callerAt("198.51.100.9");

let fixture: AccountFixture;

beforeEach(async () => {
  fixture = await accountFixture();
});
afterEach(() => fixture.stop());

function signIn(typed = password, caller = home, address = email): Promise<PasswordStep> {
  return fixture.actions.signIn({ email: address, password: typed, caller });
}

/** Activates the second factor. */
async function enrolled(): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[] }> {
  const secret = (await fixture.actions.offerTotp(fixture.account)) ?? "";
  const proof = { account: fixture.account, password, caller: home };
  const outcome = await fixture.actions.confirmTotp(proof, codeAt(secret, fixture.now()));
  if (outcome.status !== "changed") throw new Error(outcome.status);
  fixture.advanceSeconds(60);
  return { secret, recoveryCodes: outcome.recoveryCodes };
}

async function challenged(caller = home): Promise<string> {
  const step = await signIn(password, caller);
  if (step.status !== "second-factor") throw new Error(step.status);
  return step.challenge;
}

function prove(challenge: string, code: string, caller = home) {
  return fixture.actions.proveSecondFactor({ challenge, code, caller });
}

describe("the password", () => {
  test("opens a new session each time, with a truncated address", async () => {
    const [one, other] = [await signIn(), await signIn(password, home, " ME@Assay.test ")];
    if (one.status !== "signed-in" || other.status !== "signed-in") throw new Error("not signed in");
    expect(one.opened.value).not.toBe(other.opened.value);
    expect(one.opened.session).toMatchObject({ accountId: 1, address: "192.0.2.0", userAgent: "a browser" });
    expect(fixture.store.sessions.listOfAccount(1, fixture.now())).toHaveLength(2);
  });

  test("wrong password, unknown user and disabled account differ only in the log", async () => {
    expect(await signIn("something else")).toEqual({ status: "refused", because: "password", accountId: 1 });
    expect(await signIn(password, home, "nobody@assay.test")).toEqual({ status: "refused", because: "unknown", accountId: null });
    expect(await signIn(password, home, "not an address")).toEqual({ status: "refused", because: "unknown", accountId: null });
    await fixture.store.accounts.setDisabled(1, true);
    expect(await signIn()).toEqual({ status: "refused", because: "disabled", accountId: 1 });
    expect(fixture.store.sessions.listOfAccount(1, fixture.now())).toEqual([]);
  });

  test("of an account without one never matches", async () => {
    await fixture.store.credentials.change(1, { passwordHash: null }, { reopen: null });
    for (const typed of ["", password, "null"]) expect(await signIn(typed)).toMatchObject({ status: "refused" });
  });

  test("that changes during the comparison opens no session", async () => {
    const passwords = {
      ...fixture.actions.passwords,
      matches: async (...compared: Parameters<Passwords["matches"]>) => {
        const matches = await fixture.actions.passwords.matches(...compared);
        await fixture.store.credentials.change(1, { passwordHash: "changed meanwhile" }, { reopen: null });
        return matches;
      },
    };
    const throttles = createSignInThrottles(() => fixture.now().getTime());
    const late = createSignIn({ store: fixture.store, passwords, throttles, now: fixture.now });
    expect(await late.signIn({ email, password, caller: home })).toMatchObject({ status: "refused" });
    expect(fixture.store.sessions.listOfAccount(1, fixture.now())).toEqual([]);
  });
});

describe("guessing", () => {
  let quick: SignIn;

  // These tests count hundreds of attempts, which need no real hashes.
  beforeEach(() => {
    const matches = async (typed: string, hash: string | null) => hash !== null && typed === password;
    const passwords = { ...createPasswords({ charsMin: 12 }), matches };
    quick = createSignIn({
      store: fixture.store,
      passwords,
      throttles: createSignInThrottles(() => fixture.now().getTime()),
      now: fixture.now,
    });
  });

  function signIn(typed = password, caller = home, address = email): Promise<PasswordStep> {
    return quick.signIn({ email: address, password: typed, caller });
  }

  async function guess(count: number, caller = home, address = email): Promise<readonly PasswordStep[]> {
    const steps: PasswordStep[] = [];
    for (let number = 0; number < count; number++) steps.push(await signIn("wrong", caller, address));
    return steps;
  }

  test("is throttled after a few attempts, even with the right password", async () => {
    expect((await guess(7)).map(({ status }) => status)).toEqual([...Array(6).fill("refused"), "throttled"]);
    expect(await signIn()).toEqual({ status: "throttled", seconds: 1 });
    fixture.advanceSeconds(1);
    expect((await signIn()).status).toBe("signed-in");
    expect((await guess(1))[0]?.status).toBe("refused");
  });

  test("does not lock out the owner at another address", async () => {
    await guess(40);
    expect((await signIn(password, elsewhere)).status).toBe("signed-in");
  });

  test("from one IPv6 customer's addresses is throttled; the owner signs in from elsewhere", async () => {
    const steps: PasswordStep[] = [];
    for (let number = 0; number < 70; number++) steps.push(...(await guess(1, callerAt(`2001:db8:7:${number.toString(16)}::`))));
    expect(steps.filter(({ status }) => status === "refused")).toHaveLength(51);
    for (const elsewhere of ["2001:db8:8::", "192.0.2.99"]) expect((await signIn(password, callerAt(elsewhere))).status).toBe("signed-in");
  });

  test("by a flood from one IPv6 customer stops before it fills the memory", async () => {
    let refused = 0;
    for (let number = 0; number < 400; number++) {
      const [step] = await guess(1, callerAt(`2001:db8:7:${number.toString(16)}::`), `user${number}@assay.test`);
      if (step?.status === "refused") refused += 1;
    }
    expect(refused).toBe(301);
    expect((await signIn(password, callerAt("2001:db8:8::"))).status).toBe("signed-in");
  });

  test("is throttled alike for an unknown account", async () => {
    const [known, unknown] = [await guess(10), await guess(10, elsewhere, "nobody@assay.test")];
    expect(unknown.map(({ status }) => status)).toEqual(known.map(({ status }) => status));
  });

  test("in parallel gains nothing", async () => {
    const steps = await Promise.all(Array.from({ length: 40 }, () => signIn("wrong")));
    expect(steps.filter(({ status }) => status === "refused")).toHaveLength(6);
  });

  test("at many accounts from one address is throttled", async () => {
    const steps: string[] = [];
    for (let number = 0; number < 40; number++) steps.push((await guess(1, home, `user${number}@assay.test`))[0]?.status ?? "");
    expect(steps.filter((status) => status === "throttled").length).toBeGreaterThanOrEqual(8);
    expect((await signIn(password, elsewhere)).status).toBe("signed-in");
  });

  test("is not reset by a sign-in to the attacker's own account", async () => {
    for (let number = 0; number < 31; number++) {
      await guess(1, home, `user${number}@assay.test`);
      expect(["signed-in", "throttled"]).toContain((await signIn()).status);
    }
    expect((await guess(1, home, "user99@assay.test"))[0]?.status).toBe("throttled");
  });

  test("that was not checked, because the queue was full, does not count", async () => {
    const passwords = { ...createPasswords({ charsMin: 12 }), matches: async () => "busy" as const };
    const throttles = createSignInThrottles(() => fixture.now().getTime());
    const busy = createSignIn({ store: fixture.store, passwords, throttles, now: fixture.now });
    for (let number = 0; number < 50; number++) expect(await busy.signIn({ email, password, caller: home })).toEqual({ status: "busy" });
  });
});

describe("the second step", () => {
  test("accepts a TOTP code once", async () => {
    const { secret } = await enrolled();
    const code = codeAt(secret, fixture.now());
    expect(await prove(await challenged(), code)).toMatchObject({ status: "signed-in", by: "totp", recoveryCodesLeft: 10 });
    expect(await prove(await challenged(), code)).toEqual({ status: "wrong-code", accountId: 1 });
    fixture.advanceSeconds(30);
    expect((await prove(await challenged(), codeAt(secret, fixture.now()))).status).toBe("signed-in");
  });

  test("does not accept the confirmation code again", async () => {
    const secret = (await fixture.actions.offerTotp(fixture.account)) ?? "";
    const code = codeAt(secret, fixture.now());
    await fixture.actions.confirmTotp({ account: fixture.account, password, caller: home }, code);
    expect((await prove(await challenged(), code)).status).toBe("wrong-code");
  });

  test("accepts one of two parallel uses of a code", async () => {
    const { secret } = await enrolled();
    const code = codeAt(secret, fixture.now());
    const challenges = [await challenged(), await challenged(elsewhere)];
    const steps = await Promise.all(challenges.map((challenge) => prove(challenge, code)));
    expect(steps.map(({ status }) => status).sort()).toEqual(["signed-in", "wrong-code"]);
  });

  test("requires the password: a challenge is no session, and an unknown one is refused", async () => {
    const { secret } = await enrolled();
    const challenge = await challenged();
    expect(fixture.store.sessions.findByValue(challenge, fixture.now())).toBeUndefined();
    for (const invented of ["", "x", challenge.slice(1), "__proto__"])
      expect(await prove(invented, codeAt(secret, fixture.now()))).toEqual({ status: "over" });
  });

  test("ends after ten minutes, after five wrong codes, and on success", async () => {
    const { secret } = await enrolled();
    const slow = await challenged();
    fixture.advanceSeconds(600);
    expect(await prove(slow, codeAt(secret, fixture.now()))).toEqual({ status: "over" });
    const wrong = await challenged();
    for (let number = 0; number < 5; number++) expect((await prove(wrong, "000000")).status).toBe("wrong-code");
    expect(await prove(wrong, codeAt(secret, fixture.now()))).toEqual({ status: "over" });
    const done = await challenged();
    expect((await prove(done, codeAt(secret, fixture.now()))).status).toBe("signed-in");
    fixture.advanceSeconds(30);
    expect(await prove(done, codeAt(secret, fixture.now()))).toEqual({ status: "over" });
  });

  test("ends when the password changes or the account is disabled", async () => {
    const { secret, recoveryCodes } = await enrolled();
    const stale = await challenged();
    await fixture.store.credentials.change(
      1,
      { passwordHash: String(await fixture.actions.passwords.hash("another long one")) },
      { reopen: null },
    );
    expect(await prove(stale, codeAt(secret, fixture.now()))).toEqual({ status: "over" });
    const again = await signIn("another long one");
    if (again.status !== "second-factor") throw new Error(again.status);
    await fixture.store.accounts.setDisabled(1, true);
    expect(await prove(again.challenge, recoveryCodes[0] ?? "")).toEqual({ status: "over" });
  });

  test("allows five pending sign-ins per account and address; other addresses cannot drop them", async () => {
    const { secret } = await enrolled();
    const own = await challenged();
    const challenges: string[] = [];
    for (let number = 0; number < 6; number++) challenges.push(await challenged(elsewhere));
    expect(await prove(challenges[0] ?? "", codeAt(secret, fixture.now()))).toEqual({ status: "over" });
    expect((await prove(challenges[1] ?? "", codeAt(secret, fixture.now()))).status).toBe("signed-in");
    fixture.advanceSeconds(30);
    expect((await prove(own, codeAt(secret, fixture.now()))).status).toBe("signed-in");
  });

  test("accepts each recovery code once and reports how many are left", async () => {
    const { recoveryCodes } = await enrolled();
    const [code = ""] = recoveryCodes;
    expect(await prove(await challenged(), code.toLowerCase())).toMatchObject({
      status: "signed-in",
      by: "recovery-code",
      recoveryCodesLeft: 9,
    });
    expect((await prove(await challenged(), code)).status).toBe("wrong-code");
    expect(parseRecoveryCode(code)).toBe(code);
  });

  test("is throttled across all addresses; recovery codes still work", async () => {
    const { secret, recoveryCodes } = await enrolled();
    const statuses: string[] = [];
    for (let number = 0; number < 4; number++) {
      const caller = callerAt(`203.0.113.${number}`);
      const challenge = await challenged(caller);
      for (let wrong = 0; wrong < 5; wrong++) statuses.push((await prove(challenge, "000000", caller)).status);
    }
    expect(statuses.filter((status) => status === "wrong-code").length).toBeLessThanOrEqual(11);
    expect((await prove(await challenged(), codeAt(secret, fixture.now()))).status).toBe("throttled");
    expect((await prove(await challenged(), recoveryCodes[3] ?? "")).status).toBe("signed-in");
  });
});
