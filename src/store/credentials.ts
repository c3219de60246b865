/** What an account signs in with: apart from accounts, so that nothing that lists those ever shows it. */
import type { Db } from "./database.ts";
import { hashOfSecret } from "./secret-value.ts";
import { endSessionsOf, type OpenedSession, putSession, type SessionOrigin } from "./sessions.ts";

export interface Totp {
  /** Base32 (RFC 4648). Stored as it is, because codes are computed from it. */
  readonly secret: string;
  /** ISO 8601, UTC; null until its owner has shown a code, and until then nobody is asked for one. */
  readonly confirmedAt: string | null;
  /** RFC 6238 section 5.2: a code is taken once, and none from a step before. */
  readonly lastUsedStep: number | null;
}

export interface Credentials {
  /** In PHC string format; null while there is no password. */
  readonly passwordHash: string | null;
  readonly totp: Totp | null;
  /** SHA-256 of each recovery code that was not used yet. */
  readonly recoveryCodeHashes: readonly string[];
}

const noCredentials: Credentials = { passwordHash: null, totp: null, recoveryCodeHashes: [] };

/** Whoever changes credentials stays signed in, in a new session. */
export interface Reopening {
  readonly origin: SessionOrigin;
  readonly now: Date;
}

export interface CredentialRepository {
  /** Without any, for an account that has none and for an account that is none. */
  get(accountId: number): Credentials;
  /**
   * Changes what is given and ends every session of the account; with `reopen` a new one is opened in the same transaction.
   * Undefined when the credentials are no longer those that were `proved`, when there is no such account, and when it is disabled and
   * would have a session again.
   */
  change(
    accountId: number,
    change: Partial<Credentials>,
    options: { readonly proved?: Pick<Credentials, "passwordHash">; readonly reopen: Reopening | null },
  ): Promise<{ readonly opened: OpenedSession | null } | undefined>;
  /** Keeps a TOTP secret that is not in force yet; it replaces one that never was. False while one is in force. */
  offerTotp(accountId: number, secret: string): Promise<boolean>;
  /** Marks a TOTP step as used. False when it, or a later one, was used already. */
  useTotpStep(accountId: number, step: number): Promise<boolean>;
  /** Takes a recovery code away. False when it is none, or was used already. */
  useRecoveryCode(accountId: number, code: string): Promise<boolean>;
}

export function credentialRepository(db: Db): CredentialRepository {
  const credentialsOf = (accountId: number) => db.credentials.get(accountId) ?? noCredentials;
  return {
    get: credentialsOf,

    change: (accountId, change, { proved, reopen }) =>
      db.write(() => {
        const account = db.accounts.get(accountId);
        if (account === undefined || (account.disabled && reopen !== null)) return undefined;
        if (proved !== undefined && credentialsOf(accountId).passwordHash !== proved.passwordHash) return undefined;
        putCredentials(db, accountId, change);
        endSessionsOf(db, accountId);
        return { opened: reopen === null ? null : putSession(db, { accountId, ...reopen }) };
      }),

    offerTotp: (accountId, secret) =>
      db.write(() => {
        if (isInForce(credentialsOf(accountId).totp)) return false;
        putCredentials(db, accountId, { totp: { secret, confirmedAt: null, lastUsedStep: null } });
        return true;
      }),

    useTotpStep: (accountId, step) =>
      db.write(() => {
        const { totp } = credentialsOf(accountId);
        if (totp === null || (totp.lastUsedStep !== null && step <= totp.lastUsedStep)) return false;
        putCredentials(db, accountId, { totp: { ...totp, lastUsedStep: step } });
        return true;
      }),

    useRecoveryCode: (accountId, code) =>
      db.write(() => {
        const { recoveryCodeHashes } = credentialsOf(accountId);
        const left = recoveryCodeHashes.filter((hash) => hash !== hashOfSecret(code));
        if (left.length === recoveryCodeHashes.length) return false;
        putCredentials(db, accountId, { recoveryCodeHashes: left });
        return true;
      }),
  };
}

/** Whether a second factor is asked for at sign-in. */
export function isInForce(totp: Totp | null): totp is Totp & { readonly confirmedAt: string } {
  return totp !== null && totp.confirmedAt !== null;
}

/** Only within a transaction. */
export function putCredentials(db: Db, accountId: number, change: Partial<Credentials>): void {
  db.credentials.put(accountId, { ...(db.credentials.get(accountId) ?? noCredentials), ...change });
}
