/** An account room of its own for a test: a real store in a folder that goes away, a clock that the test turns, one account with a password. */
import { TOTP } from "otpauth";
import { type AccountActions, createAccountActions } from "../../src/account/account-actions.ts";
import type { Caller } from "../../src/account/caller.ts";
import type { Account } from "../../src/store/accounts.ts";
import type { Store } from "../../src/store/store.ts";
import { temporaryStore } from "./temporary-store.ts";

export const email = "me@assay.test";
export const password = "green lamps over Oslo";

export interface AccountRoom {
  readonly dataDir: string;
  readonly store: Store;
  readonly actions: AccountActions;
  readonly account: Account;
  now(): Date;
  passSeconds(seconds: number): void;
  stop(): Promise<void>;
}

export async function accountRoom(): Promise<AccountRoom> {
  const { store, dataDir, stop } = temporaryStore();
  let nowMs = Date.parse("2026-11-21T12:00:00Z");
  const now = () => new Date(nowMs);
  const actions = createAccountActions({ store, passwordCharsMin: 12, now });
  const passwordHash = await actions.passwords.hash(password);
  const account = await store.accounts.create({ email, passwordHash, now: now() });
  if (typeof account === "string") throw new Error(account);
  return {
    dataDir,
    store,
    actions,
    account,
    now,
    passSeconds: (seconds) => {
      nowMs += seconds * 1_000;
    },
    stop,
  };
}

/** Somebody at that address. */
export function callerAt(address: string): Caller {
  return { address, userAgent: "a browser" };
}

/** The code that an authenticator with that secret shows. */
export function codeAt(secret: string, now: Date): string {
  return new TOTP({ secret }).generate({ timestamp: now.getTime() });
}
