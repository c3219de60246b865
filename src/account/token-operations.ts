/** Use cases of API tokens and of the token for metrics. Each one writes a log line; the store writes the audit entries. */
import type { Log } from "../base/log.ts";
import { type Outcome, refuse } from "../base/outcome.ts";
import type { Account } from "../store/accounts.ts";
import { type ApiToken, apiTokenNameCharsMax } from "../store/api-tokens.ts";
import { type Actor, actorInLog } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import { isExpired } from "./authenticate.ts";
import { type TokenLifetime, tokenExpiry } from "./token-lifetimes.ts";

/** Valid tokens of one account; a longer list is no longer manageable. */
export const tokensMax = 100;

export interface TokenContext {
  readonly store: Pick<Store, "apiTokens">;
  readonly now: () => Date;
  readonly log: Log;
}

export interface GivenToken {
  readonly accountId: number;
  readonly name: string;
  readonly lifetime: TokenLifetime;
}

export interface CreatedToken {
  readonly token: ApiToken;
  /** Not stored; cannot be read again. */
  readonly value: string;
}

/** `full`: the account has `tokensMax` valid tokens. */
export async function createToken(
  { store, log, ...context }: TokenContext,
  by: Actor,
  { accountId, name: given, lifetime }: GivenToken,
): Promise<Outcome<CreatedToken, "no-name" | "full">> {
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
  { store, now, log }: TokenContext,
  by: Actor,
  { accountId, id }: Pick<ApiToken, "accountId" | "id">,
): Promise<Outcome<ApiToken, "unknown">> {
  const revoked = await store.apiTokens.revoke(accountId, id, now(), by);
  if (revoked === undefined) return refuse("unknown");
  log.info("token revoked", { account: accountId, token: id, by: actorInLog(by) });
  return { done: revoked };
}

interface MetricsTokenContext {
  readonly store: Pick<Store, "metricsTokens">;
  readonly log: Log;
}

/** Value of the new token, which cannot be read again. The earlier one ends. */
export async function issueMetricsToken({ store, log }: MetricsTokenContext, { id }: Pick<Account, "id">): Promise<string> {
  const value = await store.metricsTokens.issue(id);
  log.info("token for metrics of sites issued", { account: id });
  return value;
}

export async function revokeMetricsToken(
  { store, log }: MetricsTokenContext,
  { id }: Pick<Account, "id">,
): Promise<Outcome<null, "unknown">> {
  if (!store.metricsTokens.has(id)) return refuse("unknown");
  await store.metricsTokens.revoke(id);
  log.info("token for metrics of sites revoked", { account: id });
  return { done: null };
}
