/** Redemption of one-time links: one transaction applies and removes the link, so that none works twice. */
import { emailKey } from "./account-index.ts";
import { type Account, type AccountRefusal, putAccount } from "./accounts.ts";
import { noteAccount } from "./audit.ts";
import { putCredentials } from "./credentials.ts";
import type { Db } from "./database.ts";
import { openLink, removeResetLinksOf } from "./one-time-links.ts";
import { hashOfSecret } from "./secret-value.ts";
import { endSessionsOf } from "./sessions.ts";

export function redemptionRepository(db: Db) {
  return {
    /** Creates the account of a `setup` or `invite` link and voids the link, or changes nothing. */
    signUp: (
      kind: "setup" | "invite",
      value: string,
      { email, passwordHash, now }: { readonly email: string; readonly passwordHash: string; readonly now: Date },
    ): Promise<Account | AccountRefusal | "link-invalid" | "email-not-invited"> =>
      db.write(() => {
        const link = openLink(db, kind, value, now);
        if (link === undefined) return "link-invalid";
        if (link.email !== null && emailKey(link.email) !== emailKey(email)) return "email-not-invited";
        const account = putAccount(db, { email, plan: link.plan, admin: link.admin, passwordHash, now, by: "self", via: kind });
        if (typeof account !== "string") db.oneTimeLinks.remove(hashOfSecret(value));
        return account;
      }),

    /** Sets the password, ends the account's sessions and voids its reset links. The second factor stays. */
    resetPassword: (value: string, passwordHash: string, now: Date): Promise<Account | "link-invalid"> =>
      db.write(() => {
        const accountId = openLink(db, "reset", value, now)?.accountId;
        const account = typeof accountId === "number" ? db.accounts.get(accountId) : undefined;
        if (account === undefined || account.disabled) return "link-invalid";
        putCredentials(db, account.id, { passwordHash });
        noteAccount(db, account.id, "password.changed", { by: "self", details: { via: "reset" }, now });
        endSessionsOf(db, account.id);
        removeResetLinksOf(db, account.id);
        return account;
      }),
  };
}
