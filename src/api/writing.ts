/** What requests that change the store share. */
import { authenticate } from "../account/authenticate.ts";
import type { Account } from "../store/accounts.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { Store } from "../store/store.ts";
import { storeFull, unauthenticated } from "./errors.ts";
import { callingAccount } from "./own-scan.ts";
import type { RequestContext } from "./request-context.ts";

/** Retry-After when the queue or the disk is full. */
export const queueRetrySeconds = 30;

/** Checks the token again: it may have been revoked while a slow body arrived. @throws ApiError 401 */
export function stillCalling(
  store: Pick<Store, "accounts" | "apiTokens">,
  { bearer, requestContext }: { readonly bearer: string | undefined; readonly requestContext: RequestContext },
  now: Date,
): Account {
  if (authenticate(store, bearer, now).status === "refused") throw unauthenticated();
  return callingAccount(requestContext);
}

/** @throws ApiError 503 if the disk is full. */
export async function written<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof DataDirError && error.fault === "full") throw storeFull(queueRetrySeconds);
    throw error;
  }
}
