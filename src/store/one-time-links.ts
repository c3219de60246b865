/** One-time links for the first account, invitations and password resets: shown once, stored only as SHA-256, removed on use. */
import { hourMs } from "../base/units.ts";
import { isEmail } from "../parse/mail/address.ts";
import { accountIdByEmail, emailKey, hasAccounts, type Plan, plans } from "./account-index.ts";
import { type Account, type AccountRefusal, endAccess, type NewAccount, putAccount } from "./accounts.ts";
import { type Actor, noteAccount, putAudit, serverActor } from "./audit.ts";
import { putCredentials } from "./credentials.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { reads, transactions } from "./methods.ts";
import { hashOfSecret, isSecretValue, newSecretValue } from "./secret-value.ts";
import { openInvitation } from "./site-accounts.ts";

const linkKinds = ["setup", "invite", "reset"] as const;
export type LinkKind = (typeof linkKinds)[number];

/** Lifetimes. Invitations last longer, because an invited person may be on holiday. */
export const linkHours: Readonly<Record<LinkKind, number>> = { setup: 24, invite: 7 * 24, reset: 24 };
/** Open links of all kinds: bounds the disk space. */
const linksMax = 1_000;

const oneTimeLinkRow = stored.row({
  kind: stored.oneOf(linkKinds),
  /** Account of a `reset`; null otherwise. */
  accountId: stored.orNull(stored.id),
  /** The only address that may use it; null: any address. */
  email: stored.orNull(stored.text),
  plan: stored.oneOf(plans),
  admin: stored.flag,
  /** ISO 8601, UTC. */
  expiresAt: stored.time,
});
export type OneTimeLink = Static<typeof oneTimeLinkRow>;

/** Keyed by the SHA-256 of the link's value. Invitations of an address are removed with its account. */
export const oneTimeLinksTable = defineTable({
  row: oneTimeLinkRow,
  key: keyed<string>(),
  ofAccount: [
    {
      by: "row",
      test: (link: OneTimeLink, { id, email }) =>
        link.accountId === id || (link.email !== null && emailKey(link.email) === emailKey(email)),
    },
  ],
});

export type LinkPurpose =
  | { readonly kind: "setup" }
  | { readonly kind: "invite"; readonly email: string | null; readonly plan: Plan; readonly admin: boolean }
  | { readonly kind: "reset"; readonly accountId: number };

export interface IssuedLink {
  readonly link: OneTimeLink;
  /** Not stored; cannot be read again. */
  readonly value: string;
}

export function oneTimeLinkRepository(db: Db) {
  return { ...reads(db, { findByValue: openLink }), ...transactions(db, { create: createLink }) };
}

/** One transaction applies and removes a link, so that none works twice. */
export function redemptionRepository(db: Db) {
  return transactions(db, { signUp, signUpInvited, resetPassword });
}

/** Voids earlier links of the same kind and owner. `set-up`: an account exists already. `full`: `linksMax` links are open. */
function createLink(
  db: Db,
  purpose: LinkPurpose,
  now: Date,
  by: Actor = serverActor,
): IssuedLink | "set-up" | "email-invalid" | "email-taken" | "full" {
  const link = linkFor(purpose, now);
  if (link.kind === "setup" && hasAccounts(db)) return "set-up";
  if (link.email !== null && !isEmail(link.email)) return "email-invalid";
  if (link.email !== null && accountIdByEmail(db, link.email) !== undefined) return "email-taken";
  db.oneTimeLinks.removeAll({}, (other) => isLinkExpired(other, now) || replaces(link, other));
  if (db.oneTimeLinks.getCount({ limit: linksMax }) >= linksMax) return "full";
  const value = newSecretValue(db.clock);
  db.oneTimeLinks.put(hashOfSecret(value), link);
  const { kind, accountId, plan, admin } = link;
  const subject = accountId === null ? null : ({ kind: "account", id: accountId } as const);
  putAudit(db, { actor: by, action: "link.created", subject, details: kind === "reset" ? { kind } : { kind, plan, admin }, now });
  return { link, value };
}

/** Undefined if unknown, used, expired or of another kind. */
function openLink(db: Db, kind: LinkKind, value: string, now: Date): OneTimeLink | undefined {
  const link = isSecretValue(value) ? db.oneTimeLinks.get(hashOfSecret(value)) : undefined;
  if (link?.kind !== kind || isLinkExpired(link, now)) return undefined;
  return kind === "setup" && hasAccounts(db) ? undefined : link;
}

/** Creates the account of a `setup` or `invite` link and voids the link, or changes nothing. */
function signUp(
  db: Db,
  kind: "setup" | "invite",
  value: string,
  { email, ...credentials }: Required<Pick<NewAccount, "email" | "passwordHash" | "now">>,
): Account | AccountRefusal | "link-invalid" | "email-not-invited" {
  const link = openLink(db, kind, value, credentials.now);
  if (link === undefined) return "link-invalid";
  if (link.email !== null && emailKey(link.email) !== emailKey(email)) return "email-not-invited";
  const account = putAccount(db, { email, plan: link.plan, admin: link.admin, ...credentials, by: "self", via: kind });
  if (typeof account !== "string") db.oneTimeLinks.remove(hashOfSecret(value));
  return account;
}

/** Creates the account of an invited member. The invitation stays open: the member accepts it when signed in. */
function signUpInvited(
  db: Db,
  value: string,
  account: Required<Pick<NewAccount, "email" | "plan" | "passwordHash" | "now">>,
): Account | AccountRefusal | "link-invalid" | "email-not-invited" {
  const invitation = openInvitation(db, value, account.now);
  if (invitation === undefined) return "link-invalid";
  if (emailKey(invitation.email) !== emailKey(account.email)) return "email-not-invited";
  return putAccount(db, { ...account, by: "self", via: "member-invitation" });
}

/** Sets the password, ends the account's sessions and voids its reset links. The second factor stays. */
function resetPassword(db: Db, value: string, passwordHash: string, now: Date): Account | "link-invalid" {
  const accountId = openLink(db, "reset", value, now)?.accountId;
  const account = typeof accountId === "number" ? db.accounts.get(accountId) : undefined;
  if (account === undefined || account.disabled) return "link-invalid";
  putCredentials(db, account.id, { passwordHash });
  noteAccount(db, account.id, "password.changed", { by: "self", details: { via: "reset" }, now });
  endAccess(db, account.id);
  return account;
}

function linkFor(purpose: LinkPurpose, now: Date): OneTimeLink {
  const { kind } = purpose;
  return {
    kind,
    accountId: kind === "reset" ? purpose.accountId : null,
    email: kind === "invite" ? (purpose.email?.trim() ?? null) : null,
    plan: kind === "invite" ? purpose.plan : "agency",
    admin: kind === "invite" ? purpose.admin : kind === "setup",
    expiresAt: new Date(now.getTime() + linkHours[kind] * hourMs).toISOString(),
  };
}

/** Whether the newer link voids the other. Invitations without an address never replace each other. */
function replaces(newer: OneTimeLink, other: OneTimeLink): boolean {
  if (newer.kind !== other.kind || newer.accountId !== other.accountId) return false;
  return newer.kind !== "invite" || (newer.email !== null && other.email !== null && emailKey(newer.email) === emailKey(other.email));
}

function isLinkExpired({ expiresAt }: OneTimeLink, now: Date): boolean {
  return now.getTime() >= Date.parse(expiresAt);
}
