/** API tokens: handed out once, stored only as SHA-256. */
import { type Db, rowsOf } from "./database.ts";
import { randomBase62, toBase62 } from "./random.ts";
import { hashOfSecret } from "./secret-value.ts";
import { hourMs, hourOf } from "./whole-hours.ts";

/** Lets people and secret scanners recognise a token wherever it turns up. */
const prefix = "assay_";
/** 190 bits. */
const secretChars = 32;
/** A CRC-32 in base 62: a token that was cut or mistyped is known as such without a lookup. */
const checksumChars = 6;
const tokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretChars + checksumChars}}$`);
/** What a list shows of a token, so that its owner can tell it from others. */
const shownChars = prefix.length + 4;
/** Longest name that is kept of a token. */
export const apiTokenNameCharsMax = 100;
/** How long a list still shows a token that was revoked or has expired ... */
export const deadTokenDays = 30;
/** ... and how many of them: whoever makes and revokes without end fills no disk. */
const deadTokensMax = 100;

/** All instants are ISO 8601, UTC. */
export interface ApiToken {
  /** Rises with every token of this appliance. */
  readonly id: number;
  readonly accountId: number;
  readonly name: string;
  /** The first characters of the value. */
  readonly shown: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  /** From then on it is refused; null: never. */
  readonly expiresAt: string | null;
  /** To the hour, so that a busy token is not written on every request. */
  readonly lastUsedAt: string | null;
}

export interface ApiTokenRepository {
  /** `value` is known only here and now. The account is taken to exist; a name is cut to `apiTokenNameCharsMax`. */
  create(token: {
    readonly accountId: number;
    readonly name: string;
    /** Null, and left out: it never expires. */
    readonly expiresAt?: Date | null;
    readonly now: Date;
  }): Promise<{ readonly token: ApiToken; readonly value: string }>;
  /** The token with that value, also when revoked or expired; undefined for anything else. One hash and one lookup. */
  findByValue(value: string): ApiToken | undefined;
  /** An account's tokens, oldest first; revoked and expired ones for a while too. */
  listOfAccount(accountId: number): readonly ApiToken[];
  /** Revoked for good; a token that already was stays as it is. Undefined when the account has no such token. */
  revoke(accountId: number, id: number, now: Date): Promise<ApiToken | undefined>;
  /** Notes that a token was used; writes at most once an hour. */
  noteUse(token: ApiToken, now: Date): Promise<void>;
}

export function apiTokenRepository(db: Db): ApiTokenRepository {
  function change(accountId: number, id: number, changeOf: (token: ApiToken) => Partial<ApiToken>): Promise<ApiToken | undefined> {
    return db.write(() => {
      const hash = db.apiTokenHashes.get([accountId, id]);
      const token = hash === undefined ? undefined : db.apiTokens.get(hash);
      if (hash === undefined || token === undefined) return undefined;
      const changed: ApiToken = { ...token, ...changeOf(token) };
      db.apiTokens.put(hash, changed);
      return changed;
    });
  }

  return {
    create: ({ accountId, name, expiresAt = null, now }) =>
      db.write(() => {
        const value = newTokenValue();
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
        forgetDead(db, accountId, now);
        db.apiTokens.put(hashOfSecret(value), token);
        db.apiTokenHashes.put([accountId, token.id], hashOfSecret(value));
        return { token, value };
      }),

    findByValue: (value) => (isTokenValue(value) ? db.apiTokens.get(hashOfSecret(value)) : undefined),

    listOfAccount: (accountId) => [...db.apiTokenHashes.getRange(rowsOf(accountId))].flatMap(({ value }) => db.apiTokens.get(value) ?? []),

    revoke: (accountId, id, now) => change(accountId, id, ({ revokedAt }) => ({ revokedAt: revokedAt ?? now.toISOString() })),

    noteUse: async (token, now) => {
      const lastUsedAt = hourOf(now);
      if (token.lastUsedAt !== lastUsedAt) await change(token.accountId, token.id, () => ({ lastUsedAt }));
    },
  };
}

/** Forgets an account's tokens that have long been of no use; only within a transaction. To the API they are what they were: no token. */
function forgetDead(db: Db, accountId: number, now: Date): void {
  const dead = [...db.apiTokenHashes.getRange(rowsOf(accountId))].flatMap(({ key, value: hash }) => {
    const token = db.apiTokens.get(hash);
    const diedAt = token?.revokedAt ?? token?.expiresAt ?? null;
    return diedAt !== null && Date.parse(diedAt) <= now.getTime() ? [{ key, hash, diedAtMs: Date.parse(diedAt) }] : [];
  });
  dead.sort((one, other) => other.diedAtMs - one.diedAtMs);
  const keptFromMs = now.getTime() - deadTokenDays * 24 * hourMs;
  for (const { key, hash } of dead.filter(({ diedAtMs }, at) => at >= deadTokensMax - 1 || diedAtMs < keptFromMs)) {
    db.apiTokens.remove(hash);
    db.apiTokenHashes.remove(key);
  }
}

function newTokenValue(): string {
  const secret = prefix + randomBase62(secretChars);
  return secret + checksumOf(secret);
}

/** Right in form and checksum; says nothing about whether it was ever handed out. */
function isTokenValue(value: string): boolean {
  return tokenPattern.test(value) && checksumOf(value.slice(0, -checksumChars)) === value.slice(-checksumChars);
}

function checksumOf(text: string): string {
  return toBase62(Bun.hash.crc32(text), checksumChars);
}
