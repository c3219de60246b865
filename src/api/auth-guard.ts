/** Who may pass, asked in this order: 401, 429, 403. Everything about the request itself comes after. */
import { authenticate } from "../account/authenticate.ts";
import { planTerms } from "../account/plans.ts";
import type { Log } from "../base/log.ts";
import type { CallingAddress } from "../http/client-address.ts";
import { type Counted, createRateLimit, type RateLimit } from "../http/rate-limit.ts";
import type { Account } from "../store/accounts.ts";
import type { Store } from "../store/store.ts";
import { type ApiError, planWithoutApi, rateLimitExceeded, unauthenticated } from "./errors.ts";
import type { Headers } from "./request-context.ts";

export interface AuthGuardSettings {
  readonly store: Store;
  readonly callingAddress: CallingAddress;
  /** Per account and calling address. */
  readonly requestLimit: RateLimit;
  /** Failed authentications per calling address; somebody with a valid token is never held up by it. */
  readonly failedAuthenticationLimit: RateLimit;
  readonly now: () => Date;
  readonly log: Log;
}

/** `limitHeaders` belong on the answer in either case. */
export type Passage = { readonly limitHeaders: Headers } & (
  | { readonly account: Account; readonly refusal: null }
  | { readonly account: null; readonly refusal: ApiError }
);

export type AuthGuard = (authorizationHeader: string | null, peer: string | null, forwardedFor: string | null) => Passage;

export function createAuthGuard(settings: AuthGuardSettings): AuthGuard {
  const { store, callingAddress, now, log } = settings;
  const nowMs = () => now().getTime();
  const countRequest = createRateLimit(settings.requestLimit, nowMs);
  const countFailure = createRateLimit(settings.failedAuthenticationLimit, nowMs);

  return (authorizationHeader, peer, forwardedFor) => {
    const address = callingAddress(peer, forwardedFor);
    const authentication = authenticate(store, authorizationHeader, now());
    if (authentication.status === "refused") {
      const failures = countFailure(address);
      // Of a token that once was good, its operator wants to know why it is not, though not without end; what anybody may send is not worth a line.
      if ("token" in authentication && !failures.exceeded)
        log.info("token refused", { because: authentication.because, token: authentication.token.id });
      return refuse(failures);
    }
    const { account, token } = authentication;
    // Not waited for: a request is not refused because the note of it could not be kept.
    store.apiTokens.noteUse(token, now()).catch((error) => log.warn("use of a token was not noted", { error: String(error) }));

    const counted = countRequest(`${account.id}:${address}`);
    const limitHeaders = limitHeadersOf(settings.requestLimit, counted);
    if (counted.exceeded) return { account: null, refusal: rateLimitExceeded(counted.resetSeconds), limitHeaders };
    if (!planTerms[account.plan].api) return { account: null, refusal: planWithoutApi(account.plan), limitHeaders };
    return { account, refusal: null, limitHeaders };
  };

  function refuse(failures: Counted): Passage {
    if (!failures.exceeded) return { account: null, refusal: unauthenticated(), limitHeaders: {} };
    const limitHeaders = limitHeadersOf(settings.failedAuthenticationLimit, failures);
    return { account: null, refusal: rateLimitExceeded(failures.resetSeconds), limitHeaders };
  }
}

/** draft-ietf-httpapi-ratelimit-headers up to version 06, which is what clients read today. */
function limitHeadersOf({ requestsMax }: RateLimit, { remaining, resetSeconds }: Counted): Headers {
  return {
    "ratelimit-limit": String(requestsMax),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  };
}
