/** Browser sessions: a cookie holds the value, the store holds its hash. */
import { dayMs } from "../base/units.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, type Static, stored, textIndex } from "./define-table.ts";
import { transactions } from "./methods.ts";
import { hashOfSecret, hourOf, isSecretValue, newSecretValue } from "./secret-value.ts";
import { accountRange } from "./table.ts";

/** An unused session ends after so long. */
export const sessionIdleDays = 30;
/** Every session ends after so long. */
export const sessionDays = 90;
/** Open sessions of one account; beyond this the oldest ends. */
const sessionsMax = 50;
const userAgentCharsMax = 200;
/** Longest truncated address. */
const addressCharsMax = 45;

/** Client of a session, for its owner to recognise it. Cut to bounds when stored. */
export interface SessionOrigin {
  /** User-Agent header, untrusted. */
  readonly userAgent: string;
  /** Truncated by the caller (privacy). */
  readonly address: string;
}

/** All instants are ISO 8601, UTC. */
const sessionRow = stored.row({
  /** Rises with every session of this appliance; identifies it in lists in place of its hash. */
  id: stored.id,
  accountId: stored.id,
  userAgent: stored.text,
  address: stored.text,
  createdAt: stored.time,
  /** Rounded down to the hour: at most one write per hour and session. */
  lastSeenAt: stored.time,
  /** Absolute end; idle sessions end earlier. */
  expiresAt: stored.time,
});
export type Session = Static<typeof sessionRow>;

/** Keyed by the SHA-256 of the session's value. */
export const sessionsTable = defineTable({
  row: sessionRow,
  key: keyed<string>(),
  indexes: {
    sessionHashes: textIndex(
      ({ accountId, id }: Session, hash: string): IndexRows<[accountId: number, sessionId: number], string> => [[[accountId, id], hash]],
      { keyIds: ["nextAccountId", "nextSessionId"] },
    ),
  },
  ofAccount: [{ by: "index", index: "sessionHashes" }],
});

export interface OpenedSession {
  readonly session: Session;
  /** Not stored; cannot be read again. */
  readonly value: string;
}

export function sessionRepository(db: Db) {
  return {
    /** Undefined for an unknown or malformed value and for an ended session. Costs one hash and one lookup. */
    findByValue: (value: string, now: Date): Session | undefined => {
      const session = isSecretValue(value) ? db.sessions.get(hashOfSecret(value)) : undefined;
      return session !== undefined && isOpen(session, now) ? session : undefined;
    },

    /** Open sessions of an account, oldest first. */
    listOfAccount: (accountId: number, now: Date): readonly Session[] =>
      sessionsOf(db, accountId).filter((session) => isOpen(session, now)),

    /** Records the last use; writes at most once an hour. */
    recordUse: async (session: Session, now: Date): Promise<void> => {
      const lastSeenAt = hourOf(now);
      if (session.lastSeenAt === lastSeenAt) return;
      await db.write(() => {
        const hash = db.sessionHashes.get([session.accountId, session.id]);
        if (hash !== undefined) db.sessions.update(hash, () => ({ lastSeenAt }));
      });
    },

    /** Ends every session of the account except `keptId`. */
    endOthers: (accountId: number, keptId: number) => db.write(() => endSessionsOf(db, accountId, ({ id }) => id !== keptId)),
    ...transactions(db, { open: openSession, end: endSession }),
  };
}

/** A verified person and their client. */
interface NewSession {
  readonly accountId: number;
  readonly origin: SessionOrigin;
  readonly now: Date;
}

/** Undefined for an unknown or disabled account, and if the password changed while its hash was being computed. */
function openSession(
  db: Db,
  { verifiedPasswordHash, ...session }: NewSession & { readonly verifiedPasswordHash: string | null },
): OpenedSession | undefined {
  const account = db.accounts.get(session.accountId);
  if (account === undefined || account.disabled) return undefined;
  if ((db.credentials.get(account.id)?.passwordHash ?? null) !== verifiedPasswordHash) return undefined;
  return putSession(db, session);
}

/** False when the account has no such session. */
function endSession(db: Db, accountId: number, id: number): boolean {
  const hash = db.sessionHashes.get([accountId, id]);
  if (hash === undefined) return false;
  db.sessions.remove(hash);
  // Also after the session can no longer be read.
  db.sessionHashes.remove([accountId, id]);
  return true;
}

/** Opens a session for a verified person; only within a transaction. */
export function putSession(db: Db, { accountId, origin, now }: NewSession): OpenedSession {
  const value = newSecretValue(db.clock);
  const session: Session = {
    id: db.next("nextSessionId"),
    accountId,
    userAgent: origin.userAgent.slice(0, userAgentCharsMax),
    address: origin.address.slice(0, addressCharsMax),
    createdAt: now.toISOString(),
    lastSeenAt: hourOf(now),
    expiresAt: new Date(now.getTime() + sessionDays * dayMs).toISOString(),
  };
  pruneSessions(db, accountId, now);
  db.sessions.put(hashOfSecret(value), session);
  return { session, value };
}

/** Ends the matching sessions of an account, by default all. Only within a transaction. */
export function endSessionsOf(db: Db, accountId: number, matches: (session: Session) => boolean = () => true): void {
  for (const hash of hashesOf(db, accountId)) {
    const session = db.sessions.get(hash);
    if (session !== undefined && matches(session)) db.sessions.remove(hash);
  }
}

/** Removes ended sessions, and the oldest ones above `sessionsMax`. */
function pruneSessions(db: Db, accountId: number, now: Date): void {
  endSessionsOf(db, accountId, (session) => !isOpen(session, now));
  const open = sessionsOf(db, accountId);
  const excess = new Set(open.slice(0, Math.max(0, open.length - sessionsMax + 1)).map(({ id }) => id));
  endSessionsOf(db, accountId, ({ id }) => excess.has(id));
}

function sessionsOf(db: Db, accountId: number): readonly Session[] {
  return hashesOf(db, accountId).flatMap((hash) => db.sessions.get(hash) ?? []);
}

function hashesOf(db: Db, accountId: number): readonly string[] {
  return db.sessionHashes.values(accountRange(accountId));
}

function isOpen({ lastSeenAt, expiresAt }: Session, now: Date): boolean {
  return now.getTime() < Math.min(Date.parse(expiresAt), Date.parse(lastSeenAt) + sessionIdleDays * dayMs);
}
