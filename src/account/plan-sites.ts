/** Watched sites that the plan of an account includes. */
import type { Store } from "../store/store.ts";
import { planTerms } from "./plans.ts";

/** Sites of an account that are scanned by schedule; none for an unknown one. */
export function planSitesMax({ accounts }: Pick<Store, "accounts">): (accountId: number) => number {
  return (accountId) => {
    const account = accounts.findById(accountId);
    return account === undefined ? 0 : planTerms[account.plan].sites;
  };
}
