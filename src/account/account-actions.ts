/** Sign-in, credentials and registration with shared throttles. */
import type { Store } from "../store/store.ts";
import { createOwnCredentials } from "./own-credentials.ts";
import { createPasswords, owaspPasswordCost, type PasswordCost } from "./passwords.ts";
import { createRegistration } from "./registration.ts";
import { createSignIn } from "./sign-in.ts";
import { createSignInRefusals } from "./sign-in-refusals.ts";
import { createSignInThrottles } from "./sign-in-throttles.ts";

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
