/**
 * Credential changes by a signed-in person. Each change requires the password.
 * A change of password or second factor ends all sessions and opens a new one.
 */
import type { Account, AccountRefusal } from "../store/accounts.ts";
import { type Credentials, isTotpActive } from "../store/credentials.ts";
import { hashOfSecret } from "../store/secret-value.ts";
import type { OpenedSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import type { PasswordFault, Passwords } from "./passwords.ts";
import { newRecoveryCodes, newTotpSecret, type RetryLater, totpStepOf } from "./sign-in.ts";
import { type Caller, originOf, type SignInThrottles } from "./throttles.ts";

/** Account, client and the password that authorises a change. */
interface PasswordProof {
  readonly account: Account;
  readonly password: string;
  readonly caller: Caller;
}

/** `opened` is the new session; its cookie replaces the old one. */
interface CredentialsChanged {
  readonly status: "changed";
  readonly opened: OpenedSession;
}

export type PasswordRefusal = { readonly status: "wrong-password" } | RetryLater;

interface OwnCredentialsSettings {
  readonly store: Pick<Store, "accounts" | "credentials">;
  readonly passwords: Passwords;
  readonly throttles: SignInThrottles;
  readonly now: () => Date;
}

export function createOwnCredentials(settings: OwnCredentialsSettings) {
  const steps = createChangeSteps(settings);
  return { ...loginChanges(settings, steps), ...secondFactorChanges(settings, steps) };
}

function createChangeSteps({ store, passwords, throttles, now }: OwnCredentialsSettings) {
  /** Null if the password is right. */
  async function verifyPassword({ account, password, caller }: PasswordProof): Promise<PasswordRefusal | null> {
    const seconds = throttles.attemptPassword(caller, account.email);
    if (seconds > 0) return { status: "throttled", seconds };
    const matches = await passwords.matches(password, store.credentials.get(account.id).passwordHash, caller);
    if (matches !== true) {
      if (matches === "busy") throttles.undoPassword(caller, account.email);
      return matches === "busy" ? { status: "busy" } : { status: "wrong-password" };
    }
    throttles.acceptPassword(caller, account.email);
    return null;
  }

  /** `verified`: the credentials that the password was checked against. A concurrent change wins. */
  async function change(
    { account, caller }: PasswordProof,
    verified: Credentials,
    changed: Partial<Credentials>,
  ): Promise<CredentialsChanged | PasswordRefusal> {
    const outcome = await store.credentials.change(account.id, changed, {
      verified,
      reopen: { origin: originOf(caller), now: now() },
      by: "self",
    });
    return outcome?.opened ? { status: "changed", opened: outcome.opened } : { status: "wrong-password" };
  }

  async function withNewRecoveryCodes(proof: PasswordProof, verified: Credentials, changed: Partial<Credentials>) {
    const recoveryCodes = newRecoveryCodes();
    const outcome = await change(proof, verified, { ...changed, recoveryCodeHashes: recoveryCodes.map(hashOfSecret) });
    return outcome.status === "changed" ? { ...outcome, recoveryCodes } : outcome;
  }

  return { verifyPassword, change, withNewRecoveryCodes };
}

type ChangeSteps = ReturnType<typeof createChangeSteps>;

function loginChanges({ store, passwords, throttles }: OwnCredentialsSettings, { verifyPassword, change }: ChangeSteps) {
  return {
    changePassword: async (
      proof: PasswordProof,
      newPassword: string,
    ): Promise<CredentialsChanged | { readonly status: "refused"; readonly fault: PasswordFault } | PasswordRefusal> => {
      const fault = passwords.faultOf(newPassword, proof.account.email);
      if (fault !== null) return { status: "refused", fault };
      const verified = store.credentials.get(proof.account.id);
      const refusal = await verifyPassword(proof);
      if (refusal !== null) return refusal;
      const passwordHash = await passwords.hash(newPassword, proof.caller);
      return passwordHash === "busy" ? { status: "busy" } : change(proof, verified, { passwordHash });
    },

    /** Sessions stay open: their owner is the same. */
    changeEmail: async (
      proof: PasswordProof,
      email: string,
    ): Promise<
      | { readonly status: "renamed"; readonly account: Account }
      | { readonly status: "refused"; readonly fault: AccountRefusal }
      | PasswordRefusal
    > => {
      const refusal = await verifyPassword(proof);
      if (refusal !== null) return refusal;
      const seconds = throttles.attemptEmail(proof.caller);
      if (seconds > 0) return { status: "throttled", seconds };
      const account = await store.accounts.setEmail(proof.account.id, email, "self");
      if (account === undefined) return { status: "wrong-password" };
      if (typeof account === "string") return { status: "refused", fault: account };
      throttles.acceptEmail(proof.caller);
      return { status: "renamed", account };
    },
  };
}

function secondFactorChanges({ store, now }: OwnCredentialsSettings, { verifyPassword, change, withNewRecoveryCodes }: ChangeSteps) {
  return {
    /** New unconfirmed TOTP secret; null while a second factor is active. */
    offerTotp: async ({ id }: Account): Promise<string | null> => {
      const secret = newTotpSecret();
      return (await store.credentials.offerTotp(id, secret)) ? secret : null;
    },

    offeredTotp: ({ id }: Account): string | null => {
      const { totp } = store.credentials.get(id);
      return totp === null || isTotpActive(totp) ? null : totp.secret;
    },

    /** Activates the offered secret. The recovery codes are not stored in clear and cannot be read again. */
    confirmTotp: async (
      proof: PasswordProof,
      code: string,
    ): Promise<
      | (CredentialsChanged & { readonly recoveryCodes: readonly string[] })
      | { readonly status: "wrong-code" }
      | { readonly status: "not-offered" }
      | PasswordRefusal
    > => {
      const verified = store.credentials.get(proof.account.id);
      const { totp } = verified;
      if (totp === null || isTotpActive(totp)) return { status: "not-offered" };
      const refusal = await verifyPassword(proof);
      if (refusal !== null) return refusal;
      const lastUsedStep = totpStepOf(totp.secret, code, now());
      if (lastUsedStep === null) return { status: "wrong-code" };
      return withNewRecoveryCodes(proof, verified, { totp: { secret: totp.secret, confirmedAt: now().toISOString(), lastUsedStep } });
    },

    removeLink: async (proof: PasswordProof): Promise<CredentialsChanged | PasswordRefusal> => {
      const verified = store.credentials.get(proof.account.id);
      return (await verifyPassword(proof)) ?? change(proof, verified, { oidc: null });
    },

    /** Turns the second factor off; the password alone then opens the account. */
    removeTotp: async (proof: PasswordProof): Promise<CredentialsChanged | PasswordRefusal> => {
      const verified = store.credentials.get(proof.account.id);
      return (await verifyPassword(proof)) ?? change(proof, verified, { totp: null, recoveryCodeHashes: [] });
    },

    /** Ten new codes; voids the old ones. `not-offered` without a second factor. */
    renewRecoveryCodes: async (
      proof: PasswordProof,
    ): Promise<
      (CredentialsChanged & { readonly recoveryCodes: readonly string[] }) | { readonly status: "not-offered" } | PasswordRefusal
    > => {
      const verified = store.credentials.get(proof.account.id);
      if (!isTotpActive(verified.totp)) return { status: "not-offered" };
      return (await verifyPassword(proof)) ?? withNewRecoveryCodes(proof, verified, {});
    },
  };
}
