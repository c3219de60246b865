/** Watched sites that the plan of an account includes. */
import type { Site } from "../store/sites.ts";
import type { Store } from "../store/store.ts";
import { planTerms } from "./plans.ts";

/** A change of the plan can leave more sites than it includes: those that were added first are scanned by schedule. */
export function isSiteInPlan(
  { accounts, sites }: Pick<Store, "accounts" | "sites">,
  { accountId, id }: Pick<Site, "accountId" | "id">,
): boolean {
  const account = accounts.findById(accountId);
  if (account === undefined) return false;
  const sitesMax = planTerms[account.plan].sites;
  return sites.count(accountId) <= sitesMax || sites.list(accountId).findIndex((site) => site.id === id) < sitesMax;
}
