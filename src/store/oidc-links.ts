/** Links between accounts and identities of an identity provider. A link is part of the account's credentials. */
import { accountIdByEmail, hasAccounts } from "./account-index.ts";
import { type Account, type AccountRefusal, type Plan, putAccount } from "./accounts.ts";
import { putCredentials } from "./credentials.ts";
import type { Db } from "./database.ts";
import { type Identity, identityKey, type OidcLink } from "./oidc-identity.ts";

/** What the groups of an identity give. */
export interface Grants {
  /** Null: nothing about the plan. */
  readonly plan: Plan | null;
  readonly admin: boolean;
}

export interface LinkedSignIn {
  readonly identity: Identity;
  readonly grants: Grants;
  /** Plan of an account whose groups gave it another one before. */
  readonly defaultPlan: Plan;
  readonly now: Date;
}

export function oidcLinkRepository(db: Db) {
  /** Only within a transaction. */
  function put(
    account: Account,
    link: Omit<OidcLink, "granted">,
    { grants, defaultPlan }: LinkedSignIn,
    before: OidcLink["granted"],
  ): Account {
    const plan = grants.plan ?? (before.plan ? defaultPlan : account.plan);
    const admin = grants.admin || (account.admin && !before.admin);
    // A role that an operator gave stays when the group goes.
    const granted = { plan: grants.plan !== null, admin: grants.admin && (before.admin || !account.admin) };
    const next: Account = { ...account, plan, admin };
    if (plan !== account.plan || admin !== account.admin) db.accounts.put(account.id, next);
    putCredentials(db, account.id, { oidc: { ...link, granted } });
    return next;
  }

  const linkOf = (accountId: number): OidcLink | null => db.credentials.get(accountId)?.oidc ?? null;

  return {
    /** Null without a link. */
    ofAccount: linkOf,

    /** Undefined for an identity without an account. */
    findAccount: (identity: Identity): Account | undefined => accountOf(db, identity),

    /** Applies what groups give now to the account of the identity. Undefined for an identity without an account. */
    refresh: (signIn: LinkedSignIn): Promise<Account | undefined> =>
      db.write(() => {
        const account = accountOf(db, signIn.identity);
        const link = account === undefined ? null : linkOf(account.id);
        return account === undefined || link === null ? undefined : put(account, link, signIn, link.granted);
      }),

    /**
     * Links the identity to an account. `taken`: one of both has another link, the account is gone or disabled, or its password is not
     * `verifiedPasswordHash` any more.
     */
    attach: (accountId: number, verifiedPasswordHash: string | null, signIn: LinkedSignIn): Promise<Account | "taken"> =>
      db.write(() => {
        const account = db.accounts.get(accountId);
        if (account === undefined || account.disabled) return "taken";
        if (linkOf(accountId) !== null || accountOf(db, signIn.identity) !== undefined) return "taken";
        if ((db.credentials.get(accountId)?.passwordHash ?? null) !== verifiedPasswordHash) return "taken";
        return put(account, newLink(signIn), signIn, { plan: false, admin: false });
      }),

    /** Creates an account without a password. `not-first`: the first account is an administrator, which no provider may create. */
    create: (email: string, signIn: LinkedSignIn): Promise<Account | AccountRefusal | "taken" | "not-first"> =>
      db.write(() => {
        if (!hasAccounts(db)) return "not-first";
        if (accountIdByEmail(db, email) !== undefined) return "email-taken";
        if (accountOf(db, signIn.identity) !== undefined) return "taken";
        const account = putAccount(db, { email, plan: signIn.defaultPlan, now: signIn.now });
        return typeof account === "string" ? account : put(account, newLink(signIn), signIn, { plan: false, admin: false });
      }),
  };
}

function newLink({ identity: { issuer, subject }, now }: LinkedSignIn): Omit<OidcLink, "granted"> {
  return { issuer, subject, linkedAt: now.toISOString() };
}

function accountOf(db: Db, identity: Identity): Account | undefined {
  const id = db.accountIdsByIdentity.get(identityKey(identity));
  return id === undefined || id === 0 ? undefined : db.accounts.get(id);
}
