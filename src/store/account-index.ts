/** Plans of accounts, the form of their mail addresses, and the lookup by address. */
import type { Db } from "./database.ts";

export const plans = ["free", "agency"] as const;
/** API access is part of `agency` (specification, section 5). */
export type Plan = (typeof plans)[number];

/** Characters of a mail address: RFC 5321 section 4.5.3.1.3, less the angle brackets. */
export const emailCharsMax = 254;

/** Minimal syntax check: one `@` with text on both sides and no blanks. Only a delivered mail proves an address. */
export function isEmail(address: string): boolean {
  // Control characters would reach log lines, terminals and mail headers.
  return address.length <= emailCharsMax && /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u.test(address);
}

/** Normalised address: no two accounts differ by case alone. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** Undefined for an unknown or malformed address. */
export function accountIdByEmail(db: Pick<Db, "accountIdsByEmail">, email: string): number | undefined {
  return isEmail(email.trim()) ? db.accountIdsByEmail.get(emailKey(email)) : undefined;
}

export function hasAccounts(db: Pick<Db, "accounts">): boolean {
  return db.accounts.getCount({ limit: 1 }) > 0;
}
