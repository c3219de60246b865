/** How often passwords, codes and addresses may be guessed: slowed down by where the guesses come from, so that nobody can shut others out. */
import { emailKey } from "../store/account-index.ts";
import { type Caller, networkOf } from "./caller.ts";
import { createThrottle } from "./throttle.ts";

const hourSeconds = 3_600;
/** From one address to one account: in the long run four guesses an hour. */
const perAccount = { freeFailures: 5, waitSecondsMax: 900, forgetSeconds: 4 * hourSeconds };
/** From one customer's network to one account: of IPv6 that is 65,536 of the addresses that guesses are counted by. */
const perAccountOfNetwork = { ...perAccount, freeFailures: 50 };
/** From one address to whatever accounts: a whole office may share it, so its waits stay short. */
const perAddress = { freeFailures: 30, waitSecondsMax: 60, forgetSeconds: hourSeconds };
/** From one customer's network to whatever accounts: too few to drive what is known of others out of memory. */
const perNetwork = { ...perAddress, freeFailures: 300 };
/**
 * Codes of authenticators, from wherever: there are only a million, and who guesses them knows the password already. The owner's way
 * past the wait is a recovery code, which nobody guesses.
 */
const perSecondFactor = { freeFailures: 10, waitSecondsMax: 900, forgetSeconds: 24 * hourSeconds };

/** Accounts made from one customer's network, and tries to, under whatever name: each tells whether a mail address has an account. */
const perName = { freeFailures: 10, waitSecondsMax: 900, forgetSeconds: 24 * hourSeconds };

export interface SignInThrottles {
  /** Seconds to wait before a password may be tried; 0 counts as a wrong one until `passwordWasRight`. */
  password(caller: Caller, email: string): number;
  passwordWasRight(caller: Caller, email: string): void;
  /** It was not looked at after all. */
  passwordWasNotTried(caller: Caller, email: string): void;
  /** The same for a code of an account's authenticator. */
  code(accountId: number): number;
  codeWasRight(accountId: number): void;
  /** Seconds to wait before a mail address may be asked for, be it for an account that is new or for one's own. */
  name(caller: Caller): number;
  /** It was given to somebody who may have one: who was invited, or has an account already. */
  nameWasGiven(caller: Caller): void;
}

export function createSignInThrottles(nowMs: () => number): SignInThrottles {
  const byAccount = createThrottle(perAccount, nowMs);
  const byAccountOfNetwork = createThrottle(perAccountOfNetwork, nowMs);
  const byAddress = createThrottle(perAddress, nowMs);
  const byNetwork = createThrottle(perNetwork, nowMs);
  const byName = createThrottle(perName, nowMs);
  const bySecondFactor = createThrottle(perSecondFactor, nowMs);
  const keyOf = (place: string, email: string) => `${place} ${emailKey(email)}`;
  return {
    password: (caller, email) =>
      byAddress.attempt(caller.address) ||
      byNetwork.attempt(networkOf(caller)) ||
      byAccount.attempt(keyOf(caller.address, email)) ||
      byAccountOfNetwork.attempt(keyOf(networkOf(caller), email)),
    passwordWasRight: (caller, email) => {
      byAddress.takeBack(caller.address);
      byNetwork.takeBack(networkOf(caller));
      byAccount.clear(keyOf(caller.address, email));
      byAccountOfNetwork.clear(keyOf(networkOf(caller), email));
    },
    passwordWasNotTried: (caller, email) => {
      byAddress.takeBack(caller.address);
      byNetwork.takeBack(networkOf(caller));
      byAccount.takeBack(keyOf(caller.address, email));
      byAccountOfNetwork.takeBack(keyOf(networkOf(caller), email));
    },
    code: (accountId) => bySecondFactor.attempt(String(accountId)),
    codeWasRight: (accountId) => bySecondFactor.clear(String(accountId)),
    name: (caller) => byName.attempt(networkOf(caller)),
    nameWasGiven: (caller) => byName.takeBack(networkOf(caller)),
  };
}
