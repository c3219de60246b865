/** Plans of accounts, and the lookup by mail address. */
import { emailCharsMax } from "../parse/mail/address.ts";
import type { Db } from "./database.ts";

export const plans = ["free", "agency"] as const;
/** API access is part of `agency` (specification, section 5). */
export type Plan = (typeof plans)[number];

/** Normalised address: no two accounts differ by case alone. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** Undefined for an unknown address. Accounts of older releases may have an address that is refused today. */
export function accountIdByEmail(db: Pick<Db, "accountIdsByEmail">, email: string): number | undefined {
  const key = emailKey(email);
  return key === "" || key.length > emailCharsMax ? undefined : db.accountIdsByEmail.get(key);
}

export function hasAccounts(db: Pick<Db, "accounts">): boolean {
  return db.accounts.getCount({ limit: 1 }) > 0;
}
