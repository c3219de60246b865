/** What is known of accounts without reading them: whether there are any, and what can be an address of one. */
import type { Db } from "./database.ts";

/** RFC 5321 section 4.5.3.1.3, less the angle brackets. */
const emailCharsMax = 254;

/** Only what nobody can doubt: one `@` with something on both sides, no blanks. Whether it is read by anyone, only a mail can tell. */
export function isEmail(address: string): boolean {
  // Control characters would reach log lines, terminals and one day mail headers.
  return address.length <= emailCharsMax && /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u.test(address);
}

export function hasAccounts(db: Pick<Db, "accounts">): boolean {
  return db.accounts.getCount({ limit: 1 }) > 0;
}
