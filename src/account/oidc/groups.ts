/** What the groups of a person give: plan and role. */
import { type Plan, plans } from "../../store/accounts.ts";
import type { Grants } from "../../store/oidc-links.ts";

export interface GroupRule {
  readonly group: string;
  readonly plan: Plan;
  readonly admin: boolean;
}

/** All rules of the person's groups count, in any order: the best plan, and the role if one gives it. */
export function grantsOf(rules: readonly GroupRule[], groups: readonly string[]): Grants {
  const matching = rules.filter(({ group }) => groups.includes(group));
  const best = Math.max(-1, ...matching.map(({ plan }) => plans.indexOf(plan)));
  return { plan: plans[best] ?? null, admin: matching.some(({ admin }) => admin) };
}
