/** Auth guard: refuses with 401, 429 or 403, in this order and before the request itself is validated. */

import { planTerms } from "../accounts/account-operations.ts";
import { authenticate } from "../accounts/token-operations.ts";
import { type Counted, createRateLimit, type RateLimit } from "../base/rate-limit.ts";
import { createClientAddress } from "../http/client-address.ts";
import type { HeaderFields, RequestContext } from "./answer.ts";
import type { ApiSettings } from "./app.ts";
import { type ApiError, planWithoutApi, rateLimitExceeded, unauthenticated } from "./errors.ts";

/** Window of `api.rate_per_minute`. */
const requestWindowSeconds = 60;
/** Above the rate of a script with a revoked token, below the rate of guessing. */
const failureLimitDefault: RateLimit = { requestsMax: 60, windowSeconds: 60 };

/**
 * Sets the caller and the RateLimit-* headers of the context.
 * @throws ApiError 401, 429 or 403.
 */
export type AuthGuard = (request: Request, bearer: string | undefined, peer: string | null, context: RequestContext) => void;

/** @throws Error when a trusted proxy is neither an address nor a range. */
export function createAuthGuard({ store, config, now, log, ...limits }: ApiSettings): AuthGuard {
  const clientAddressOf = createClientAddress(config.trusted_proxies);
  const { requestLimit = { requestsMax: config["api.rate_per_minute"], windowSeconds: requestWindowSeconds } } = limits;
  const { failedAuthenticationLimit = failureLimitDefault } = limits;
  const nowMs = () => now().getTime();
  const countRequest = createRateLimit(requestLimit, nowMs);
  const countFailure = createRateLimit(failedAuthenticationLimit, nowMs);

  return ({ headers }, bearer, peer, context) => {
    const address = clientAddressOf(peer, headers.get("x-forwarded-for"));
    const at = now();
    const authentication = authenticate(store, bearer, at);
    if (authentication.status === "refused") {
      const failures = countFailure(address);
      if (failures.exceeded) throw refused(failedAuthenticationLimit, failures, context);
      // A token that was valid once is of interest to the operator. Other values are not, and anybody may send them.
      if ("token" in authentication) log.info("token refused", { because: authentication.because, token: authentication.token.id });
      throw unauthenticated();
    }
    const { account, token } = authentication;
    // Not awaited: a failed write of the last use refuses no request.
    store.apiTokens.recordUse(token, at)?.catch((error) => log.warn("token use not recorded", { error: String(error) }));

    const counted = countRequest(`${account.id}:${address}`);
    if (counted.exceeded) throw refused(requestLimit, counted, context);
    context.limitHeaders = limitHeadersOf(requestLimit, counted);
    if (!planTerms[account.plan].api) throw planWithoutApi(account.plan);
    context.caller = account;
  };
}

function refused(limit: RateLimit, counted: Counted, context: RequestContext): ApiError {
  context.limitHeaders = limitHeadersOf(limit, counted);
  return rateLimitExceeded(counted.resetSeconds);
}

/** draft-ietf-httpapi-ratelimit-headers up to version 06, which current clients read. */
function limitHeadersOf({ requestsMax }: RateLimit, { remaining, resetSeconds }: Counted): HeaderFields {
  return {
    "ratelimit-limit": String(requestsMax),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  };
}
