/** Throttles of password, code and mail address guesses. They count by origin, so that an attacker cannot lock out others. */
import { emailKey } from "../store/account-index.ts";
import { type Caller, networkOf } from "./caller.ts";
import { createThrottle } from "./throttle.ts";

const hourSeconds = 3_600;
/** One address, one account: four guesses an hour in the long run. */
const perAccount = { freeFailures: 5, waitSecondsMax: 900, forgetSeconds: 4 * hourSeconds };
/** One customer's network, one account: an IPv6 customer has 65,536 counted networks. */
const perAccountOfNetwork = { ...perAccount, freeFailures: 50 };
/** One address, all accounts: an office may share it, so waits stay short. */
const perAddress = { freeFailures: 30, waitSecondsMax: 60, forgetSeconds: hourSeconds };
/** One customer's network, all accounts: too few to evict the entries of others from memory. */
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
    /** Like `attemptPassword`, for an answer of the identity provider: each costs it some requests. */
    attemptProvider: (caller: Caller): number => byProvider.attempt(networkOf(caller)),
    acceptProvider: (caller: Caller): void => byProvider.undo(networkOf(caller)),
    /** Undoes the count for an invited person or an account's owner. */
    acceptEmail: (caller: Caller): void => byRegistration.undo(networkOf(caller)),
  };
}
