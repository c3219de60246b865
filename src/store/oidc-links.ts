/** Links between accounts and identities of an identity provider. A link is part of the account's credentials. */
import { accountIdByEmail, hasAccounts } from "./account-index.ts";
import { type Account, type AccountRefusal, type Plan, putAccount } from "./accounts.ts";
import { noteAccount, serverActor } from "./audit.ts";
import { type Identity, identityKey, type OidcLink, putCredentials } from "./credentials.ts";
import type { Db } from "./database.ts";
import { reads, transactions } from "./methods.ts";

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
  return { ...reads(db, { ofAccount: linkOf, findAccount: accountOf }), ...transactions(db, { refresh, attach, create }) };
}

/** Null without a link. */
function linkOf(db: Db, accountId: number): OidcLink | null {
  return db.credentials.get(accountId)?.oidc ?? null;
}

/** Undefined for an identity without an account. */
function accountOf(db: Db, identity: Identity): Account | undefined {
  const id = db.accountIdsByIdentity.get(identityKey(identity));
  return id === undefined || id === 0 ? undefined : db.accounts.get(id);
}

/** Applies what groups give now to the account of the identity. Undefined for an identity without an account. */
function refresh(db: Db, signIn: LinkedSignIn): Account | undefined {
  const account = accountOf(db, signIn.identity);
  const link = account === undefined ? null : linkOf(db, account.id);
  return account === undefined || link === null ? undefined : putSignIn(db, account, link, signIn);
}

/**
 * Links the identity to an account. `taken`: one of both has another link, the account is gone or disabled, or its password is not
 * `verifiedPasswordHash` any more.
 */
function attach(db: Db, accountId: number, verifiedPasswordHash: string | null, signIn: LinkedSignIn): Account | "taken" {
  const account = db.accounts.get(accountId);
  if (account === undefined || account.disabled) return "taken";
  if (linkOf(db, accountId) !== null || accountOf(db, signIn.identity) !== undefined) return "taken";
  if ((db.credentials.get(accountId)?.passwordHash ?? null) !== verifiedPasswordHash) return "taken";
  return putSignIn(db, account, null, signIn);
}

/** Creates an account without a password. `not-first`: the first account is an administrator, which no provider may create. */
function create(db: Db, email: string, signIn: LinkedSignIn): Account | AccountRefusal | "taken" | "not-first" {
  if (!hasAccounts(db)) return "not-first";
  if (accountIdByEmail(db, email) !== undefined) return "email-taken";
  if (accountOf(db, signIn.identity) !== undefined) return "taken";
  const account = putAccount(db, { email, plan: signIn.defaultPlan, now: signIn.now, by: "self", via: "identity" });
  return typeof account === "string" ? account : putSignIn(db, account, null, signIn);
}

/** Applies a sign-in to an account; `former` is null for a new link. Only within a transaction. */
function putSignIn(db: Db, account: Account, former: OidcLink | null, { identity, grants, defaultPlan, now }: LinkedSignIn): Account {
  const { id } = account;
  const { issuer, subject } = identity;
  const link = former ?? { issuer, subject, linkedAt: now.toISOString(), granted: { plan: false, admin: false } };
  const plan = grants.plan ?? (link.granted.plan ? defaultPlan : account.plan);
  const admin = grants.admin || (account.admin && !link.granted.admin);
  // A role that an operator gave stays when the group goes.
  const granted = { plan: grants.plan !== null, admin: grants.admin && (link.granted.admin || !account.admin) };
  const next: Account = { ...account, plan, admin };
  const via = "groups";
  if (plan !== account.plan) noteAccount(db, id, "plan.changed", { by: serverActor, details: { from: account.plan, to: plan, via }, now });
  if (admin !== account.admin) noteAccount(db, id, "role.changed", { by: serverActor, details: { admin, via }, now });
  const action = former === null ? "identity.linked" : "sign-in.identified";
  noteAccount(db, id, action, { by: "self", details: { issuer }, now });
  db.accounts.put(id, next);
  putCredentials(db, id, { oidc: { ...link, granted } });
  return next;
}
