/** Registration by link or open sign-up, and password reset by link. */
import { isEmail } from "../store/account-index.ts";
import type { Account, AccountRefusal, Plan } from "../store/accounts.ts";
import type { OpenedSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { type Caller, originOf } from "./caller.ts";
import type { PasswordFault, Passwords } from "./passwords.ts";
import type { RetryLater } from "./sign-in.ts";
import type { SignInThrottles } from "./sign-in-throttles.ts";

export interface RegistrationRequest {
  readonly email: string;
  readonly password: string;
}

export type RegistrationRefusal = {
  readonly status: "refused";
  readonly fault: PasswordFault | AccountRefusal | "link-invalid" | "email-not-invited" | "not-set-up";
};
export type RegistrationOutcome =
  /** `opened`: the person is signed in at once. */
  { readonly status: "registered"; readonly account: Account; readonly opened: OpenedSession | null } | RegistrationRefusal | RetryLater;
export type PasswordResetOutcome =
  | { readonly status: "reset"; readonly account: Account }
  | RegistrationRefusal
  | { readonly status: "busy" };

export interface RegistrationSettings {
  readonly store: Pick<Store, "accounts" | "sessions" | "oneTimeLinks" | "redemptions">;
  readonly passwords: Passwords;
  readonly throttles: SignInThrottles;
  readonly now: () => Date;
}

export function createRegistration({ store, passwords, throttles, now }: RegistrationSettings) {
  /** All cheap refusals come before the hash. */
  async function hashed(
    { email, password }: RegistrationRequest,
    caller?: Caller,
  ): Promise<string | RegistrationRefusal | { readonly status: "busy" }> {
    if (!isEmail(email.trim())) return refused("email-invalid");
    const fault = passwords.faultOf(password, email);
    if (fault !== null) return refused(fault);
    const hash = await passwords.hash(password, caller);
    return hash === "busy" ? { status: "busy" } : hash;
  }

  async function register(
    request: RegistrationRequest,
    caller: Caller,
    create: (passwordHash: string) => Promise<Account | RegistrationRefusal["fault"]>,
  ): Promise<RegistrationOutcome> {
    const seconds = throttles.attemptEmail(caller);
    if (seconds > 0) return { status: "throttled", seconds };
    const passwordHash = await hashed(request, caller);
    if (typeof passwordHash !== "string") return passwordHash;
    const account = await create(passwordHash);
    if (typeof account === "string") return refused(account);
    const opening = { accountId: account.id, verifiedPasswordHash: passwordHash, origin: originOf(caller), now: now() };
    return { status: "registered", account, opened: (await store.sessions.open(opening)) ?? null };
  }

  return {
    /** Only where sign-up is open. `not-set-up`: no account exists yet. */
    signUp: async (request: RegistrationRequest, plan: Plan, caller: Caller): Promise<RegistrationOutcome> => {
      // The first account is an admin, so open sign-up must not create it.
      if (!store.accounts.hasAny()) return refused("not-set-up");
      return register(request, caller, (passwordHash) =>
        store.accounts.create({ email: request.email, plan, passwordHash, now: now(), by: "self", via: "sign-up" }),
      );
    },

    signUpByLink: async (
      kind: "setup" | "invite",
      value: string,
      request: RegistrationRequest,
      caller: Caller,
    ): Promise<RegistrationOutcome> => {
      if (store.oneTimeLinks.findByValue(kind, value, now()) === undefined) return refused("link-invalid");
      const { email } = request;
      const registered = await register(request, caller, (passwordHash) =>
        store.redemptions.signUp(kind, value, { email, passwordHash, now: now() }),
      );
      if (registered.status === "registered") throttles.acceptEmail(caller);
      return registered;
    },

    /** By a link of kind `reset`. Opens no session, because the second factor is still to be checked. */
    resetPassword: async (value: string, password: string): Promise<PasswordResetOutcome> => {
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

function refused(fault: RegistrationRefusal["fault"]): RegistrationRefusal {
  return { status: "refused", fault };
}
