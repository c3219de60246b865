/** Brand that the reports of an account may have. */
import type { Account } from "../store/accounts.ts";
import type { StoredBrand } from "../store/site-accounts.ts";
import type { Store } from "../store/store.ts";
import { planTerms } from "./plans.ts";

/** Undefined without one, and while the plan of the account includes none. */
export function usableBrand({ brands }: Pick<Store, "brands">, { id, plan }: Pick<Account, "id" | "plan">): StoredBrand | undefined {
  return planTerms[plan].brand ? brands.find(id) : undefined;
}
