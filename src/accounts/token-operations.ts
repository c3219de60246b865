/** API tokens: lifetimes, authentication by token or session, and use cases. Each use case writes a log line; the store writes the audit entries. */

import { type Outcome, refuse } from "../base/outcome.ts";
import { dayMs } from "../base/units.ts";
import type { Account, RecordOwner } from "../store/accounts.ts";
import { type ApiToken, apiTokenNameCharsMax } from "../store/api-tokens.ts";
import { type Actor, actorInLog } from "../store/audit.ts";
import type { Session } from "../store/sessions.ts";
import type { Store, UseCase } from "../store/store.ts";

/** RFC 6750 section 2.1. Two Authorization fields arrive joined by a comma, which is not a token68. */
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

/** Account and session; null for an unknown or ended session and for a disabled account. Never throws. */
export function signedInBy(
  store: Pick<Store, "sessions" | "accounts">,
  value: string | null,
  now: Date,
): { readonly account: Account; readonly session: Session } | null {
  const session = value === null ? undefined : store.sessions.findByValue(value, now);
  const account = session === undefined ? undefined : store.accounts.findById(session.accountId);
  return session === undefined || account === undefined || account.disabled ? null : { account, session };
}

export const tokenLifetimes = ["30d", "90d", "365d", "never"] as const;
export type TokenLifetime = (typeof tokenLifetimes)[number];

/** Null: never expires. */
function tokenExpiry(lifetime: TokenLifetime, now: Date): Date | null {
  return lifetime === "never" ? null : new Date(now.getTime() + Number.parseInt(lifetime, 10) * dayMs);
}

/** Valid tokens of one account; a longer list could not be managed. */
export const tokensMax = 100;

/** `value` is not stored, and cannot be read again. `full`: the account has `tokensMax` valid tokens. */
export async function createToken(
  { store, log, ...context }: UseCase<"apiTokens">,
  by: Actor,
  { accountId, name: given, lifetime }: { readonly accountId: number; readonly name: string; readonly lifetime: TokenLifetime },
): Promise<Outcome<{ readonly token: ApiToken; readonly value: string }, "no-name" | "full">> {
  const now = context.now();
  const name = given.trim().slice(0, apiTokenNameCharsMax);
  if (name === "") return refuse("no-name");
  const valid = store.apiTokens.listOfAccount(accountId).filter((token) => token.revokedAt === null && !isExpired(token, now));
  if (valid.length >= tokensMax) return refuse("full");
  const created = await store.apiTokens.create({ accountId, name, expiresAt: tokenExpiry(lifetime, now), now, by });
  const { id, expiresAt } = created.token;
  log.info("token created", { account: accountId, token: id, expires: expiresAt, by: actorInLog(by) });
  return { done: created };
}

export async function revokeToken(
  { store, now, log }: UseCase<"apiTokens">,
  by: Actor,
  { accountId, id }: Pick<ApiToken, "accountId" | "id">,
): Promise<Outcome<ApiToken, "unknown">> {
  const revoked = await store.apiTokens.revoke(accountId, id, now(), by);
  if (revoked === undefined) return refuse("unknown");
  log.info("token revoked", { account: accountId, token: id, by: actorInLog(by) });
  return { done: revoked };
}

/** Value of the new token, which cannot be read again. The earlier one ends. */
export async function issueMetricsToken({ store, log }: UseCase<"metricsTokens">, { id }: RecordOwner): Promise<string> {
  const value = await store.metricsTokens.issue(id);
  log.info("token for metrics of sites issued", { account: id });
  return value;
}

export async function revokeMetricsToken({ store, log }: UseCase<"metricsTokens">, { id }: RecordOwner): Promise<Outcome<null, "unknown">> {
  if (!store.metricsTokens.has(id)) return refuse("unknown");
  await store.metricsTokens.revoke(id);
  log.info("token for metrics of sites revoked", { account: id });
  return { done: null };
}
