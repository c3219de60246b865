/** Sign-in, credentials and registration with shared throttles; refused sign-ins in the audit log. */

import { createLruCache } from "../base/lru-cache.ts";
import { hourMs } from "../base/units.ts";
import { isEmail } from "../parse/mail/address.ts";
import type { Account, AccountRefusal, Plan } from "../store/accounts.ts";
import type { OpenedSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { createOwnCredentials } from "./own-credentials.ts";
import { createPasswords, owaspPasswordCost, type PasswordCost, type PasswordFault, type Passwords } from "./passwords.ts";
import { createSignIn, type RetryLater } from "./sign-in.ts";
import { type Caller, createSignInThrottles, originOf, type SignInThrottles } from "./throttles.ts";

export type AccountActions = ReturnType<typeof createAccountActions>;

export function createAccountActions({
  store,
  passwordCharsMin,
  passwordCost = owaspPasswordCost,
  now,
}: {
  readonly store: Pick<Store, "accounts" | "credentials" | "oidcLinks" | "sessions" | "oneTimeLinks" | "redemptions" | "audit">;
  /** Setting `accounts.password_min`. */
  readonly passwordCharsMin: number;
  readonly passwordCost?: PasswordCost;
  readonly now: () => Date;
}) {
  const passwords = createPasswords({ charsMin: passwordCharsMin, cost: passwordCost });
  const throttles = createSignInThrottles(() => now().getTime());
  return {
    passwords,
    throttles,
    ...createSignIn({ store, passwords, throttles, now }),
    ...createOwnCredentials({ store, passwords, throttles, now }),
    ...createSignInRefusals({ store, now }),
    ...createRegistration({ store, passwords, throttles, now }),
  };
}

/** Accounts and reasons whose last hour is known; with more, an hour may have two entries. */
const rememberedMax = 10_000;

interface SignInRefusal {
  readonly because: string;
  /** Null for an unknown mail address, which is never noted: the log is for known accounts. */
  readonly accountId: number | null;
  /** Truncated. */
  readonly address: string;
}

/** Notes the first refusal of an account for a reason in each hour. Resolves when it is on disk. */
export function createSignInRefusals({ store, now }: { readonly store: Pick<Store, "accounts" | "audit">; readonly now: () => Date }) {
  const noted = createLruCache<number>(rememberedMax);
  return {
    noteRefusal: async ({ because, accountId, address }: SignInRefusal): Promise<void> => {
      const account = accountId === null ? undefined : store.accounts.findById(accountId);
      if (account === undefined || (because === "password" && !account.admin)) return;
      const hour = Math.floor(now().getTime() / hourMs);
      const key = `${account.id} ${because}`;
      if (noted.get(key) === hour) return;
      noted.set(key, hour);
      const subject = { kind: "account", id: account.id } as const;
      await store.audit.note({
        actor: { kind: "visitor" },
        action: "sign-in.refused",
        subject,
        details: { because, address },
        now: now(),
      });
    },
  };
}

interface RegistrationRequest {
  readonly email: string;
  readonly password: string;
}

type RegistrationRefusal = {
  readonly status: "refused";
  readonly fault: PasswordFault | AccountRefusal | "link-invalid" | "email-not-invited" | "not-set-up";
};
export type RegistrationOutcome =
  /** `opened`: the person is signed in at once. */
  { readonly status: "registered"; readonly account: Account; readonly opened: OpenedSession | null } | RegistrationRefusal | RetryLater;
type PasswordResetOutcome = { readonly status: "reset"; readonly account: Account } | RegistrationRefusal | { readonly status: "busy" };

interface RegistrationSettings {
  readonly store: Pick<Store, "accounts" | "sessions" | "oneTimeLinks" | "redemptions">;
  readonly passwords: Passwords;
  readonly throttles: SignInThrottles;
  readonly now: () => Date;
}

function createRegistration({ store, passwords, throttles, now }: RegistrationSettings) {
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
    /** Registers without a link, only where sign-up is open. `not-set-up`: no account exists yet. */
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
      const create = (passwordHash: string) => store.redemptions.signUp(kind, value, { email, passwordHash, now: now() });
      return settled(throttles, caller, await register(request, caller, create));
    },

    /** `value`: of a member's invitation, which permits an account for its address while sign-up is closed. */
    signUpInvited: async (value: string, { email, ...request }: RegistrationRequest, plan: Plan, caller: Caller) => {
      const create = (passwordHash: string) => store.redemptions.signUpInvited(value, { email, plan, passwordHash, now: now() });
      return settled(throttles, caller, await register({ email, ...request }, caller, create));
    },

    /** Sets a new password by a link of kind `reset`. Opens no session, because the second factor is still to be checked. */
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

/** A valid link ends the wait of its caller. */
function settled(throttles: SignInThrottles, caller: Caller, registered: RegistrationOutcome): RegistrationOutcome {
  if (registered.status === "registered") throttles.acceptEmail(caller);
  return registered;
}

function refused(fault: RegistrationRefusal["fault"]): RegistrationRefusal {
  return { status: "refused", fault };
}
