/** Terms of each plan. Scanning in the browser is free; a paid plan adds the API (specification, section 5). */
import type { Plan } from "../store/accounts.ts";

export interface PlanTerms {
  /** Whether the account's API tokens are accepted. */
  readonly api: boolean;
}

export const planTerms: Readonly<Record<Plan, PlanTerms>> = {
  free: { api: false },
  agency: { api: true },
};
