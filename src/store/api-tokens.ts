/** API tokens: shown once, stored only as SHA-256. */
import { hourMs } from "../base/units.ts";
import { type AuditNote, actorOf, type ChangedBy, putAudit } from "./audit.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, type Static, stored, textIndex } from "./define-table.ts";
import { transactions } from "./methods.ts";
import { hashOfSecret, hourOf, randomBase62, toBase62 } from "./secret-value.ts";
import { accountRange } from "./table.ts";

/** Fixed prefix, so that people and secret scanners recognise a token. */
const prefix = "assay_";
/** 190 bits. */
const secretChars = 32;
/** CRC-32 in base 62: rejects a cut or mistyped token without a lookup. */
const checksumChars = 6;
const tokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretChars + checksumChars}}$`);
const shownChars = prefix.length + 4;
export const apiTokenNameCharsMax = 100;
/** Revoked and expired tokens stay listed for so long. */
export const deadTokenDays = 30;
/** Bounds the disk space that creating and revoking tokens can fill. */
const deadTokensMax = 100;

const apiTokenRow = stored.row({
  id: stored.id,
  accountId: stored.id,
  name: stored.text,
  shown: stored.text,
  createdAt: stored.time,
  revokedAt: stored.orNull(stored.time),
  /** Null: never expires. */
  expiresAt: stored.orNull(stored.time),
  /** Rounded down to the hour: at most one write per hour and token. */
  lastUsedAt: stored.orNull(stored.time),
});
export type ApiToken = Static<typeof apiTokenRow>;

/** Keyed by the SHA-256 of the token's value. */
export const apiTokensTable = defineTable({
  row: apiTokenRow,
  key: keyed<string>(),
  indexes: {
    apiTokenHashes: textIndex(
      ({ accountId, id }: ApiToken, hash: string): IndexRows<[accountId: number, tokenId: number], string> => [[[accountId, id], hash]],
      { keyIds: ["nextAccountId", "nextApiTokenId"] },
    ),
  },
  ofAccount: [{ by: "index", index: "apiTokenHashes" }],
});

export function apiTokenRepository(db: Db) {
  return {
    /** Includes revoked and expired tokens. Costs one hash and one lookup, once after each change of the store. */
    findByValue: db.cacheReads((value: string) => (isTokenValue(value) ? db.apiTokens.get(hashOfSecret(value)) : undefined)),

    /** Tokens of an account, oldest first, with those revoked or expired in the last `deadTokenDays`. */
    listOfAccount: (accountId: number): readonly ApiToken[] => hashesOf(db, accountId).flatMap((hash) => db.apiTokens.get(hash) ?? []),

    /** Records the last use; writes at most once an hour. Undefined when there is nothing to write. */
    recordUse: (token: ApiToken, now: Date): Promise<unknown> | undefined => {
      const lastUsedAt = hourOf(now);
      return token.lastUsedAt === lastUsedAt ? undefined : db.write(() => update(db, token.accountId, token.id, () => ({ lastUsedAt })));
    },

    ...transactions(db, { create, revoke }),
  };
}

function hashesOf(db: Db, accountId: number): readonly string[] {
  return db.apiTokenHashes.values(accountRange(accountId));
}

function update(db: Db, accountId: number, id: number, change: (token: ApiToken) => Partial<ApiToken>): ApiToken | undefined {
  const hash = db.apiTokenHashes.get([accountId, id]);
  return hash === undefined ? undefined : db.apiTokens.update(hash, change);
}

interface NewToken extends Pick<ApiToken, "accountId" | "name"> {
  /** Null or omitted: never expires. */
  readonly expiresAt?: Date | null;
  readonly now: Date;
  /** The server by default. */
  readonly by?: ChangedBy;
}

/** `value` is not stored and cannot be read again. The account must exist; the name is cut to `apiTokenNameCharsMax`. */
function create(db: Db, { accountId, name, expiresAt = null, now, by }: NewToken): { readonly token: ApiToken; readonly value: string } {
  const value = newTokenValue(db);
  const token: ApiToken = {
    id: db.next("nextApiTokenId"),
    accountId,
    name: name.trim().slice(0, apiTokenNameCharsMax),
    shown: value.slice(0, shownChars),
    createdAt: now.toISOString(),
    revokedAt: null,
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: null,
  };
  removeDeadTokens(db, accountId, now);
  db.apiTokens.put(hashOfSecret(value), token);
  noteToken(db, token, { action: "token.created", by, details: { expires: token.expiresAt }, now });
  return { token, value };
}

/** Keeps the first revocation time. Undefined when the account has no such token. */
function revoke(db: Db, accountId: number, id: number, now: Date, by?: ChangedBy): ApiToken | undefined {
  return update(db, accountId, id, (token) => {
    if (token.revokedAt === null) noteToken(db, token, { action: "token.revoked", by, details: {}, now });
    return { revokedAt: token.revokedAt ?? now.toISOString() };
  });
}

function noteToken(
  db: Db,
  { id, accountId }: ApiToken,
  { by, details, ...note }: Pick<AuditNote, "action" | "details" | "now"> & { readonly by: ChangedBy | undefined },
): void {
  putAudit(db, { ...note, actor: actorOf(by, accountId), subject: { kind: "token", id }, details: { account: accountId, ...details } });
}

/** Removes revoked and expired tokens beyond the two limits; only within a transaction. */
function removeDeadTokens(db: Db, accountId: number, now: Date): void {
  const dead = hashesOf(db, accountId).flatMap((hash) => {
    const token = db.apiTokens.get(hash);
    const diedAt = token?.revokedAt ?? token?.expiresAt ?? null;
    return diedAt !== null && Date.parse(diedAt) <= now.getTime() ? [{ hash, diedAtMs: Date.parse(diedAt) }] : [];
  });
  dead.sort((one, other) => other.diedAtMs - one.diedAtMs);
  const keptFromMs = now.getTime() - deadTokenDays * 24 * hourMs;
  for (const { hash } of dead.filter(({ diedAtMs }, at) => at >= deadTokensMax - 1 || diedAtMs < keptFromMs)) db.apiTokens.remove(hash);
}

function newTokenValue({ clock }: Db): string {
  const secret = prefix + randomBase62(clock, secretChars);
  return secret + checksumOf(secret);
}

/** Checks form and checksum only, without a lookup. */
function isTokenValue(value: string): boolean {
  return tokenPattern.test(value) && checksumOf(value.slice(0, -checksumChars)) === value.slice(-checksumChars);
}

function checksumOf(text: string): string {
  return toBase62(Bun.hash.crc32(text), checksumChars);
}
