/** How accounts come to be, and how a forgotten password is replaced: by link, by open sign-up, or by the operator. */

import { isEmail } from "../store/account-index.ts";
import type { Account, AccountRefusal, Plan } from "../store/accounts.ts";
import type { Store } from "../store/store.ts";
import type { PasswordFault, Passwords } from "./passwords.ts";

export interface Wanted {
  readonly email: string;
  readonly password: string;
}

export type Refused = {
  readonly status: "refused";
  readonly fault: PasswordFault | AccountRefusal | "link-invalid" | "email-not-invited" | "not-set-up";
};
export type Registered = { readonly status: "registered"; readonly account: Account } | Refused | { readonly status: "busy" };

export interface Registration {
  /** Only where sign-up is open; `not-set-up` while there is no account at all. */
  signUp(wanted: Wanted, plan: Plan): Promise<Registered>;
  signUpByLink(kind: "setup" | "invite", value: string, wanted: Wanted): Promise<Registered>;
  /** By a link of kind `reset`. */
  resetPassword(value: string, password: string): Promise<Registered>;
}

export interface RegistrationSettings {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly now: () => Date;
}

export function createRegistration({ store, passwords, now }: RegistrationSettings): Registration {
  /** Everything that can be refused without work is, before a hash is made. */
  async function hashed(
    { email, password }: Wanted,
    create: (passwordHash: string) => Promise<Account | Refused["fault"]>,
  ): Promise<Registered> {
    if (!isEmail(email.trim())) return refused("email-invalid");
    const fault = passwords.faultOf(password, email);
    if (fault !== null) return refused(fault);
    const passwordHash = await passwords.hash(password);
    if (passwordHash === "busy") return { status: "busy" };
    const account = await create(passwordHash);
    return typeof account === "string" ? refused(account) : { status: "registered", account };
  }

  return {
    signUp: async (wanted, plan) => {
      // The first account is the admin's, and no stranger may be first.
      if (!store.hasAccounts()) return refused("not-set-up");
      return hashed(wanted, (passwordHash) => store.createAccount({ email: wanted.email, plan, passwordHash, now: now() }));
    },

    signUpByLink: async (kind, value, wanted) => {
      if (store.linkByValue(kind, value, now()) === undefined) return refused("link-invalid");
      return hashed(wanted, (passwordHash) => store.signUpByLink(kind, value, { email: wanted.email, passwordHash, now: now() }));
    },

    resetPassword: async (value, password) => {
      const accountId = store.linkByValue("reset", value, now())?.accountId ?? null;
      const account = accountId === null ? undefined : store.accountById(accountId);
      if (account === undefined) return refused("link-invalid");
      return hashed({ email: account.email, password }, (passwordHash) => store.resetByLink(value, passwordHash, now()));
    },
  };
}

function refused(fault: Refused["fault"]): Refused {
  return { status: "refused", fault };
}
