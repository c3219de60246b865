/** Sign-in: password or identity provider, then the second factor if active; each sign-in opens a new session. */
import type { Account } from "../store/accounts.ts";
import { isTotpActive } from "../store/credentials.ts";
import type { LinkedSignIn } from "../store/oidc-links.ts";
import type { OpenedSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { type Caller, originOf } from "./caller.ts";
import type { Passwords } from "./passwords.ts";
import { createPendingSignIns } from "./pending-sign-ins.ts";
import { parseRecoveryCode, totpStepOf } from "./second-factor.ts";
import type { SignInThrottles } from "./sign-in-throttles.ts";

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

export type CodeStep =
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

export interface SignInSettings {
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
