/** Sign-in by OpenID Connect: from the button to the account of the person whom the provider identified. */

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type Log, messageOf } from "../../base/log.ts";
import { createLruCache } from "../../base/lru-cache.ts";
import type { GroupRule } from "../../settings/services.ts";
import { type Account, type Plan, plans } from "../../store/accounts.ts";
import type { Grants, LinkedSignIn } from "../../store/oidc-links.ts";
import type { Store } from "../../store/store.ts";
import type { PasswordStep, SignIn } from "../sign-in.ts";
import type { Caller, SignInThrottles } from "../throttles.ts";
import {
  type DiscoveredProvider,
  newSignInSecrets,
  type ProviderError,
  type ProviderIdentity,
  type ProviderRefusal,
  type SignInSecrets,
  toProviderError,
} from "./provider.ts";

/** All rules of the person's groups count, in any order: the best plan, and the role if one gives it. */
function grantsOf(rules: readonly GroupRule[], groups: readonly string[]): Grants {
  const matching = rules.filter(({ group }) => groups.includes(group));
  const best = Math.max(-1, ...matching.map(({ plan }) => plans.indexOf(plan)));
  return { plan: plans[best] ?? null, admin: matching.some(({ admin }) => admin) };
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
/** Longest value that is opened; longer values are refused. */
const sealedCharsMax = 6_144;

/** Encrypts values that a browser keeps. The key lives as long as the process. `kind` keeps values of different uses apart. */
function createSealing<T>(kind: string, { lifetimeMs, nowMs }: { readonly lifetimeMs: number; readonly nowMs: () => number }) {
  const key = randomBytes(32);
  const associated = Buffer.from(kind);
  return {
    seal: (value: T): string => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(associated);
      const text = JSON.stringify({ endMs: nowMs() + lifetimeMs, value });
      const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString("base64url");
    },
    /** Opened value; null if it has another key or kind, was changed, or has expired. */
    open: (sealed: string): T | null => {
      const bytes = Buffer.from(sealed.slice(0, sealedCharsMax), "base64url");
      if (bytes.length <= ivBytes + tagBytes) return null;
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes))
          .setAAD(associated)
          .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
        const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
        const { endMs, value }: { endMs: number; value: T } = JSON.parse(text);
        return nowMs() < endMs ? value : null;
      } catch {
        return null;
      }
    },
  };
}

/** Interval between requests after a success. */
const refreshMs = 300_000;
/** Shortest interval after a failure; it doubles with each failure. */
const retryMsMin = 2_000;
const retryMsMax = 60_000;

export type IssuerWatch = ReturnType<typeof watchIssuer>;

/** Asks the provider at once and then repeatedly, in the background. */
export function watchIssuer(discover: () => Promise<DiscoveredProvider>, log: Pick<Log, "info" | "warn">) {
  let provider: DiscoveredProvider | null = null;
  let fault: string | null = "the provider has not answered yet";
  let reported: string | null = null;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let closed = false;
  let checking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    try {
      provider = await discover();
      fault = null;
      failures = 0;
    } catch (error) {
      provider = null;
      fault = messageOf(error);
      failures += 1;
    }
    report();
    const waitMs = failures === 0 ? refreshMs : Math.min(retryMsMin * 2 ** (failures - 1), retryMsMax);
    if (timer !== null) clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void check(), waitMs).unref();
  }

  function report(): void {
    if (closed || reported === (fault ?? "")) return;
    reported = fault ?? "";
    if (fault === null) log.info("identity provider ready", { issuer: provider?.metadata.issuer ?? null });
    else log.warn("identity provider cannot be used; sign-in by it is off until it answers", { because: fault });
  }

  /** Asks the provider now. Never rejects. */
  function check(): Promise<void> {
    checking ??= ask().finally(() => {
      checking = null;
    });
    return checking;
  }

  void check();
  return {
    /** Configuration of the provider; null until it has answered, and after it failed. */
    current: (): DiscoveredProvider | null => provider,
    /** Fault as a clause of a sentence; null while the provider can be used. */
    fault: (): string | null => fault,
    check,
    close: (): void => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Why the person whom the provider identified has no access. */
type IdentityRefusal =
  /** No mail address, or one that the provider has not verified. */
  | "mail"
  /** The person has no account, and sign-in may not create one. */
  | "no-account"
  /** The account of that mail address is linked to another identity. */
  | "taken"
  | "disabled";

export interface OidcRefused {
  readonly status: "oidc-refused";
  readonly because: ProviderRefusal | IdentityRefusal;
  /** Detail for the log, without tokens and claims. */
  readonly detail: string | null;
  readonly accountId: number | null;
}

interface IdentityAccountsSettings {
  /** Whether the first sign-in of a person creates an account: never, for members of a group with a rule, or always. Invited members may join. */
  readonly signUp: "closed" | "groups" | "open";
  readonly store: Pick<Store, "accounts" | "credentials" | "oidcLinks" | "members">;
  readonly log: Pick<Log, "info">;
}

/** `confirm`: mail address of an account whose owner has to confirm the link by its password. */
type AccountOfIdentity = (person: ProviderIdentity, signIn: LinkedSignIn) => Promise<Account | { readonly confirm: string } | OidcRefused>;

/** A linked account is found by issuer and subject alone: mail addresses get new owners. */
function createIdentityAccounts({ signUp, store, log }: IdentityAccountsSettings): AccountOfIdentity {
  return async (person, signIn) => {
    const linked = store.oidcLinks.findAccount(signIn.identity);
    if (linked?.disabled) return oidcRefused("disabled", null, linked.id);
    if (linked !== undefined) {
      const account = (await store.oidcLinks.refresh(signIn)) ?? linked;
      if (account.plan !== linked.plan || account.admin !== linked.admin)
        log.info("groups changed an account", { account: account.id, plan: account.plan, admin: account.admin });
      return account;
    }
    const { email } = person;
    if (email === null) return oidcRefused("mail", "no mail address");
    const owner = store.accounts.findByEmail(email);
    if (!person.emailVerified) return oidcRefused("mail", "the mail address is not verified", owner?.id);
    if (owner === undefined) return newAccount(email, signIn);
    if (owner.disabled) return oidcRefused("disabled", null, owner.id);
    if (store.oidcLinks.ofAccount(owner.id) !== null) return oidcRefused("taken", null, owner.id);
    // Mail addresses of accounts are not verified here: who knows the password may be somebody else, and would share the account.
    if (store.credentials.get(owner.id).passwordHash !== null) return { confirm: email };
    const attached = await store.oidcLinks.attach(owner.id, null, signIn);
    if (attached === "taken") return oidcRefused("taken", null, owner.id);
    log.info("account linked to an identity", { account: owner.id });
    return attached;
  };

  async function newAccount(email: string, signIn: LinkedSignIn): Promise<Account | OidcRefused> {
    const isAllowed = signUp === "open" || (signUp === "groups" && signIn.grants.plan !== null);
    // The provider has verified the address, so the invitation is this person's.
    const mayJoin = isAllowed || store.members.isInvited(email, signIn.now);
    if (!mayJoin) return oidcRefused("no-account", signUp === "groups" ? "in none of the groups" : "accounts are not created");
    const account = await store.oidcLinks.create(email, signIn);
    if (account === "not-first") return oidcRefused("no-account", "there is no account yet");
    if (typeof account === "string") return oidcRefused("taken", account);
    log.info("account created for an identity", { account: account.id, plan: account.plan, admin: account.admin });
    return account;
  }
}

function oidcRefused(because: OidcRefused["because"], detail: string | null, accountId: number | null = null): OidcRefused {
  return { status: "oidc-refused", because, detail, accountId };
}

/** Lifetime from the button to the provider's answer, and from the answer to the password that confirms a link. */
const oidcSignInSeconds = 600;
/** States that were answered, about 3 MB at most. An attacker who evicts one still lacks the cookie of its browser. */
const answeredMax = 20_000;

type OidcStep =
  | (PasswordStep & { readonly next: string })
  /** An account with this mail address has a password: its owner confirms the link by it. */
  | { readonly status: "confirm-link"; readonly challenge: string; readonly email: string }
  | OidcRefused;

export interface OidcSignIn {
  /** Name of the provider on the button. */
  readonly label: string;
  /** Fault as a clause of a sentence; null while the provider can be used. */
  fault(): string | null;
  /** Address of the provider and the value of the cookie that binds its answer to this browser; null while it cannot be used. */
  begin(next: string): Promise<{ readonly url: string; readonly cookie: string; readonly cookieSeconds: number } | null>;
  /** Takes the answer. `query` is the query of the redirection from the provider. */
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

type PendingLink = Pick<LinkedSignIn, "identity" | "grants"> & { readonly email: string; readonly next: string };

export function createOidcSignIn(settings: OidcSignInSettings): OidcSignIn {
  const { label, watch, actions, throttles, now, defaultPlan } = settings;
  const lifetime = { lifetimeMs: oidcSignInSeconds * 1_000, nowMs: () => now().getTime() };
  const attempts = createSealing<{ readonly secrets: SignInSecrets; readonly next: string }>("attempt", lifetime);
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
