/** What an account keeps for all its sites: people who share them, the brand, and the rules of judging that were announced. */
import { hourMs } from "../base/units.ts";
import { parseImageSize } from "../parse/image-size.ts";
import { isEmail } from "../parse/mail/address.ts";
import { emailKey } from "./account-index.ts";
import { accountActor, noteAccount } from "./audit.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, recordKeys, type Static, stored } from "./define-table.ts";
import { reads, transactions } from "./methods.ts";
import { hashOfSecret, isSecretValue, newSecretValue } from "./secret-value.ts";
import type { RulesChangeData } from "./site-events.ts";
import { accountRange } from "./table.ts";

const membersMax = 100;
/** Open invitations of one account. */
export const memberInvitationsMax = 100;
export const memberInvitationHours = 7 * 24;

/** `viewer` reads the pages of the sites; `editor` changes sites, schedules and acceptances too. */
export const memberRoles = ["viewer", "editor"] as const;
export type MemberRole = (typeof memberRoles)[number];

const memberRow = stored.row({
  ownerId: stored.id,
  memberId: stored.id,
  role: stored.oneOf(memberRoles),
  since: stored.time,
});
export type Member = Static<typeof memberRow>;

export const membersTable = defineTable({
  row: memberRow,
  key: keyed<[ownerId: number, memberId: number]>(),
  indexes: {
    ownersByMember: numberIndex(
      ({ ownerId, memberId }: Member): IndexRows<[memberId: number, ownerId: number], number> => [[[memberId, ownerId], ownerId]],
      { recordKey: recordKeys.reversed },
    ),
  },
  ofAccount: [
    { by: "part", part: 0 },
    { by: "index", index: "ownersByMember" },
  ],
});

const invitationRow = stored.row({
  ownerId: stored.id,
  /** The only address that may accept it. */
  email: stored.text,
  role: stored.oneOf(memberRoles),
  expiresAt: stored.time,
});
export type MemberInvitation = Static<typeof invitationRow>;

/** Keyed by the SHA-256 of the link's value. */
export const memberInvitationsTable = defineTable({
  row: invitationRow,
  key: keyed<string>(),
  ofAccount: [{ by: "row", test: (one: MemberInvitation, { id, email }) => one.ownerId === id || emailKey(one.email) === emailKey(email) }],
});

export interface IssuedInvitation {
  readonly invitation: MemberInvitation;
  /** Value of the link; not stored. */
  readonly value: string;
}

/** Look of what an account gives to its clients. */
const brandRow = stored.row({
  name: stored.text,
  /** PNG, as base64; null without a logo. */
  logoPng: stored.orNull(stored.text),
  /** `#rrggbb`, legible on white; null for the default. */
  accent: stored.orNull(stored.text),
  footer: stored.orNull(stored.text),
});
export type StoredBrand = Static<typeof brandRow>;

export const brandsTable = defineTable({ row: brandRow, key: keyed<number>(), ofAccount: [{ by: "key" }] });

export function memberRepository(db: Db) {
  return {
    /** People who share the sites of the owner. */
    list: (ownerId: number): readonly Member[] => db.members.values(accountRange(ownerId)),
    /** Owners whose sites the account shares. */
    owners: (memberId: number): readonly Member[] =>
      [...db.ownersByMember.getKeys(accountRange(memberId))].flatMap(([, ownerId]) => db.members.get([ownerId, memberId]) ?? []),
    find: (ownerId: number, memberId: number): Member | undefined => db.members.get([ownerId, memberId]),
    invitations: (ownerId: number, now: Date): readonly MemberInvitation[] =>
      invitationsWhere(db, (one) => one.ownerId === ownerId && isOpen(one, now)),
    /** Open ones of all owners to an address. */
    invitationsTo: (email: string, now: Date): readonly MemberInvitation[] =>
      invitationsWhere(db, (one) => emailKey(one.email) === emailKey(email) && isOpen(one, now)),
    /** Whether an open invitation permits an account for the address, also while sign-up is closed. */
    isInvited: (email: string, now: Date): boolean =>
      invitationsWhere(db, (one) => emailKey(one.email) === emailKey(email) && permits(db, one, now)).length > 0,
    /** Removes expired invitations, and returns their number. */
    removeExpiredInvitations: async (now: Date): Promise<number> => {
      const isExpired = (one: MemberInvitation) => !isOpen(one, now);
      const { length } = invitationsWhere(db, isExpired);
      if (length > 0) await db.write(() => db.memberInvitations.removeAll({}, isExpired));
      return length;
    },
    ...reads(db, { findInvitation: openInvitation }),
    withdraw: (ownerId: number, email: string) =>
      db.write(() => db.memberInvitations.removeAll({}, (one) => one.ownerId === ownerId && emailKey(one.email) === emailKey(email))),
    ...transactions(db, { setRole, remove, invite, accept }),
  };
}

function setRole(db: Db, ownerId: number, memberId: number, role: MemberRole): Member | undefined {
  return db.members.update([ownerId, memberId], ({ role: from }) => {
    if (role !== from) noteAccount(db, ownerId, "member.role-changed", { by: "self", details: { member: memberId, from, to: role } });
    return { role };
  });
}

/** `by`: id of the owner, or of the member who leaves. */
function remove(db: Db, ownerId: number, memberId: number, by: number): boolean {
  const member = db.members.get([ownerId, memberId]);
  db.members.remove([ownerId, memberId]);
  if (member === undefined) return false;
  noteAccount(db, ownerId, "member.removed", { by: accountActor({ id: by }), details: { member: memberId, role: member.role } });
  return true;
}

/** `other-address`: the invitation names another mail address than the account. `own`: the sites are the account's own. */
function accept(db: Db, value: string, memberId: number, now: Date): Member | "unknown" | "other-address" | "own" | "full" {
  const invitation = openInvitation(db, value, now);
  const account = db.accounts.get(memberId);
  if (invitation === undefined || account === undefined) return "unknown";
  const { ownerId, role } = invitation;
  if (emailKey(account.email) !== emailKey(invitation.email)) return "other-address";
  if (ownerId === memberId) return "own";
  if (db.members.getKeysCount(accountRange(ownerId)) >= membersMax) return "full";
  const member: Member = { ownerId, memberId, role, since: now.toISOString() };
  db.members.put([ownerId, memberId], member);
  db.memberInvitations.remove(hashOfSecret(value));
  noteAccount(db, ownerId, "member.joined", { by: accountActor({ id: memberId }), now, details: { member: memberId, role } });
  return member;
}

/** Voids the earlier invitation of the same address. */
function invite(db: Db, given: Omit<MemberInvitation, "expiresAt">, now: Date): IssuedInvitation | "email-invalid" | "full" {
  const email = given.email.trim();
  if (!isEmail(email)) return "email-invalid";
  db.memberInvitations.removeAll(
    {},
    (one) => !isOpen(one, now) || (one.ownerId === given.ownerId && emailKey(one.email) === emailKey(email)),
  );
  const open = invitationsWhere(db, ({ ownerId }) => ownerId === given.ownerId).length;
  if (open >= memberInvitationsMax) return "full";
  const expiresAt = new Date(now.getTime() + memberInvitationHours * hourMs).toISOString();
  const invitation: MemberInvitation = { ...given, email, expiresAt };
  const value = newSecretValue(db.clock);
  db.memberInvitations.put(hashOfSecret(value), invitation);
  noteAccount(db, given.ownerId, "member.invited", { by: "self", now, details: { role: given.role } });
  return { invitation, value };
}

/** Undefined if unknown, used or expired, or if its owner is gone or disabled. */
export function openInvitation(db: Db, value: string, now: Date): MemberInvitation | undefined {
  const invitation = isSecretValue(value) ? db.memberInvitations.get(hashOfSecret(value)) : undefined;
  return invitation !== undefined && permits(db, invitation, now) ? invitation : undefined;
}

function permits(db: Db, invitation: MemberInvitation, now: Date): boolean {
  return isOpen(invitation, now) && db.accounts.get(invitation.ownerId)?.disabled === false;
}

function isOpen({ expiresAt }: MemberInvitation, now: Date): boolean {
  return now.getTime() < Date.parse(expiresAt);
}

function invitationsWhere(db: Db, matches: (invitation: MemberInvitation) => boolean): readonly MemberInvitation[] {
  return db.memberInvitations.values().filter(matches);
}

export function brandRepository(db: Db) {
  return {
    find: (accountId: number): StoredBrand | undefined => db.brands.get(accountId),
    ...transactions(db, { change: changeBrand }),
    remove: (accountId: number): Promise<void> => db.write(() => void db.brands.remove(accountId)),
  };
}

/** Stores what `update` makes of the stored brand, and returns it. What `update` throws rejects, and changes nothing. */
function changeBrand(db: Db, accountId: number, update: (stored: StoredBrand | undefined) => StoredBrand): StoredBrand {
  const changed = update(db.brands.get(accountId));
  db.brands.put(accountId, changed);
  return changed;
}

/** As our own browser drew it; sides in pixels. */
export interface StoredLogo {
  readonly png: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** Null without one. */
export function storedLogo({ logoPng }: StoredBrand): StoredLogo | null {
  if (logoPng === null) return null;
  const png = new Uint8Array(Buffer.from(logoPng, "base64"));
  const size = parseImageSize(png);
  return size === null || size === "broken" ? null : { png, width: size.width, height: size.height };
}

/** Logo as it is stored. */
export function logoText(png: Uint8Array): string {
  return Buffer.from(png).toString("base64");
}

export interface RulesChange extends Pick<RulesChangeData, "catalogVersion" | "algorithmVersion"> {
  /** First run under new rules. Changes that follow until the notice is sent belong to it. */
  readonly since: string;
  /** First run under the newest rules. */
  readonly newestAt: string;
  /** Id of a site without a reference by the newest rules; no site with a lower id is awaited. */
  readonly awaitedSite: number;
}

const siteAccountRow = stored.row({
  /** Rules of judging that the account knows of; null before its first measured run. */
  rulesAnnounced: stored.orNull(stored.text),
  /** When the results that announced them were judged. */
  rulesJudgedAt: stored.optional(stored.unchecked<string>()),
  /** Change of the rules that is not reported yet: some sites have no reference by the new rules. */
  rulesChange: stored.optional(stored.unchecked<RulesChange | null>()),
  /** SHA-256 of the token for the metrics of its sites; null without one. */
  metricsTokenHash: stored.orNull(stored.text),
});
type SiteAccount = Static<typeof siteAccountRow>;

export const siteAccountsTable = defineTable({
  row: siteAccountRow,
  key: keyed<number>(),
  indexes: {
    /** Account of each token for the metrics of sites, by the SHA-256 of its value. */
    metricsTokens: numberIndex(
      ({ metricsTokenHash }: SiteAccount, accountId: number): IndexRows<string, number> =>
        metricsTokenHash === null ? [] : [[metricsTokenHash, accountId]],
    ),
  },
  ofAccount: [{ by: "key" }],
});

export function metricsTokenRepository(db: Db) {
  return {
    has: (accountId: number): boolean => (db.siteAccounts.get(accountId)?.metricsTokenHash ?? null) !== null,
    /** Replaces the earlier token; the value is not stored. */
    issue: async (accountId: number): Promise<string> => {
      const value = newSecretValue(db.clock);
      await db.write(() => putSiteAccount(db, accountId, { metricsTokenHash: hashOfSecret(value) }));
      return value;
    },
    revoke: (accountId: number): Promise<void> => db.write(() => putSiteAccount(db, accountId, { metricsTokenHash: null })),
    /** Account of the token; undefined for an unknown one. */
    accountOf: (value: string): number | undefined => {
      const accountId = isSecretValue(value) ? db.metricsTokens.get(hashOfSecret(value)) : undefined;
      return accountId === 0 ? undefined : accountId;
    },
  };
}

export function siteAccountOf(db: Db, accountId: number): SiteAccount {
  return db.siteAccounts.get(accountId) ?? { rulesAnnounced: null, metricsTokenHash: null };
}

/** Only within a transaction. */
export function putSiteAccount(db: Db, accountId: number, change: Partial<SiteAccount>): void {
  db.siteAccounts.put(accountId, { ...siteAccountOf(db, accountId), ...change });
}
