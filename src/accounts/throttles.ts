/** Throttles of password, code and mail address guesses. They count by origin, so that an attacker cannot lock out others. */

import { createLruCache } from "../base/lru-cache.ts";
import { truncatedAddress } from "../parse/address.ts";
import { emailKey } from "../store/account-index.ts";
import type { SessionOrigin } from "../store/sessions.ts";

export interface Caller {
  /** Client address as counted by rate limits: for IPv6 a network. */
  readonly address: string;
  readonly userAgent: string;
}

/** Stored with a session. Truncated for privacy; its owner still recognises it. */
export function originOf(caller: Caller): SessionOrigin {
  return { userAgent: caller.userAgent, address: networkPrefixOf(caller) };
}

/** Network that one customer usually has: the IPv6 prefix or the IPv4 address. */
export function networkOf(caller: Caller): string {
  return caller.address.includes(":") ? networkPrefixOf(caller) : caller.address;
}

/** Network that one customer may have: 65,536 counted IPv6 networks, or a few IPv4 addresses. */
export function networkPrefixOf({ address }: Caller): string {
  return truncatedAddress(address);
}

/** Keys in memory. Beyond this number, the key whose latest attempt is the oldest is dropped. */
const keysMax = 20_000;

interface ThrottleBounds {
  readonly freeFailures: number;
  readonly waitSecondsMax: number;
  /** Idle time after which the count restarts. */
  readonly forgetSeconds: number;
}

export function createThrottle({ freeFailures, waitSecondsMax, forgetSeconds }: ThrottleBounds, nowMs: () => number) {
  const failures = createLruCache<{ readonly count: number; readonly lastMs: number; readonly waitMs: number }>(keysMax);

  return {
    /** Seconds to wait; 0 allows the attempt and counts it as failed, so that parallel attempts gain nothing. */
    attempt: (key: string): number => {
      const now = nowMs();
      const known = failures.peek(key);
      // A clock set back must not prolong the wait.
      const isRecent = known !== undefined && known.lastMs <= now && now < known.lastMs + forgetSeconds * 1_000;
      const { count, lastMs, waitMs } = isRecent ? known : { count: 0, lastMs: now, waitMs: 0 };
      const leftMs = lastMs + waitMs - now;
      if (leftMs > 0) return Math.ceil(leftMs / 1_000);
      const nextWaitMs = count < freeFailures ? 0 : Math.min(2 ** (count - freeFailures), waitSecondsMax) * 1_000;
      failures.set(key, { count: count + 1, lastMs: now, waitMs: nextWaitMs });
      return 0;
    },
    /** Takes the latest attempt out of the count, and ends the wait. */
    undo: (key: string): void => {
      const known = failures.peek(key);
      if (known !== undefined) failures.set(key, { ...known, count: Math.max(0, known.count - 1), waitMs: 0 });
    },
    clear: (key: string): void => void failures.delete(key),
  };
}

const hourSeconds = 3_600;
/** Bounds for guesses at one account from one address: four guesses an hour in the long run. */
const perAccount = { freeFailures: 5, waitSecondsMax: 900, forgetSeconds: 4 * hourSeconds };
/** Bounds for guesses at one account from one customer's network: an IPv6 customer has 65,536 counted networks. */
const perAccountOfNetwork = { ...perAccount, freeFailures: 50 };
/** Bounds for guesses at all accounts from one address: an office may share it, so waits stay short. */
const perAddress = { freeFailures: 30, waitSecondsMax: 60, forgetSeconds: hourSeconds };
/** Bounds for guesses at all accounts from one customer's network: too few to evict the entries of others from memory. */
const perNetwork = { ...perAddress, freeFailures: 300 };
/**
 * TOTP codes from any origin: only a million exist, and an attacker at this step already has the password.
 * A recovery code is not throttled, so the owner can still sign in.
 */
const perSecondFactor = { freeFailures: 10, waitSecondsMax: 900, forgetSeconds: 24 * hourSeconds };
/** Registrations from one customer's network: each attempt reveals whether a mail address has an account. */
const perRegistration = { freeFailures: 10, waitSecondsMax: 900, forgetSeconds: 24 * hourSeconds };

/** Mails that reset a password, to whatever addresses, from one customer's network. */
const perResetMail = { freeFailures: 5, waitSecondsMax: 900, forgetSeconds: 4 * hourSeconds };

export type SignInThrottles = ReturnType<typeof createSignInThrottles>;

export function createSignInThrottles(nowMs: () => number) {
  const byAccount = createThrottle(perAccount, nowMs);
  const byAccountOfNetwork = createThrottle(perAccountOfNetwork, nowMs);
  const byAddress = createThrottle(perAddress, nowMs);
  const byNetwork = createThrottle(perNetwork, nowMs);
  const byRegistration = createThrottle(perRegistration, nowMs);
  const byProvider = createThrottle(perAddress, nowMs);
  const byResetMail = createThrottle(perResetMail, nowMs);
  const bySecondFactor = createThrottle(perSecondFactor, nowMs);
  const accountKey = (origin: string, email: string) => `${origin} ${emailKey(email)}`;
  return {
    /** Seconds to wait; 0 allows the attempt, which counts as a failure until `acceptPassword`. */
    attemptPassword: (caller: Caller, email: string): number =>
      byAddress.attempt(caller.address) ||
      byNetwork.attempt(networkOf(caller)) ||
      byAccount.attempt(accountKey(caller.address, email)) ||
      byAccountOfNetwork.attempt(accountKey(networkOf(caller), email)),
    acceptPassword: (caller: Caller, email: string): void => {
      byAddress.undo(caller.address);
      byNetwork.undo(networkOf(caller));
      byAccount.clear(accountKey(caller.address, email));
      byAccountOfNetwork.clear(accountKey(networkOf(caller), email));
    },
    undoPassword: (caller: Caller, email: string): void => {
      byAddress.undo(caller.address);
      byNetwork.undo(networkOf(caller));
      byAccount.undo(accountKey(caller.address, email));
      byAccountOfNetwork.undo(accountKey(networkOf(caller), email));
    },
    /** Like `attemptPassword`, for a TOTP code. */
    attemptCode: (accountId: number): number => bySecondFactor.attempt(String(accountId)),
    acceptCode: (accountId: number): void => bySecondFactor.clear(String(accountId)),
    /** Like `attemptPassword`, for the mail address of a new or changed account. */
    attemptEmail: (caller: Caller): number => byRegistration.attempt(networkOf(caller)),
    /** Like `attemptPassword`, for a mail that resets a password. */
    attemptResetMail: (caller: Caller): number => byResetMail.attempt(networkOf(caller)),
    /** Like `attemptPassword`, for an answer of the identity provider: each answer costs the provider some requests. */
    attemptProvider: (caller: Caller): number => byProvider.attempt(networkOf(caller)),
    acceptProvider: (caller: Caller): void => byProvider.undo(networkOf(caller)),
    /** Undoes the count for an invited person or an account's owner. */
    acceptEmail: (caller: Caller): void => byRegistration.undo(networkOf(caller)),
  };
}
