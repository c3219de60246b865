/** Terms of each plan. Scanning in the browser is free; a paid plan adds the API (specification, section 5). */
import type { Plan } from "../store/accounts.ts";

export interface PlanTerms {
  /** Whether the account's API tokens are accepted. */
  readonly api: boolean;
  /** Watched sites that the account may have. */
  readonly sites: number;
  /** Whether its reports may have a brand of its own. */
  readonly brand: boolean;
}

export const planTerms: Readonly<Record<Plan, PlanTerms>> = {
  free: { api: false, sites: 3, brand: false },
  agency: { api: true, sites: 1_000, brand: true },
};
