/** Sign-in by OpenID Connect: from the button to the account of the person whom the provider identified. */

import { createLruCache } from "../../base/lru-cache.ts";
import type { Plan } from "../../store/accounts.ts";
import type { Identity } from "../../store/credentials.ts";
import type { Grants, LinkedSignIn } from "../../store/oidc-links.ts";
import type { Caller } from "../caller.ts";
import type { PasswordStep, SignIn } from "../sign-in.ts";
import type { SignInThrottles } from "../sign-in-throttles.ts";
import { type GroupRule, grantsOf } from "./groups.ts";
import type { ProviderIdentity } from "./identity.ts";
import { createIdentityAccounts, type IdentityAccountsSettings, type OidcRefused, oidcRefused } from "./identity-accounts.ts";
import type { IssuerWatch } from "./issuer-watch.ts";
import { newSignInSecrets, type SignInSecrets } from "./provider.ts";
import { type ProviderError, toProviderError } from "./refusal.ts";
import { createSealing } from "./sealed.ts";

/** From the button to the answer of the provider, and from there to the password that confirms a link. */
const oidcSignInSeconds = 600;
/** States that were answered, about 3 MB at most. An attacker who evicts one still lacks the cookie of its browser. */
const answeredMax = 20_000;

export type OidcStep =
  | (PasswordStep & { readonly next: string })
  /** An account with this mail address has a password: its owner confirms the link by it. */
  | { readonly status: "confirm-link"; readonly challenge: string; readonly email: string }
  | OidcRefused;

export interface OidcSignIn {
  /** Name of the provider on the button. */
  readonly label: string;
  /** Clause; null while the provider can be used. */
  fault(): string | null;
  /** Address of the provider and the value of the cookie that binds its answer to this browser; null while it cannot be used. */
  begin(next: string): Promise<{ readonly url: string; readonly cookie: string; readonly cookieSeconds: number } | null>;
  /** `query` is that of the redirection from the provider. */
  finish(answer: { readonly cookie: string | null; readonly query: URLSearchParams; readonly caller: Caller }): Promise<OidcStep>;
  /** Signs in by the password of the account, and links it. `over`: the challenge is unknown or too old. */
  confirmLink(proof: {
    readonly challenge: string;
    readonly password: string;
    readonly caller: Caller;
  }): Promise<{ readonly step: PasswordStep; readonly email: string; readonly next: string } | "over">;
  close(): void;
}

export interface OidcSignInSettings extends IdentityAccountsSettings {
  readonly label: string;
  readonly watch: IssuerWatch;
  readonly groups: readonly GroupRule[];
  readonly defaultPlan: Plan;
  readonly actions: SignIn;
  readonly throttles: SignInThrottles;
  readonly now: () => Date;
}

interface Attempt {
  readonly secrets: SignInSecrets;
  readonly next: string;
}

interface PendingLink {
  readonly identity: Identity;
  readonly grants: Grants;
  readonly email: string;
  readonly next: string;
}

export function createOidcSignIn(settings: OidcSignInSettings): OidcSignIn {
  const { label, watch, actions, throttles, now, defaultPlan } = settings;
  const lifetime = { lifetimeMs: oidcSignInSeconds * 1_000, nowMs: () => now().getTime() };
  const attempts = createSealing<Attempt>("attempt", lifetime);
  const links = createSealing<PendingLink>("link", lifetime);
  const accountOf = createIdentityAccounts(settings);
  const answered = createLruCache<true>(answeredMax);

  return {
    label,
    fault: watch.fault,

    begin: async (next) => {
      const provider = watch.current();
      if (provider === null) return null;
      const secrets = newSignInSecrets();
      return { url: await provider.authorizationUrl(secrets), cookie: attempts.seal({ secrets, next }), cookieSeconds: oidcSignInSeconds };
    },

    finish: async ({ cookie, query, caller }) => {
      const attempt = cookie === null ? null : attempts.open(cookie);
      const state = attempt?.secrets.state;
      if (attempt === null || state !== query.get("state")) return oidcRefused("over", "no sign-in of this browser has this state");
      if (answered.has(attempt.secrets.state)) return oidcRefused("over", "the state was used before");
      answered.set(attempt.secrets.state, true);
      const provider = watch.current();
      if (provider === null) return oidcRefused("unreachable", watch.fault());
      const seconds = throttles.attemptProvider(caller);
      if (seconds > 0) return { status: "throttled", seconds, next: attempt.next };
      let identity: ProviderIdentity;
      try {
        identity = await provider.identity(query, attempt.secrets);
      } catch (error) {
        return afterFailure(toProviderError(error));
      }
      throttles.acceptProvider(caller);
      return identified(identity, attempt.next, caller);
    },

    confirmLink: async ({ challenge, password, caller }) => {
      const pending = links.open(challenge);
      if (pending === null) return "over";
      const { identity, grants, email, next } = pending;
      const step = await actions.signIn({ email, password, caller, link: { identity, grants, defaultPlan, now: now() } });
      return { step, email, next };
    },

    close: watch.close,
  };

  function afterFailure({ because, message }: ProviderError): OidcRefused {
    // Turns the button off at once if the provider is gone.
    if (because === "unreachable") void watch.check();
    return oidcRefused(because, message);
  }

  async function identified(person: ProviderIdentity, next: string, caller: Caller): Promise<OidcStep> {
    const { issuer, subject } = person;
    const grants = grantsOf(settings.groups, person.groups);
    const signIn: LinkedSignIn = { identity: { issuer, subject }, grants, defaultPlan, now: now() };
    const found = await accountOf(person, signIn);
    if ("status" in found) return found;
    if ("confirm" in found) {
      const challenge = links.seal({ identity: signIn.identity, grants, email: found.confirm, next });
      return { status: "confirm-link", challenge, email: found.confirm };
    }
    return { ...(await actions.signInIdentified(found, caller)), next };
  }
}
