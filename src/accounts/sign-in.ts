/** Sign-in: password or identity provider, then the second factor if active; each sign-in opens a new session. */

import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import type { Account } from "../store/accounts.ts";
import { isTotpActive } from "../store/credentials.ts";
import type { LinkedSignIn } from "../store/oidc-links.ts";
import type { OpenedSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import type { Passwords } from "./passwords.ts";
import { type Caller, networkOf, originOf, type SignInThrottles } from "./throttles.ts";

const periodSeconds = 30;
/** Accepted steps before and after now: clocks differ, and people type slowly (RFC 6238 section 5.2). */
const stepsAround = 1;
/** RFC 4226 section 4, R6: 160 bits. */
const secretBytes = 20;
/** 80 bits cannot be guessed, so hashes need no salt and attempts no throttle. 16 letters in base32. */
const recoveryCodeBytes = 10;
const recoveryCodesCount = 10;
const recoveryCodePattern = /^[A-Z2-7]{16}$/;

/** Base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** Time step of a code; null if it is not valid now. */
export function totpStepOf(secret: string, code: string, now: Date): number | null {
  const digits = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const delta = totpOf(secret).validate({ token: digits, timestamp: now.getTime(), window: stepsAround });
  return delta === null ? null : Math.floor(now.getTime() / 1_000 / periodSeconds) + delta;
}

/** Content of the QR code. The authenticator shows `issuer` and `email` to its owner. */
export function totpUri(secret: string, { issuer, email }: { readonly issuer: string; readonly email: string }): string {
  return totpOf(secret, { issuer, label: email }).toString();
}

function totpOf(secret: string, names: { readonly issuer?: string; readonly label?: string } = {}): TOTP {
  return new TOTP({ ...names, algorithm: "SHA1", digits: 6, period: periodSeconds, secret: Secret.fromBase32(secret) });
}

/** Ten codes in the normal form of `parseRecoveryCode`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: recoveryCodesCount }, () => new Secret({ size: recoveryCodeBytes }).base32);
}

/** Groups of four, for copying by hand. */
export function formatRecoveryCode(code: string): string {
  return (code.match(/.{4}/g) ?? []).join("-").toLowerCase();
}

/** Accepts any case, blanks and hyphens; null if malformed. */
export function parseRecoveryCode(typed: string): string | null {
  const code = typed.replaceAll(/[\s-]/g, "").toUpperCase();
  return recoveryCodePattern.test(code) ? code : null;
}

const pendingMs = 10 * 60_000;
/** Wrong codes until the sign-in starts over. */
const wrongCodesMax = 5;
/** Per account and client address (IPv6: /64). Beyond this the oldest of both is dropped, so no other address can drop it. */
const pendingOfAddressMax = 5;
/** All pending sign-ins, about 1 MB. Each costs a password hash or a sign-in at the provider, so an attacker needs minutes and as many networks. */
const pendingMax = 2_000;

interface PendingSignIn {
  readonly accountId: number;
  /** The account's hash at the first factor; it may change before the code arrives. Null without a password. */
  readonly passwordHash: string | null;
  /** Linked to the account with the second factor; null for a sign-in that links nothing. */
  readonly link: LinkedSignIn | null;
  readonly address: string;
  readonly network: string;
  readonly expiresAtMs: number;
  readonly wrongCodes: number;
}

type Entry = readonly [challenge: string, PendingSignIn];

export function createPendingSignIns(nowMs: () => number) {
  const pending = new Map<string, PendingSignIn>();
  /** Pending sign-in; undefined if unknown, expired, or answered wrongly too often. */
  const find = (challenge: string): PendingSignIn | undefined => {
    const found = pending.get(challenge);
    return found !== undefined && nowMs() < found.expiresAtMs && found.wrongCodes < wrongCodesMax ? found : undefined;
  };

  function makeRoom(accountId: number, address: string): void {
    for (const challenge of pending.keys()) if (find(challenge) === undefined) pending.delete(challenge);
    const own = [...pending].filter(([, each]) => each.accountId === accountId && each.address === address);
    for (const [challenge] of own.slice(0, Math.max(0, own.length - pendingOfAddressMax + 1))) pending.delete(challenge);
    if (pending.size < pendingMax) return;
    // The largest holder loses an entry: an attacker drops own ones before entries of another account or network.
    const ofAccount = largestGroup([...pending], (each) => each.accountId);
    const [oldest] = largestGroup(ofAccount, (each) => each.network);
    if (oldest !== undefined) pending.delete(oldest[0]);
  }

  return {
    /** Returns a challenge that represents the verified first factor. */
    begin: ({ accountId, passwordHash, link }: Pick<PendingSignIn, "accountId" | "passwordHash" | "link">, caller: Caller): string => {
      const { address } = caller;
      makeRoom(accountId, address);
      const challenge = randomBytes(32).toString("base64url");
      const network = networkOf(caller);
      pending.set(challenge, { accountId, passwordHash, link, address, network, expiresAtMs: nowMs() + pendingMs, wrongCodes: 0 });
      return challenge;
    },
    find,
    recordWrongCode: (challenge: string): void => {
      const found = pending.get(challenge);
      if (found !== undefined) pending.set(challenge, { ...found, wrongCodes: found.wrongCodes + 1 });
    },
    end: (challenge: string): void => void pending.delete(challenge),
  };
}

/** Largest group; the group that began first wins a tie. Keeps the order. */
function largestGroup(entries: readonly Entry[], keyOf: (each: PendingSignIn) => string | number): readonly Entry[] {
  const groups = Map.groupBy(entries, ([, each]) => keyOf(each));
  return [...groups.values()].reduce<readonly Entry[]>((best, group) => (group.length > best.length ? group : best), []);
}

/** Throttled, or too many hashes at once: nothing was checked. */
export type RetryLater = { readonly status: "throttled"; readonly seconds: number } | { readonly status: "busy" };

export interface SignInSuccess {
  readonly status: "signed-in";
  readonly account: Account;
  readonly opened: OpenedSession;
}

export type PasswordStep =
  | SignInSuccess
  /** The first factor was right; `challenge` represents it in the second step. */
  | { readonly status: "second-factor"; readonly challenge: string }
  /** `because` and `accountId` are for the log only; the visitor always gets the same text. */
  | { readonly status: "refused"; readonly because: "unknown" | "password" | "disabled"; readonly accountId: number | null }
  | RetryLater;

type CodeStep =
  | (SignInSuccess & { readonly by: "totp" | "recovery-code"; readonly recoveryCodesLeft: number })
  | { readonly status: "wrong-code"; readonly accountId: number }
  | { readonly status: "over" }
  | RetryLater;

export interface SignIn {
  /** `link`: identity that is linked to the account once all its factors are proven. */
  signIn(attempt: {
    readonly email: string;
    readonly password: string;
    readonly caller: Caller;
    readonly link?: LinkedSignIn;
  }): Promise<PasswordStep>;
  /** Goes on after an identity provider has identified the owner. A second factor of the account is still asked for. */
  signInIdentified(account: Account, caller: Caller): Promise<PasswordStep>;
  /** `code`: a TOTP or recovery code as typed. */
  proveSecondFactor(attempt: { readonly challenge: string; readonly code: string; readonly caller: Caller }): Promise<CodeStep>;
}

interface SignInSettings {
  readonly store: Pick<Store, "accounts" | "credentials" | "oidcLinks" | "sessions">;
  readonly passwords: Passwords;
  readonly throttles: SignInThrottles;
  readonly now: () => Date;
}

interface FirstFactor {
  readonly accountId: number;
  /** At the time of the proof. */
  readonly passwordHash: string | null;
  readonly link: LinkedSignIn | null;
}

export function createSignIn({ store, passwords, throttles, now }: SignInSettings): SignIn {
  const pending = createPendingSignIns(() => now().getTime());

  async function open({ accountId, passwordHash, link }: FirstFactor, caller: Caller): Promise<SignInSuccess | null> {
    // An identity that another account took meanwhile must not sign in to this one.
    if (link !== null && (await store.oidcLinks.attach(accountId, passwordHash, link)) === "taken") return null;
    const opened = await store.sessions.open({ accountId, verifiedPasswordHash: passwordHash, origin: originOf(caller), now: now() });
    const account = store.accounts.findById(accountId);
    return opened === undefined || account === undefined ? null : { status: "signed-in", account, opened };
  }

  async function afterFirstFactor(proven: FirstFactor, caller: Caller): Promise<PasswordStep> {
    const { accountId } = proven;
    if (isTotpActive(store.credentials.get(accountId).totp)) return { status: "second-factor", challenge: pending.begin(proven, caller) };
    return (await open(proven, caller)) ?? { status: "refused", because: "password", accountId };
  }

  return {
    signIn: async ({ email, password, caller, link = null }) => {
      const seconds = throttles.attemptPassword(caller, email);
      if (seconds > 0) return { status: "throttled", seconds };
      const account = store.accounts.findByEmail(email);
      const passwordHash = account === undefined ? null : store.credentials.get(account.id).passwordHash;
      const matches = await passwords.matches(password, passwordHash, caller);
      if (matches === "busy") {
        throttles.undoPassword(caller, email);
        return { status: "busy" };
      }
      if (account === undefined) return { status: "refused", because: "unknown", accountId: null };
      if (!matches || passwordHash === null) return { status: "refused", because: "password", accountId: account.id };
      if (account.disabled) return { status: "refused", because: "disabled", accountId: account.id };
      throttles.acceptPassword(caller, email);
      return afterFirstFactor({ accountId: account.id, passwordHash, link }, caller);
    },

    signInIdentified: async ({ id, disabled }, caller) => {
      if (disabled) return { status: "refused", because: "disabled", accountId: id };
      return afterFirstFactor({ accountId: id, passwordHash: store.credentials.get(id).passwordHash, link: null }, caller);
    },

    proveSecondFactor: async ({ challenge, code, caller }) => {
      const verified = pending.find(challenge);
      if (verified === undefined) return { status: "over" };
      const { accountId } = verified;
      const recoveryCode = parseRecoveryCode(code);
      const right =
        recoveryCode === null ? await isRightCode(accountId, code) : await store.credentials.useRecoveryCode(accountId, recoveryCode);
      if (typeof right === "object") return right;
      if (!right) {
        pending.recordWrongCode(challenge);
        return { status: "wrong-code", accountId };
      }
      pending.end(challenge);
      const signedIn = await open(verified, caller);
      if (signedIn === null) return { status: "over" };
      const recoveryCodesLeft = store.credentials.get(accountId).recoveryCodeHashes.length;
      return { ...signedIn, by: recoveryCode === null ? "totp" : "recovery-code", recoveryCodesLeft };
    },
  };

  async function isRightCode(accountId: number, code: string): Promise<boolean | RetryLater> {
    const seconds = throttles.attemptCode(accountId);
    if (seconds > 0) return { status: "throttled", seconds };
    const { totp } = store.credentials.get(accountId);
    const step = isTotpActive(totp) ? totpStepOf(totp.secret, code, now()) : null;
    const right = step !== null && (await store.credentials.useTotpStep(accountId, step));
    if (right) throttles.acceptCode(accountId);
    return right;
  }
}
