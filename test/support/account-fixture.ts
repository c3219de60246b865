/** Fixture with a temporary store, a settable clock and one account with a password. */
import { TOTP } from "otpauth";
import { type AccountActions, createAccountActions } from "../../src/accounts/account-actions.ts";
import type { PasswordCost } from "../../src/accounts/passwords.ts";
import type { Caller } from "../../src/accounts/throttles.ts";
import type { Account } from "../../src/store/accounts.ts";
import type { Store } from "../../src/store/store.ts";
import { temporaryStore } from "./temporary-store.ts";

export const email = "me@assay.test";
export const password = "green lamps over Oslo";
/** The cheapest that argon2id has: most tests are not about the cost of a hash. */
export const testPasswordCost: PasswordCost = { memoryKib: 8, passes: 1 };

export interface AccountFixture {
  readonly dataDir: string;
  readonly store: Store;
  readonly actions: AccountActions;
  readonly account: Account;
  now(): Date;
  advanceSeconds(seconds: number): void;
  stop(): Promise<void>;
}

export async function accountFixture(): Promise<AccountFixture> {
  const { store, dataDir, stop } = temporaryStore();
  let nowMs = Date.parse("2026-11-21T12:00:00Z");
  const now = () => new Date(nowMs);
  const actions = createAccountActions({ store, passwordCharsMin: 12, passwordCost: testPasswordCost, now });
  const passwordHash = await actions.passwords.hash(password);
  const account = await store.accounts.create({ email, passwordHash, now: now() });
  if (typeof account === "string") throw new Error(account);
  return {
    dataDir,
    store,
    actions,
    account,
    now,
    advanceSeconds: (seconds) => {
      nowMs += seconds * 1_000;
    },
    stop,
  };
}

export function callerAt(address: string): Caller {
  return { address, userAgent: "a browser" };
}

/** TOTP code of the secret at an instant. */
export function codeAt(secret: string, now: Date): string {
  return new TOTP({ secret }).generate({ timestamp: now.getTime() });
}
