/** Signing in: password, then second factor where there is one; each sign-in opens a new session. */
import type { Account } from "../store/accounts.ts";
import { isInForce } from "../store/credentials.ts";
import type { OpenedSession } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { type Caller, originOf } from "./caller.ts";
import type { Passwords } from "./passwords.ts";
import { createPendingSignIns } from "./pending-sign-ins.ts";
import { recoveryCodeOf, totpStepOf } from "./second-factor.ts";
import type { SignInThrottles } from "./sign-in-throttles.ts";

/** Too many guesses, or too many at once: nothing was looked at. */
export type HeldUp = { readonly status: "throttled"; readonly seconds: number } | { readonly status: "busy" };

export interface SignedInAnew {
  readonly status: "signed-in";
  readonly account: Account;
  readonly opened: OpenedSession;
}

export type PasswordStep =
  | SignedInAnew
  /** The password was right; `challenge` stands for it in the second step. */
  | { readonly status: "second-factor"; readonly challenge: string }
  /** `because` and `accountId` are for the log: the visitor is told the same, whichever it was. */
  | { readonly status: "refused"; readonly because: "unknown" | "password" | "disabled"; readonly accountId: number | null }
  | HeldUp;

export type CodeStep =
  | (SignedInAnew & { readonly by: "totp" | "recovery-code"; readonly recoveryCodesLeft: number })
  | { readonly status: "wrong-code"; readonly accountId: number }
  /** Ten minutes are over, or five codes were wrong: the password is asked for again. */
  | { readonly status: "over" }
  | HeldUp;

export interface SignIn {
  signIn(attempt: { readonly email: string; readonly password: string; readonly caller: Caller }): Promise<PasswordStep>;
  /** `code` is one of the authenticator or a recovery code, however it was typed. */
  proveSecondFactor(attempt: { readonly challenge: string; readonly code: string; readonly caller: Caller }): Promise<CodeStep>;
}

export interface SignInSettings {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly guesses: SignInThrottles;
  readonly now: () => Date;
}

export function createSignIn({ store, passwords, guesses, now }: SignInSettings): SignIn {
  const pending = createPendingSignIns(() => now().getTime());

  async function open(accountId: number, verifiedPasswordHash: string, caller: Caller): Promise<SignedInAnew | null> {
    const opened = await store.sessions.open({ accountId, verifiedPasswordHash, origin: originOf(caller), now: now() });
    const account = store.accounts.findById(accountId);
    return opened === undefined || account === undefined ? null : { status: "signed-in", account, opened };
  }

  return {
    signIn: async ({ email, password, caller }) => {
      const seconds = guesses.password(caller, email);
      if (seconds > 0) return { status: "throttled", seconds };
      const account = store.accounts.findByEmail(email);
      const { passwordHash = null, totp = null } = account === undefined ? {} : store.credentials.get(account.id);
      const matches = await passwords.matches(password, passwordHash, caller);
      if (matches === "busy") {
        guesses.passwordWasNotTried(caller, email);
        return { status: "busy" };
      }
      if (account === undefined) return { status: "refused", because: "unknown", accountId: null };
      if (!matches || passwordHash === null) return { status: "refused", because: "password", accountId: account.id };
      if (account.disabled) return { status: "refused", because: "disabled", accountId: account.id };
      guesses.passwordWasRight(caller, email);
      if (isInForce(totp)) return { status: "second-factor", challenge: pending.begin({ accountId: account.id, passwordHash }) };
      return (await open(account.id, passwordHash, caller)) ?? { status: "refused", because: "password", accountId: account.id };
    },

    proveSecondFactor: async ({ challenge, code, caller }) => {
      const proved = pending.find(challenge);
      if (proved === undefined) return { status: "over" };
      const { accountId } = proved;
      const recoveryCode = recoveryCodeOf(code);
      const right =
        recoveryCode === null ? await isRightCode(accountId, code) : await store.credentials.useRecoveryCode(accountId, recoveryCode);
      if (typeof right === "object") return right;
      if (!right) {
        pending.noteWrongCode(challenge);
        return { status: "wrong-code", accountId };
      }
      pending.end(challenge);
      const signedIn = await open(accountId, proved.passwordHash, caller);
      if (signedIn === null) return { status: "over" };
      const recoveryCodesLeft = store.credentials.get(accountId).recoveryCodeHashes.length;
      return { ...signedIn, by: recoveryCode === null ? "totp" : "recovery-code", recoveryCodesLeft };
    },
  };

  async function isRightCode(accountId: number, code: string): Promise<boolean | HeldUp> {
    const seconds = guesses.code(accountId);
    if (seconds > 0) return { status: "throttled", seconds };
    const { totp } = store.credentials.get(accountId);
    const step = isInForce(totp) ? totpStepOf(totp.secret, code, now()) : null;
    const right = step !== null && (await store.credentials.useTotpStep(accountId, step));
    if (right) guesses.codeWasRight(accountId);
    return right;
  }
}
