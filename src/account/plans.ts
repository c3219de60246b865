/** What each plan includes. Scanning in the browser is free; the API is what a plan adds (specification, section 5). */
import type { Plan } from "../store/accounts.ts";

export interface PlanTerms {
  /** Whether the account's API tokens are served. */
  readonly api: boolean;
}

export const planTerms: Readonly<Record<Plan, PlanTerms>> = {
  free: { api: false },
  agency: { api: true },
};
