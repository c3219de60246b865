/** Credentials of accounts, stored apart so that no list of accounts exposes them. */
import { createHash } from "node:crypto";
import type { Account } from "./accounts.ts";
import { type AuditAction, type ChangedBy, noteAccount, serverActor } from "./audit.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, type Static, stored } from "./define-table.ts";
import { reads, transactions } from "./methods.ts";
import { hashOfSecret } from "./secret-value.ts";
import { endSessionsOf, type OpenedSession, putSession, type SessionOrigin } from "./sessions.ts";

export interface Totp {
  /** Base32 (RFC 4648). Stored in clear, because codes are computed from it. */
  readonly secret: string;
  /** ISO 8601, UTC; null until the owner has entered a valid code. Not required at sign-in before that. */
  readonly confirmedAt: string | null;
  /** RFC 6238 section 5.2: a code is accepted once, and no code of an earlier step. */
  readonly lastUsedStep: number | null;
}

export interface Identity {
  readonly issuer: string;
  /** Unique within the issuer. */
  readonly subject: string;
}

const oidcLinkRow = stored.row({
  issuer: stored.text,
  subject: stored.text,
  linkedAt: stored.time,
  /** What groups gave the account, and what is taken back when they no longer do. */
  granted: stored.row({ plan: stored.flag, admin: stored.flag }),
});
/** Link of an account to its identity at an identity provider. */
export type OidcLink = Static<typeof oidcLinkRow>;

const credentialsRow = stored.row({
  /** In PHC string format; null: no password is set. */
  passwordHash: stored.orNull(stored.text),
  totp: stored.orNull(stored.objectOf<Totp>()),
  /** SHA-256 of each unused recovery code. */
  recoveryCodeHashes: stored.listOf<string>(),
  /** Identity that signs in to the account; absent in accounts that never had one. */
  oidc: stored.optional(stored.orNull(oidcLinkRow)),
});
export type Credentials = Static<typeof credentialsRow>;

export const credentialsTable = defineTable({
  row: credentialsRow,
  key: keyed<number>(),
  indexes: {
    /** Keyed by the SHA-256 of issuer and subject. */
    accountIdsByIdentity: numberIndex(
      ({ oidc }: Credentials, accountId: number): IndexRows<string, number> => (oidc ? [[identityKey(oidc), accountId]] : []),
    ),
  },
  ofAccount: [{ by: "key" }],
  keyIds: ["nextAccountId"],
});

/** Hashed, because keys of the store are short and a subject is not. */
export function identityKey({ issuer, subject }: Identity): string {
  return createHash("sha256").update(`${issuer}\n${subject}`).digest("hex");
}

const noCredentials: Credentials = { passwordHash: null, totp: null, recoveryCodeHashes: [] };

export function credentialRepository(db: Db) {
  return { ...reads(db, { get: credentialsOf }), ...transactions(db, { change, offerTotp, useTotpStep, useRecoveryCode }) };
}

/** Empty credentials for an account without any, and for an unknown account. */
function credentialsOf(db: Db, accountId: number): Credentials {
  return db.credentials.get(accountId) ?? noCredentials;
}

interface CredentialChange {
  readonly verified?: Pick<Credentials, "passwordHash">;
  /** New session for the person who changed the credentials. */
  readonly reopen: { readonly origin: SessionOrigin; readonly now: Date } | null;
  /** The server by default. */
  readonly by?: ChangedBy;
}

/** Ends every session before `reopen`. Undefined for an unknown account, a changed password hash, and reopening on a disabled account. */
function change(
  db: Db,
  accountId: number,
  changed: Partial<Credentials>,
  { verified, reopen, by }: CredentialChange,
): { readonly opened: OpenedSession | null } | undefined {
  const account = db.accounts.get(accountId);
  if (account === undefined || (account.disabled && reopen !== null)) return undefined;
  if (verified !== undefined && credentialsOf(db, accountId).passwordHash !== verified.passwordHash) return undefined;
  if (changed.oidc === null) takeGrantedRole(db, account);
  putCredentials(db, accountId, changed);
  noteAccount(db, accountId, actionOf(changed), { by, now: reopen?.now ?? db.clock.now() });
  endSessionsOf(db, accountId);
  return { opened: reopen === null ? null : putSession(db, { accountId, ...reopen }) };
}

/** Stores an unconfirmed TOTP secret and replaces an earlier unconfirmed one. False while a confirmed one exists. */
function offerTotp(db: Db, accountId: number, secret: string): boolean {
  if (isTotpActive(credentialsOf(db, accountId).totp)) return false;
  putCredentials(db, accountId, { totp: { secret, confirmedAt: null, lastUsedStep: null } });
  return true;
}

/** Marks a TOTP step as used. False if it or a later one was already used. */
function useTotpStep(db: Db, accountId: number, step: number): boolean {
  const { totp } = credentialsOf(db, accountId);
  if (totp === null || (totp.lastUsedStep !== null && step <= totp.lastUsedStep)) return false;
  putCredentials(db, accountId, { totp: { ...totp, lastUsedStep: step } });
  return true;
}

/** Removes a recovery code. False for an unknown or used code. */
function useRecoveryCode(db: Db, accountId: number, code: string): boolean {
  const { recoveryCodeHashes } = credentialsOf(db, accountId);
  const left = recoveryCodeHashes.filter((hash) => hash !== hashOfSecret(code));
  if (left.length === recoveryCodeHashes.length) return false;
  putCredentials(db, accountId, { recoveryCodeHashes: left });
  noteAccount(db, accountId, "recovery-code.used", { by: "self", details: { left: left.length } });
  return true;
}

/** A role from groups goes with the link, which alone says that groups gave it. */
function takeGrantedRole(db: Db, account: Account): void {
  if (!account.admin || db.credentials.get(account.id)?.oidc?.granted.admin !== true) return;
  db.accounts.put(account.id, { ...account, admin: false });
  noteAccount(db, account.id, "role.changed", { by: serverActor, details: { admin: false, via: "groups" }, now: db.clock.now() });
}

function actionOf({ passwordHash, totp, oidc }: Partial<Credentials>): AuditAction {
  if (oidc === null) return "identity.unlinked";
  if (passwordHash !== undefined) return "password.changed";
  if (totp === undefined) return "recovery-codes.renewed";
  return totp === null ? "second-factor.removed" : "second-factor.enabled";
}

export function isTotpActive(totp: Totp | null): totp is Totp & { readonly confirmedAt: string } {
  return totp !== null && totp.confirmedAt !== null;
}

/** Only within a transaction. */
export function putCredentials(db: Db, accountId: number, changed: Partial<Credentials>): void {
  db.credentials.put(accountId, { ...credentialsOf(db, accountId), ...changed });
}
