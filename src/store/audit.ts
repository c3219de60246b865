/** Audit log: who changed what. A row is written in the transaction of its change, is never changed, and goes only by age or number. */
import { dayMs } from "../base/units.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { transactions } from "./methods.ts";
import { type Page, type PageRequest, pageOf } from "./page.ts";

/** Rows kept whatever their age: bounds the disk space, at some 200 bytes each. */
export const auditRowsMax = 200_000;
/** Rows that one transaction of `removeOlder` removes: about a millisecond. */
const removedAtOnce = 200;
/** Rows beyond `auditRowsMax` that a new one removes: the table shrinks to the limit if that was lowered. */
const excessPerRow = 2;
/** Characters of a text in the details; longer ones are cut. */
const detailCharsMax = 500;

export type Actor =
  | { readonly kind: "account"; readonly id: number }
  /** Name of the user of the operating system. */
  | { readonly kind: "cli"; readonly user: string }
  /** Not signed in. */
  | { readonly kind: "visitor" }
  /** The server itself: from its settings, or without anybody asking. */
  | { readonly kind: "server" };

/** `self`: the account concerned. */
export type ChangedBy = Actor | "self";

export function accountActor({ id }: { readonly id: number }): Actor {
  return { kind: "account", id };
}

/** In a log line: the id of an account, or the kind of actor. */
export function actorInLog(actor: Actor): string | number {
  if (actor.kind === "account") return actor.id;
  return actor.kind === "cli" ? `cli ${actor.user}` : actor.kind;
}

export const serverActor: Actor = { kind: "server" };

export const auditActions = [
  "account.created",
  "account.renamed",
  "account.disabled",
  "account.enabled",
  "plan.changed",
  "role.changed",
  "password.changed",
  "second-factor.enabled",
  "second-factor.removed",
  "recovery-codes.renewed",
  "recovery-code.used",
  "sign-in.identified",
  "sign-in.refused",
  "identity.linked",
  "identity.unlinked",
  "link.created",
  "member.invited",
  "member.joined",
  "member.role-changed",
  "member.removed",
  "site.removed",
  "channel.created",
  "channel.changed",
  "channel.removed",
  "token.created",
  "token.revoked",
  "worker.enrolled",
  "worker.revoked",
  "worker.drained",
  "worker.resumed",
  "setting.changed",
  "checks.reloaded",
  "scan.cancelled",
  "data.compacted",
  "data.deleted",
  "data.exported",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What was changed, without personal data: accounts, tokens, settings and scans by their id, workers by their name. */
export interface AuditSubject {
  readonly kind: "account" | "token" | "worker" | "setting" | "scan" | "host";
  readonly id: string | number;
}

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;

const auditRow = stored.row({
  /** Rises with every entry. */
  id: stored.id,
  at: stored.time,
  actor: stored.objectOf<Actor>(),
  /** A later release may add actions. */
  action: stored.textAs<AuditAction>(),
  /** Null: the installation as a whole. */
  subject: stored.orNull(stored.objectOf<AuditSubject>()),
  /** Without personal data and without secrets. */
  details: stored.objectOf<AuditDetails>(),
});
export type AuditEntry = Static<typeof auditRow>;

/** Entries on a deleted account stay: they have no personal data. */
export const auditTable = defineTable({ row: auditRow, key: keyed<number>(), keyedBy: "id", ofAccount: [], keyIds: ["nextAuditId"] });

const settingRow = stored.row({ value: stored.orNull(stored.text) });

/** Settings of the last start, by name. */
export const settingsAtStartTable = defineTable({ row: settingRow, key: keyed<string>(), ofAccount: [] });

export interface AuditNote extends Pick<AuditEntry, "actor" | "action" | "subject"> {
  readonly details?: AuditDetails;
  readonly now: Date;
}

export interface AuditQuery extends PageRequest {
  readonly action?: AuditAction | undefined;
  /** All actors of the kind, or one account. */
  readonly actor?: { readonly kind: Actor["kind"]; readonly id?: number } | undefined;
  /** Entries that are read at most for a page: rare ones are on the pages after it. */
  readonly readMax: number;
}

export function auditRepository(db: Db) {
  return {
    /** Newest first. A page may be short, or empty, and still have a next one: see `readMax`. */
    list: ({ limit, cursor, readMax, ...filter }: AuditQuery): Page<AuditEntry> => {
      const start = (cursor ?? Number.POSITIVE_INFINITY) - 1;
      const read = db.audit.values({ start, end: 0, reverse: true, limit: readMax + 1 });
      const found = read.slice(0, readMax).filter((entry) => matches(entry, filter));
      const { items, nextCursor } = pageOf(found, limit);
      return { items, nextCursor: nextCursor ?? (read.length > readMax ? (read[readMax - 1]?.id ?? null) : null) };
    },

    /** Oldest first. */
    since: function* (from: Date): Generator<AuditEntry, void> {
      for (const { value } of db.audit.getRange()) if (Date.parse(value.at) >= from.getTime()) yield value;
    },

    // `note` is for what changes nothing else in the store.
    ...transactions(db, { note: putAudit, noteSettings, removeOlder }),
  };
}

/** Removes some entries that are older than so many days; true if there may be more. */
function removeOlder(db: Db, days: number, now: Date): boolean {
  const before = now.getTime() - days * dayMs;
  const oldest = db.audit.values({ limit: removedAtOnce });
  const firstKept = oldest.findIndex(({ at }) => Date.parse(at) >= before);
  const old = firstKept === -1 ? oldest : oldest.slice(0, firstKept);
  for (const { id } of old) db.audit.remove(id);
  return old.length === removedAtOnce;
}

/** Adds an entry; only within a transaction. */
export function putAudit(db: Pick<Db, "audit" | "next">, { actor, action, subject, details = {}, now }: AuditNote): void {
  const id = db.next("nextAuditId");
  const cut = Object.entries(details).map(([name, value]) => [name, typeof value === "string" ? value.slice(0, detailCharsMax) : value]);
  db.audit.put(id, { id, at: now.toISOString(), actor, action, subject, details: Object.fromEntries(cut) });
  db.audit.removeAll({ end: id - auditRowsMax + 1, limit: excessPerRow });
}

/** Adds an entry on an account, by the server if `by` is undefined; only within a transaction. */
export function noteAccount(
  db: Pick<Db, "audit" | "clock" | "next">,
  id: number,
  action: AuditAction,
  { by, now = db.clock.now(), ...note }: Pick<AuditNote, "details"> & { readonly by: ChangedBy | undefined; readonly now?: Date },
): void {
  putAudit(db, { ...note, now, actor: actorOf(by, id), action, subject: { kind: "account", id } });
}

/** The account itself, if it is who asked. */
export function actorOf(by: ChangedBy | undefined, accountId: number): Actor {
  return by === "self" ? accountActor({ id: accountId }) : (by ?? serverActor);
}

function matches(entry: AuditEntry, { action, actor }: Pick<AuditQuery, "action" | "actor">): boolean {
  if (action !== undefined && entry.action !== action) return false;
  if (actor === undefined) return true;
  return Object.entries(actor).every(([member, value]) => (entry.actor as unknown as Record<string, unknown>)[member] === value);
}

/** A setting as a server starts with it. */
export interface SettingAtStart {
  readonly key: string;
  /** Null if unset. */
  readonly value: string | null;
  readonly isDefault: boolean;
  /** The value names a person: the log says only that it changed. */
  readonly isPersonal: boolean;
}

/**
 * Notes settings whose value changed since the last call. `values`: as the operator would write them. Nothing is noted at the first start.
 * A setting that is new in this release is noted only if it was set.
 */
function noteSettings(db: Db, values: readonly SettingAtStart[], now: Date): void {
  const isFirst = db.settingsAtStart.getCount({ limit: 1 }) === 0;
  for (const { key, value, isDefault, isPersonal } of values) {
    const shown = isPersonal && value !== null ? `SHA-256 ${new Bun.CryptoHasher("sha256").update(value).digest("hex")}` : value;
    const before = db.settingsAtStart.get(key);
    if (before?.value === shown) continue;
    db.settingsAtStart.put(key, { value: shown });
    if (isFirst || (before === undefined && isDefault)) continue;
    const details = isPersonal ? {} : { from: before?.value ?? null, to: value };
    putAudit(db, { actor: serverActor, action: "setting.changed", subject: { kind: "setting", id: key }, details, now });
  }
}
