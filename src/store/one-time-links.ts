/** One-time links: the first account, an invitation, a new password. Handed out once, stored only as SHA-256, gone when used. */
import { accountIdByEmail, emailKey, hasAccounts, isEmail } from "./account-index.ts";
import type { Plan } from "./accounts.ts";
import type { Db } from "./database.ts";
import { hashOfSecret, isSecretValue, newSecretValue } from "./secret-value.ts";
import { hourMs } from "./whole-hours.ts";

const linkKinds = ["setup", "invite", "reset"] as const;
export type LinkKind = (typeof linkKinds)[number];

/** How long a link is good for: whoever makes one is about to hand it over; an invited person may be on holiday. */
export const linkHours: Readonly<Record<LinkKind, number>> = { setup: 24, invite: 7 * 24, reset: 24 };
/** Links that may be open at once, of all kinds: far more than an operator can hand out, far less than fills a disk. */
const linksMax = 1_000;

export interface OneTimeLink {
  readonly kind: LinkKind;
  /** Whose password a `reset` sets; null otherwise. */
  readonly accountId: number | null;
  /** The only address that may sign up by it; null leaves it open. */
  readonly email: string | null;
  readonly plan: Plan;
  readonly admin: boolean;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** What a new link is for. */
export type LinkPurpose =
  | { readonly kind: "setup" }
  | { readonly kind: "invite"; readonly email: string | null; readonly plan: Plan; readonly admin: boolean }
  | { readonly kind: "reset"; readonly accountId: number };

export interface HandedOutLink {
  readonly link: OneTimeLink;
  /** Known only here and now. */
  readonly value: string;
}

export interface OneTimeLinkRepository {
  /**
   * A new `setup` link voids the earlier ones, a new `reset` those of its account, a new `invite` those to its address.
   * `setup` is refused once there is an account, `email-invalid` is an invitation to what is no address, `full` is over 1,000 open links.
   */
  create(purpose: LinkPurpose, now: Date): Promise<HandedOutLink | "set-up" | "email-invalid" | "email-taken" | "full">;
  /** Undefined for one that is unknown, used, expired or of another kind. */
  findByValue(kind: LinkKind, value: string, now: Date): OneTimeLink | undefined;
}

export function oneTimeLinkRepository(db: Db): OneTimeLinkRepository {
  return {
    create: (purpose, now) =>
      db.write(() => {
        const link = linkFor(purpose, now);
        if (link.kind === "setup" && hasAccounts(db)) return "set-up";
        if (link.email !== null && !isEmail(link.email)) return "email-invalid";
        if (link.email !== null && accountIdByEmail(db, link.email) !== undefined) return "email-taken";
        removeLinks(db, (other) => isExpired(other, now) || replaces(link, other));
        if (db.oneTimeLinks.getCount({ limit: linksMax }) >= linksMax) return "full";
        const value = newSecretValue();
        db.oneTimeLinks.put(hashOfSecret(value), link);
        return { link, value };
      }),

    findByValue: (kind, value, now) => openLink(db, kind, value, now),
  };
}

/** The link of that kind and value, while it is good for something. */
export function openLink(db: Db, kind: LinkKind, value: string, now: Date): OneTimeLink | undefined {
  const link = isSecretValue(value) ? db.oneTimeLinks.get(hashOfSecret(value)) : undefined;
  if (link?.kind !== kind || isExpired(link, now)) return undefined;
  return kind === "setup" && hasAccounts(db) ? undefined : link;
}

/** Voids what would set an account's password; only within a transaction. */
export function removeResetLinksOf(db: Db, accountId: number): void {
  removeLinks(db, (link) => link.accountId === accountId);
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

/** Whether the newer of two links takes the place of the other. Invitations to nobody in particular stand side by side. */
function replaces(newer: OneTimeLink, other: OneTimeLink): boolean {
  if (newer.kind !== other.kind || newer.accountId !== other.accountId) return false;
  return newer.kind !== "invite" || (newer.email !== null && other.email !== null && emailKey(newer.email) === emailKey(other.email));
}

function isExpired({ expiresAt }: OneTimeLink, now: Date): boolean {
  return now.getTime() >= Date.parse(expiresAt);
}

function removeLinks(db: Db, isMeant: (link: OneTimeLink) => boolean): void {
  const meant = [...db.oneTimeLinks.getRange()].filter(({ value }) => isMeant(value));
  for (const { key } of meant) db.oneTimeLinks.remove(key);
}
