/** Accounts: plan, rights and display preferences. Credentials are in credentials.ts. */
import { isEmail } from "../parse/mail/address.ts";
import { accountIdByEmail, emailKey, hasAccounts, type Plan, plans } from "./account-index.ts";
import { type ChangedBy, noteAccount } from "./audit.ts";
import { putCredentials } from "./credentials.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, type Static, stored } from "./define-table.ts";
import { reads, transactions } from "./methods.ts";
import { endSessionsOf } from "./sessions.ts";

export { type Plan, plans } from "./account-index.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const accountRow = stored.row({
  id: stored.id,
  /** As entered; unique without regard to case. */
  email: stored.text,
  admin: stored.flag,
  plan: stored.oneOf(plans),
  /** Refuses its sessions, its API tokens and any sign-in. */
  disabled: stored.flag,
  /** Null: from the Accept-Language header. */
  locale: stored.orNull(stored.text),
  theme: stored.oneOf(themes),
  createdAt: stored.time,
});
export type Account = Static<typeof accountRow>;
/** Account whose records a use case reads or changes. */
export type RecordOwner = Pick<Account, "id">;

export const accountsTable = defineTable({
  row: accountRow,
  key: keyed<number>(),
  keyedBy: "id",
  indexes: { accountIdsByEmail: numberIndex(({ email, id }: Account): IndexRows<string, number> => [[emailKey(email), id]]) },
  ofAccount: [{ by: "key" }],
  keyIds: ["nextAccountId"],
});

export interface NewAccount {
  readonly email: string;
  readonly plan?: Plan | undefined;
  readonly admin?: boolean;
  /** In PHC string format; null: sign-in is not possible yet. */
  readonly passwordHash?: string | null;
  readonly now: Date;
  /** The server by default. */
  readonly by?: ChangedBy;
  /** Kind of the one-time link that creates it. */
  readonly via?: string;
}

export type AccountRefusal = "email-taken" | "email-invalid";

export function accountRepository(db: Db) {
  const findById = db.cacheReads((id: number) => db.accounts.get(id));
  return {
    findById,
    findByEmail: (email: string): Account | undefined => {
      const id = accountIdByEmail(db, email);
      return id === undefined ? undefined : findById(id);
    },
    list: (): readonly Account[] => db.accounts.values(),
    ...reads(db, { hasAny: hasAccounts }),
    ...transactions(db, { create: putAccount, setPlan, setDisabled, setEmail }),
    /** Creates the account unless one exists. */
    createFirst: (account: NewAccount) => db.write(() => (hasAccounts(db) ? "not-first" : putAccount(db, account))),
    /** Undefined for an unknown id. */
    setPreferences: (id: number, { locale, theme }: Partial<Pick<Account, "locale" | "theme">>): Promise<Account | undefined> =>
      db.write(() => db.accounts.update(id, () => ({ ...(locale !== undefined && { locale }), ...(theme !== undefined && { theme }) }))),
  };
}

/** Undefined for an unknown id. */
function setPlan(db: Db, id: number, plan: Plan, by?: ChangedBy): Account | undefined {
  return db.accounts.update(id, ({ plan: before }) => {
    if (before !== plan) noteAccount(db, id, "plan.changed", { by, details: { from: before, to: plan } });
    // A plan that an operator sets stays when a group that gave the former one goes.
    db.credentials.update(id, ({ oidc }) => (oidc ? { oidc: { ...oidc, granted: { ...oidc.granted, plan: false } } } : {}));
    return { plan };
  });
}

/** Disabling ends the account's sessions and voids its reset links; enabling restores neither. Undefined for an unknown id. */
function setDisabled(db: Db, id: number, disabled: boolean, by?: ChangedBy): Account | undefined {
  return db.accounts.update(id, ({ disabled: before }) => {
    if (before !== disabled) noteAccount(db, id, disabled ? "account.disabled" : "account.enabled", { by });
    if (disabled) endAccess(db, id);
    return { disabled };
  });
}

/** Ends the sessions of an account and voids its reset links; only within a transaction. */
export function endAccess(db: Db, id: number): void {
  endSessionsOf(db, id);
  db.oneTimeLinks.removeAll({}, ({ accountId }) => accountId === id);
}

/** Undefined for an unknown id. */
function setEmail(db: Db, id: number, email: string, by?: ChangedBy): Account | AccountRefusal | undefined {
  const address = email.trim();
  if (!db.accounts.doesExist(id)) return undefined;
  if (!isEmail(address)) return "email-invalid";
  const owner = accountIdByEmail(db, address);
  if (owner !== undefined && owner !== id) return "email-taken";
  noteAccount(db, id, "account.renamed", { by });
  return db.accounts.update(id, () => ({ email: address }));
}

/**
 * Writes an account and its credentials, or nothing on refusal. The first account is always an admin on the Agency plan. Only within a
 * transaction.
 */
export function putAccount(
  db: Db,
  { email, plan = "free", admin = false, passwordHash = null, now, by, via }: NewAccount,
): Account | AccountRefusal {
  const address = email.trim();
  if (!isEmail(address)) return "email-invalid";
  if (accountIdByEmail(db, address) !== undefined) return "email-taken";
  const id = db.next("nextAccountId");
  // Also after all accounts were deleted.
  const first = !hasAccounts(db);
  const account: Account = {
    id,
    email: address,
    admin: first || admin,
    plan: first ? "agency" : plan,
    disabled: false,
    locale: null,
    theme: "system",
    createdAt: now.toISOString(),
  };
  db.accounts.put(id, account);
  putCredentials(db, id, { passwordHash });
  const details = { plan: account.plan, admin: account.admin, ...(via === undefined ? {} : { via }) };
  noteAccount(db, id, "account.created", { by, details, now });
  return account;
}
