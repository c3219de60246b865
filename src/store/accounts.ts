/** Accounts: plan, rights and display preferences. Credentials are in credentials.ts. */
import { accountIdByEmail, emailKey, hasAccounts, isEmail, type Plan, plans } from "./account-index.ts";
import { type ChangedBy, noteAccount } from "./audit.ts";
import { putCredentials } from "./credentials.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, type Static, stored } from "./define-table.ts";
import { openLink, removeResetLinksOf } from "./one-time-links.ts";
import { hashOfSecret } from "./secret-value.ts";
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
  const get = (id: number): Account | undefined => db.accounts.get(id);
  /** Only within a transaction. */
  const change = (id: number, changed: Partial<Account>): Account | undefined => db.accounts.update(id, () => changed);

  return {
    /** The first account is always an admin on the Agency plan. */
    create: (account: NewAccount): Promise<Account | AccountRefusal> => db.write(() => putAccount(db, account)),
    /** Like `create`, but refused once an account exists. */
    createFirst: (account: NewAccount): Promise<Account | AccountRefusal | "not-first"> =>
      db.write(() => (hasAccounts(db) ? "not-first" : putAccount(db, account))),

    findById: db.cacheReads(get),

    findByEmail: (email: string): Account | undefined => {
      const id = accountIdByEmail(db, email);
      return id === undefined ? undefined : get(id);
    },

    list: (): readonly Account[] => db.accounts.values(),
    hasAny: (): boolean => hasAccounts(db),

    /** Undefined for an unknown id; likewise the methods below. */
    setPlan: (id: number, plan: Plan, by?: ChangedBy): Promise<Account | undefined> =>
      db.write(() => {
        const before = get(id)?.plan;
        if (before !== undefined && before !== plan) noteAccount(db, id, "plan.changed", { by, details: { from: before, to: plan } });
        keepPlanWithoutGroups(db, id);
        return change(id, { plan });
      }),

    /** Disabling ends the account's sessions and voids its reset links; enabling restores neither. */
    setDisabled: (id: number, disabled: boolean, by?: ChangedBy): Promise<Account | undefined> =>
      db.write(() => {
        const before = get(id)?.disabled;
        if (before !== undefined && before !== disabled) noteAccount(db, id, disabled ? "account.disabled" : "account.enabled", { by });
        const changed = change(id, { disabled });
        if (changed === undefined || !disabled) return changed;
        endSessionsOf(db, id);
        removeResetLinksOf(db, id);
        return changed;
      }),

    setPreferences: (id: number, { locale, theme }: Partial<Pick<Account, "locale" | "theme">>): Promise<Account | undefined> =>
      db.write(() => change(id, { ...(locale === undefined ? {} : { locale }), ...(theme === undefined ? {} : { theme }) })),

    setEmail: (id: number, email: string, by?: ChangedBy): Promise<Account | AccountRefusal | undefined> =>
      db.write(() => {
        const account = get(id);
        const address = email.trim();
        if (account === undefined) return undefined;
        if (!isEmail(address)) return "email-invalid";
        const owner = accountIdByEmail(db, address);
        if (owner !== undefined && owner !== id) return "email-taken";
        noteAccount(db, id, "account.renamed", { by });
        return change(id, { email: address });
      }),
  };
}

/** Writes an account and its credentials, or nothing on refusal. Only within a transaction. */
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

/** A plan that an operator sets stays when a group that gave the former one goes. */
function keepPlanWithoutGroups(db: Db, id: number): void {
  db.credentials.update(id, ({ oidc }) => (oidc ? { oidc: { ...oidc, granted: { ...oidc.granted, plan: false } } } : {}));
}

/** Redemption of one-time links: one transaction applies and removes the link, so that none works twice. */
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
