/** How accounts come to be, and how a forgotten password is replaced: by link, by open sign-up, or by the operator. */

import { isEmail } from "../store/account-index.ts";
import type { Account, AccountRefusal, Plan } from "../store/accounts.ts";
import type { OpenedSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { type Caller, originOf } from "./caller.ts";
import type { PasswordFault, Passwords } from "./passwords.ts";
import type { HeldUp } from "./sign-in.ts";
import type { SignInThrottles } from "./sign-in-throttles.ts";

export interface Wanted {
  readonly email: string;
  readonly password: string;
}

export type Refused = {
  readonly status: "refused";
  readonly fault: PasswordFault | AccountRefusal | "link-invalid" | "email-not-invited" | "not-set-up";
};
export type Registered =
  /** Signed in at once, with the password that was just chosen. */
  { readonly status: "registered"; readonly account: Account; readonly opened: OpenedSession | null } | Refused | HeldUp;
export type Reset = { readonly status: "reset"; readonly account: Account } | Refused | { readonly status: "busy" };

export interface Registration {
  /** Only where sign-up is open; `not-set-up` while there is no account at all. */
  signUp(wanted: Wanted, plan: Plan, caller: Caller): Promise<Registered>;
  signUpByLink(kind: "setup" | "invite", value: string, wanted: Wanted, caller: Caller): Promise<Registered>;
  /** By a link of kind `reset`. Signs nobody in: a second factor is still to be asked for. */
  resetPassword(value: string, password: string): Promise<Reset>;
}

export interface RegistrationSettings {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly guesses: SignInThrottles;
  readonly now: () => Date;
}

export function createRegistration({ store, passwords, guesses, now }: RegistrationSettings): Registration {
  /** Everything that can be refused without work is, before a hash is made. */
  async function hashed({ email, password }: Wanted, caller?: Caller): Promise<string | Refused | { readonly status: "busy" }> {
    if (!isEmail(email.trim())) return refused("email-invalid");
    const fault = passwords.faultOf(password, email);
    if (fault !== null) return refused(fault);
    const hash = await passwords.hash(password, caller);
    return hash === "busy" ? { status: "busy" } : hash;
  }

  async function register(
    wanted: Wanted,
    caller: Caller,
    create: (passwordHash: string) => Promise<Account | Refused["fault"]>,
  ): Promise<Registered> {
    const seconds = guesses.name(caller);
    if (seconds > 0) return { status: "throttled", seconds };
    const passwordHash = await hashed(wanted, caller);
    if (typeof passwordHash !== "string") return passwordHash;
    const account = await create(passwordHash);
    if (typeof account === "string") return refused(account);
    const opening = { accountId: account.id, verifiedPasswordHash: passwordHash, origin: originOf(caller), now: now() };
    return { status: "registered", account, opened: (await store.sessions.open(opening)) ?? null };
  }

  return {
    signUp: async (wanted, plan, caller) => {
      // The first account is the admin's, and no stranger may be first.
      if (!store.accounts.hasAny()) return refused("not-set-up");
      return register(wanted, caller, (passwordHash) => store.accounts.create({ email: wanted.email, plan, passwordHash, now: now() }));
    },

    signUpByLink: async (kind, value, wanted, caller) => {
      if (store.oneTimeLinks.findByValue(kind, value, now()) === undefined) return refused("link-invalid");
      const { email } = wanted;
      const registered = await register(wanted, caller, (passwordHash) =>
        store.redemptions.signUp(kind, value, { email, passwordHash, now: now() }),
      );
      if (registered.status === "registered") guesses.nameWasGiven(caller);
      return registered;
    },

    resetPassword: async (value, password) => {
      const accountId = store.oneTimeLinks.findByValue("reset", value, now())?.accountId ?? null;
      const account = accountId === null ? undefined : store.accounts.findById(accountId);
      if (account === undefined) return refused("link-invalid");
      const passwordHash = await hashed({ email: account.email, password });
      if (typeof passwordHash !== "string") return passwordHash;
      const reset = await store.redemptions.resetPassword(value, passwordHash, now());
      return typeof reset === "string" ? refused(reset) : { status: "reset", account: reset };
    },
  };
}

function refused(fault: Refused["fault"]): Refused {
  return { status: "refused", fault };
}
