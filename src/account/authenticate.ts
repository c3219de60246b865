/** Authentication: from the value of an API token or a session to the account. */
import type { Account } from "../store/accounts.ts";
import type { ApiToken } from "../store/api-tokens.ts";
import type { Session } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";

/** RFC 6750 section 2.1. Two Authorization fields arrive joined by a comma, which is no token68. */
const token68Pattern = /^[A-Za-z0-9\-._~+/]+=*$/;

export type Authentication =
  | { readonly status: "authenticated"; readonly account: Account; readonly token: ApiToken }
  /** `because` is for the log only; the client always gets the same 401. */
  | { readonly status: "refused"; readonly because: "absent" | "malformed" | "unknown" }
  | { readonly status: "refused"; readonly because: "revoked" | "expired" | "disabled"; readonly token: ApiToken };

/** Never throws. `value` is the credential of a bearer token, undefined without one. */
export function authenticate(store: Pick<Store, "apiTokens" | "accounts">, value: string | undefined, now: Date): Authentication {
  if (value === undefined) return { status: "refused", because: "absent" };
  if (!token68Pattern.test(value)) return { status: "refused", because: "malformed" };
  const token = store.apiTokens.findByValue(value);
  const account = token === undefined ? undefined : store.accounts.findById(token.accountId);
  if (token === undefined || account === undefined) return { status: "refused", because: "unknown" };
  if (token.revokedAt !== null) return { status: "refused", because: "revoked", token };
  if (isExpired(token, now)) return { status: "refused", because: "expired", token };
  if (account.disabled) return { status: "refused", because: "disabled", token };
  return { status: "authenticated", account, token };
}

export function isExpired({ expiresAt }: Pick<ApiToken, "expiresAt">, now: Date): boolean {
  return expiresAt !== null && now.getTime() >= Date.parse(expiresAt);
}

/** Null for an unknown or ended session and for a disabled account. Never throws. */
export function signedInBy(
  store: Pick<Store, "sessions" | "accounts">,
  value: string | null,
  now: Date,
): { readonly account: Account; readonly session: Session } | null {
  const session = value === null ? undefined : store.sessions.findByValue(value, now);
  const account = session === undefined ? undefined : store.accounts.findById(session.accountId);
  return session === undefined || account === undefined || account.disabled ? null : { account, session };
}
