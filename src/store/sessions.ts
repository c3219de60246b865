/** Sessions of people in browsers: the value is known to one cookie, the store keeps its hash. */
import { type Db, rowsOf } from "./database.ts";
import { hashOfSecret, isSecretValue, newSecretValue } from "./secret-value.ts";
import { hourMs, hourOf } from "./whole-hours.ts";

const dayMs = 24 * hourMs;
/** A session that is not used for so long ends ... */
export const sessionIdleDays = 30;
/** ... and each ends after so long, used or not. */
export const sessionDays = 90;
/** Open sessions of one account; the oldest ends when another begins. */
const sessionsMax = 50;
/** What is kept of a User-Agent header. */
const userAgentCharsMax = 200;
/** Room for the longest truncated address. */
const addressCharsMax = 45;

/** Where a session is used from, as far as its owner needs it to know it again. Cut to bounds when stored. */
export interface SessionOrigin {
  /** The User-Agent header: whatever the client wrote. */
  readonly userAgent: string;
  /** Truncated by whoever opens the session. */
  readonly address: string;
}

/** All instants are ISO 8601, UTC. */
export interface Session extends SessionOrigin {
  /** Rises with every session of this appliance; names it in lists, where its hash has no business. */
  readonly id: number;
  readonly accountId: number;
  readonly createdAt: string;
  /** To the hour, so that reading pages does not write. */
  readonly lastSeenAt: string;
  /** The latest end, whatever happens. */
  readonly expiresAt: string;
}

export interface OpenedSession {
  readonly session: Session;
  /** Known only here and now. */
  readonly value: string;
}

export interface SessionRepository {
  /**
   * Undefined when the account is gone or disabled, or when its password is no longer the one whose hash was proved: it may have
   * changed while that was being computed.
   */
  open(opening: {
    readonly accountId: number;
    readonly provedPasswordHash: string | null;
    readonly origin: SessionOrigin;
    readonly now: Date;
  }): Promise<OpenedSession | undefined>;
  /** Undefined for an unknown value of whatever shape, and for a session that has ended. One hash and one lookup. */
  findByValue(value: string, now: Date): Session | undefined;
  /** An account's open sessions, oldest first. */
  listOfAccount(accountId: number, now: Date): readonly Session[];
  /** False when the account has no such session. */
  end(accountId: number, id: number): Promise<boolean>;
  /** Ends every session of the account but the one named. */
  endOthers(accountId: number, keptId: number): Promise<void>;
  /** Notes that a session was used; writes at most once an hour. */
  noteUse(session: Session, now: Date): Promise<void>;
}

export function sessionRepository(db: Db): SessionRepository {
  return {
    open: ({ accountId, provedPasswordHash, origin, now }) =>
      db.write(() => {
        const account = db.accounts.get(accountId);
        if (account === undefined || account.disabled) return undefined;
        if ((db.credentials.get(accountId)?.passwordHash ?? null) !== provedPasswordHash) return undefined;
        return putSession(db, { accountId, origin, now });
      }),

    findByValue: (value, now) => {
      const session = isSecretValue(value) ? db.sessions.get(hashOfSecret(value)) : undefined;
      return session !== undefined && isOpen(session, now) ? session : undefined;
    },

    listOfAccount: (accountId, now) =>
      hashesOf(db, accountId)
        .flatMap((hash) => db.sessions.get(hash) ?? [])
        .filter((session) => isOpen(session, now)),

    end: (accountId, id) =>
      db.write(() => {
        const hash = db.sessionHashes.get([accountId, id]);
        if (hash === undefined) return false;
        remove(db, accountId, id, hash);
        return true;
      }),

    endOthers: (accountId, keptId) => db.write(() => endSessionsOf(db, accountId, ({ id }) => id !== keptId)),

    noteUse: async (session, now) => {
      const lastSeenAt = hourOf(now);
      if (session.lastSeenAt === lastSeenAt) return;
      await db.write(() => {
        const hash = db.sessionHashes.get([session.accountId, session.id]);
        const stored = hash === undefined ? undefined : db.sessions.get(hash);
        if (hash !== undefined && stored !== undefined) db.sessions.put(hash, { ...stored, lastSeenAt });
      });
    },
  };
}

/** Opens a session; only within a transaction, and only for whoever has proved who they are. */
export function putSession(
  db: Db,
  { accountId, origin, now }: { readonly accountId: number; readonly origin: SessionOrigin; readonly now: Date },
): OpenedSession {
  const value = newSecretValue();
  const session: Session = {
    id: db.next("nextSessionId"),
    accountId,
    userAgent: origin.userAgent.slice(0, userAgentCharsMax),
    address: origin.address.slice(0, addressCharsMax),
    createdAt: now.toISOString(),
    lastSeenAt: hourOf(now),
    expiresAt: new Date(now.getTime() + sessionDays * dayMs).toISOString(),
  };
  makeRoom(db, accountId, now);
  db.sessions.put(hashOfSecret(value), session);
  db.sessionHashes.put([accountId, session.id], hashOfSecret(value));
  return { session, value };
}

/** Ends those of an account's sessions that are meant; all of them when left out. Only within a transaction. */
export function endSessionsOf(db: Db, accountId: number, isMeant: (session: Session) => boolean = () => true): void {
  for (const hash of hashesOf(db, accountId)) {
    const session = db.sessions.get(hash);
    if (session !== undefined && isMeant(session)) remove(db, accountId, session.id, hash);
  }
}

/** Forgets what has ended, and ends the oldest where there are too many. */
function makeRoom(db: Db, accountId: number, now: Date): void {
  endSessionsOf(db, accountId, (session) => !isOpen(session, now));
  const open = hashesOf(db, accountId).flatMap((hash) => db.sessions.get(hash) ?? []);
  const crowded = new Set(open.slice(0, Math.max(0, open.length - sessionsMax + 1)).map(({ id }) => id));
  endSessionsOf(db, accountId, ({ id }) => crowded.has(id));
}

function remove(db: Db, accountId: number, id: number, hash: string): void {
  db.sessions.remove(hash);
  db.sessionHashes.remove([accountId, id]);
}

function hashesOf(db: Db, accountId: number): readonly string[] {
  return [...db.sessionHashes.getRange(rowsOf(accountId))].map(({ value }) => value);
}

function isOpen({ lastSeenAt, expiresAt }: Session, now: Date): boolean {
  return now.getTime() < Math.min(Date.parse(expiresAt), Date.parse(lastSeenAt) + sessionIdleDays * dayMs);
}
