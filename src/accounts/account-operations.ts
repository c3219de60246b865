/** Plans, and use cases of account administration, for pages and command line. Each one writes a log line; the store writes the audit entries. */

import { type Outcome, refuse } from "../base/outcome.ts";
import { provePagesMax } from "../evidence/proof.ts";
import type { Config } from "../settings/settings.ts";
import type { Account, Plan } from "../store/accounts.ts";
import { type Actor, actorInLog } from "../store/audit.ts";
import type { IssuedLink } from "../store/one-time-links.ts";
import type { Store, UseCase } from "../store/store.ts";

interface PlanTerms {
  /** Whether the account's API tokens are accepted. */
  readonly api: boolean;
  /** Watched sites that the account may have. */
  readonly sites: number;
  /** Whether its reports may have a brand of its own. */
  readonly brand: boolean;
  /** Pages that one proof may have. */
  readonly proofPages: number;
}

export const planTerms: Readonly<Record<Plan, PlanTerms>> = {
  free: { api: false, sites: 3, brand: false, proofPages: 5 },
  agency: { api: true, sites: 1_000, brand: true, proofPages: provePagesMax },
};

/** Guests prove one page. */
export function proofPagesMax(account: Pick<Account, "plan"> | null): number {
  return account === null ? 1 : planTerms[account.plan].proofPages;
}

/** Number of sites of an account that are scanned by schedule; 0 for an unknown account. */
export function planSitesMax({ accounts }: Pick<Store, "accounts">): (accountId: number) => number {
  return (accountId) => {
    const account = accounts.findById(accountId);
    return account === undefined ? 0 : planTerms[account.plan].sites;
  };
}

export async function changePlan(
  { store, log }: UseCase<"accounts">,
  by: Actor,
  { id, plan }: Pick<Account, "id" | "plan">,
): Promise<Outcome<Account, "unknown">> {
  const changed = await store.accounts.setPlan(id, plan, by);
  if (changed === undefined) return refuse("unknown");
  log.info("plan changed", { account: id, plan, by: actorInLog(by) });
  return { done: changed };
}

/** `self`: administrators cannot disable themselves, so that one always remains. */
export async function changeAccountState(
  { store, log }: UseCase<"accounts">,
  by: Actor,
  { id, disabled }: Pick<Account, "id" | "disabled">,
): Promise<Outcome<Account, "unknown" | "self">> {
  if (by.kind === "account" && by.id === id) return refuse("self");
  const changed = await store.accounts.setDisabled(id, disabled, by);
  if (changed === undefined) return refuse("unknown");
  log.info("account changed", { account: id, state: disabled ? "disabled" : "enabled", by: actorInLog(by) });
  return { done: changed };
}

interface SignUpContext extends UseCase<"oneTimeLinks"> {
  readonly config: Pick<Config, "accounts.signup">;
}

interface GivenAccountInvitation {
  /** The only address that may use it; null: any address. */
  readonly email: string | null;
  readonly plan: Plan;
  readonly admin: boolean;
}

/** `closed`: the setting allows no registration. `full`: too many links are open. */
export async function inviteAccount(
  { store, config, now, log }: SignUpContext,
  by: Actor,
  invitation: GivenAccountInvitation,
): Promise<Outcome<IssuedLink, "closed" | "email-invalid" | "email-taken" | "full">> {
  if (config["accounts.signup"] === "closed") return refuse("closed");
  const created = await store.oneTimeLinks.create({ kind: "invite", ...invitation }, now(), by);
  // Only a link for the first account is refused because there is one.
  if (typeof created === "string") return refuse(created === "set-up" ? "full" : created);
  log.info("invitation created", { plan: invitation.plan, by: actorInLog(by) });
  return { done: created };
}
