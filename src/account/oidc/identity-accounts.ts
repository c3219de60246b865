/** Account of a person whom the identity provider has identified: linked, found by a verified mail address, or created. */
import type { Log } from "../../base/log.ts";
import type { Account } from "../../store/accounts.ts";
import type { LinkedSignIn } from "../../store/oidc-links.ts";
import type { Store } from "../../store/store.ts";
import type { ProviderIdentity } from "./identity.ts";
import type { ProviderRefusal } from "./refusal.ts";

/** Why the person whom the provider identified has no access. */
export type IdentityRefusal =
  /** No mail address, or one that the provider has not verified. */
  | "mail"
  /** No account, and none may be created. */
  | "no-account"
  /** The account of that mail address is linked to another identity. */
  | "taken"
  | "disabled";

export interface OidcRefused {
  readonly status: "oidc-refused";
  readonly because: ProviderRefusal | IdentityRefusal;
  /** For the log: no token and no claim. */
  readonly detail: string | null;
  readonly accountId: number | null;
}

export interface IdentityAccountsSettings {
  /** Whether the first sign-in of a person creates an account: never, for members of a group with a rule, or always. */
  readonly signUp: "closed" | "groups" | "open";
  readonly store: Pick<Store, "accounts" | "credentials" | "oidcLinks">;
  readonly log: Pick<Log, "info">;
}

/** `confirm`: mail address of an account whose owner has to confirm the link by its password. */
type AccountOfIdentity = (person: ProviderIdentity, signIn: LinkedSignIn) => Promise<Account | { readonly confirm: string } | OidcRefused>;

/** A linked account is found by issuer and subject alone: mail addresses change hands. */
export function createIdentityAccounts({ signUp, store, log }: IdentityAccountsSettings): AccountOfIdentity {
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
    const mayJoin = signUp === "open" || (signUp === "groups" && signIn.grants.plan !== null);
    if (!mayJoin) return oidcRefused("no-account", signUp === "groups" ? "in none of the groups" : "accounts are not created");
    const account = await store.oidcLinks.create(email, signIn);
    if (account === "not-first") return oidcRefused("no-account", "there is no account yet");
    if (typeof account === "string") return oidcRefused("taken", account);
    log.info("account created for an identity", { account: account.id, plan: account.plan, admin: account.admin });
    return account;
  }
}

export function oidcRefused(because: OidcRefused["because"], detail: string | null, accountId: number | null = null): OidcRefused {
  return { status: "oidc-refused", because, detail, accountId };
}
