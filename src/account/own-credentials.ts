/** What somebody who is signed in changes about how they sign in. Each change asks for the password; one of password or second factor ends all sessions and opens a new one. */
import type { Account, AccountRefusal } from "../store/accounts.ts";
import { type Credentials, isInForce } from "../store/credentials.ts";
import { hashOfSecret } from "../store/secret-value.ts";
import type { OpenedSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { type Caller, originOf } from "./caller.ts";
import type { PasswordFault, Passwords } from "./passwords.ts";
import { newRecoveryCodes, newTotpSecret, totpStepOf } from "./second-factor.ts";
import type { HeldUp } from "./sign-in.ts";
import type { SignInThrottles } from "./sign-in-throttles.ts";

/** Who changes, from where, and the password that proves it. */
export interface Proof {
  readonly account: Account;
  readonly password: string;
  readonly caller: Caller;
}

/** The new session of whoever made the change; its cookie replaces the former one. */
export interface Changed {
  readonly status: "changed";
  readonly opened: OpenedSession;
}

export type Unproved = { readonly status: "wrong-password" } | HeldUp;

export interface OwnCredentials {
  changePassword(
    proof: Proof,
    newPassword: string,
  ): Promise<Changed | { readonly status: "refused"; readonly fault: PasswordFault } | Unproved>;
  /** Sessions stay open: who has them is the same. */
  changeEmail(
    proof: Proof,
    email: string,
  ): Promise<
    { readonly status: "renamed"; readonly account: Account } | { readonly status: "refused"; readonly fault: AccountRefusal } | Unproved
  >;
  /** A secret for an authenticator, kept until a code confirms it; null while a second factor is in force. */
  offerTotp(account: Account): Promise<string | null>;
  /** The secret that was offered and not confirmed yet. */
  offeredTotp(account: Account): string | null;
  /** Puts the offered secret in force. The recovery codes are known only here and now. */
  confirmTotp(
    proof: Proof,
    code: string,
  ): Promise<
    | (Changed & { readonly recoveryCodes: readonly string[] })
    | { readonly status: "wrong-code" }
    | { readonly status: "not-offered" }
    | Unproved
  >;
  removeTotp(proof: Proof): Promise<Changed | Unproved>;
  /** Ten new ones; the former are void. `not-offered` without a second factor. */
  renewRecoveryCodes(
    proof: Proof,
  ): Promise<(Changed & { readonly recoveryCodes: readonly string[] }) | { readonly status: "not-offered" } | Unproved>;
}

export interface OwnCredentialsSettings {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly guesses: SignInThrottles;
  readonly now: () => Date;
}

export function createOwnCredentials({ store, passwords, guesses, now }: OwnCredentialsSettings): OwnCredentials {
  /** Null when the password is right, and the change may be made. */
  async function unproved({ account, password, caller }: Proof): Promise<Unproved | null> {
    const seconds = guesses.password(caller, account.email);
    if (seconds > 0) return { status: "throttled", seconds };
    const matches = await passwords.matches(password, store.credentials.get(account.id).passwordHash, caller);
    if (matches !== true) {
      if (matches === "busy") guesses.passwordWasNotTried(caller, account.email);
      return matches === "busy" ? { status: "busy" } : { status: "wrong-password" };
    }
    guesses.passwordWasRight(caller, account.email);
    return null;
  }

  /** `verified` are the credentials that the password was compared with: a change made meanwhile wins. */
  async function change({ account, caller }: Proof, verified: Credentials, changed: Partial<Credentials>): Promise<Changed | Unproved> {
    const outcome = await store.credentials.change(account.id, changed, { verified, reopen: { origin: originOf(caller), now: now() } });
    return outcome?.opened ? { status: "changed", opened: outcome.opened } : { status: "wrong-password" };
  }

  async function withNewRecoveryCodes(proof: Proof, verified: Credentials, changed: Partial<Credentials>) {
    const recoveryCodes = newRecoveryCodes();
    const outcome = await change(proof, verified, { ...changed, recoveryCodeHashes: recoveryCodes.map(hashOfSecret) });
    return outcome.status === "changed" ? { ...outcome, recoveryCodes } : outcome;
  }

  return {
    changePassword: async (proof, newPassword) => {
      const fault = passwords.faultOf(newPassword, proof.account.email);
      if (fault !== null) return { status: "refused", fault };
      const verified = store.credentials.get(proof.account.id);
      const refusal = await unproved(proof);
      if (refusal !== null) return refusal;
      const passwordHash = await passwords.hash(newPassword, proof.caller);
      return passwordHash === "busy" ? { status: "busy" } : change(proof, verified, { passwordHash });
    },

    changeEmail: async (proof, email) => {
      const refusal = await unproved(proof);
      if (refusal !== null) return refusal;
      const seconds = guesses.name(proof.caller);
      if (seconds > 0) return { status: "throttled", seconds };
      const account = await store.accounts.setEmail(proof.account.id, email);
      if (account === undefined) return { status: "wrong-password" };
      if (typeof account === "string") return { status: "refused", fault: account };
      guesses.nameWasGiven(proof.caller);
      return { status: "renamed", account };
    },

    offerTotp: async ({ id }) => {
      const secret = newTotpSecret();
      return (await store.credentials.offerTotp(id, secret)) ? secret : null;
    },

    offeredTotp: ({ id }) => {
      const { totp } = store.credentials.get(id);
      return totp === null || isInForce(totp) ? null : totp.secret;
    },

    confirmTotp: async (proof, code) => {
      const verified = store.credentials.get(proof.account.id);
      const { totp } = verified;
      if (totp === null || isInForce(totp)) return { status: "not-offered" };
      const refusal = await unproved(proof);
      if (refusal !== null) return refusal;
      const lastUsedStep = totpStepOf(totp.secret, code, now());
      if (lastUsedStep === null) return { status: "wrong-code" };
      return withNewRecoveryCodes(proof, verified, { totp: { secret: totp.secret, confirmedAt: now().toISOString(), lastUsedStep } });
    },

    removeTotp: async (proof) => {
      const verified = store.credentials.get(proof.account.id);
      return (await unproved(proof)) ?? change(proof, verified, { totp: null, recoveryCodeHashes: [] });
    },

    renewRecoveryCodes: async (proof) => {
      const verified = store.credentials.get(proof.account.id);
      if (!isInForce(verified.totp)) return { status: "not-offered" };
      return (await unproved(proof)) ?? withNewRecoveryCodes(proof, verified, {});
    },
  };
}
