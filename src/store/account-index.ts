/** What is known of accounts without reading them: whether there are any, what can be a mail address of one, and whose it is. */
import type { Db } from "./database.ts";

/** Characters of a mail address: RFC 5321 section 4.5.3.1.3, less the angle brackets. */
export const emailCharsMax = 254;

/** Only what nobody can doubt: one `@` with something on both sides, no blanks. Whether it is read by anyone, only a mail can tell. */
export function isEmail(address: string): boolean {
  // Control characters would reach log lines, terminals and one day mail headers.
  return address.length <= emailCharsMax && /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u.test(address);
}

/** The form in which mail addresses are one: no two accounts differ by case alone. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** Undefined for an address that nobody has, and for what is none. */
export function accountIdByEmail(db: Pick<Db, "accountIdsByEmail">, email: string): number | undefined {
  return isEmail(email.trim()) ? db.accountIdsByEmail.get(emailKey(email)) : undefined;
}

export function hasAccounts(db: Pick<Db, "accounts">): boolean {
  return db.accounts.getCount({ limit: 1 }) > 0;
}
