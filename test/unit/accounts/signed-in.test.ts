/** Who a session belongs to, also while its account is being removed. */
import { expect, test } from "vitest";
import { signedInBy } from "../../../src/accounts/token-operations.ts";
import type { Account } from "../../../src/store/accounts.ts";
import type { Store } from "../../../src/store/store.ts";

const now = new Date("2026-03-05T10:00:00Z");
const session = { id: 1, accountId: 7 };

function storeWith(account: Partial<Account> | undefined) {
  const sessions = { findByValue: (value: string) => (value === "known" ? session : undefined) };
  return { sessions, accounts: { findById: (id: number) => (id === 7 ? account : undefined) } } as unknown as Pick<
    Store,
    "sessions" | "accounts"
  >;
}

test.each([
  ["a known session", "known", { id: 7, disabled: false }, true],
  ["no session", null, { id: 7, disabled: false }, false],
  ["an ended session", "ended", { id: 7, disabled: false }, false],
  ["a session of a disabled account", "known", { id: 7, disabled: true }, false],
  ["a session whose account is gone", "known", undefined, false],
] as const)("%s", (_what, value, account, isSignedIn) => {
  expect(signedInBy(storeWith(account), value, now)).toEqual(isSignedIn ? { account: { id: 7, disabled: false }, session } : null);
});
