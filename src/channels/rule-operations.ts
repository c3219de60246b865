/** Use cases of rules and deliveries, for pages and API. Each one writes a log line. */
import { type Outcome, refuse } from "../base/outcome.ts";
import type { SiteServices } from "../sites/site-operations.ts";
import type { RecordOwner } from "../store/accounts.ts";
import type { Delivery } from "../store/deliveries.ts";
import type { NotificationRule } from "../store/notification-rules.ts";
import type { Store, UseCase } from "../store/store.ts";

type RuleContext = UseCase<"rules" | "channels" | "sites">;

export type RuleFields = Pick<NotificationRule, "scope" | "events" | "severityMin" | "channelIds">;
/** `unknown-site`, `unknown-channel`: the account has none with that id. */
export type RuleFault = "unknown-site" | "no-events" | "no-channels" | "unknown-channel";

export async function addRule(
  context: RuleContext,
  owner: RecordOwner,
  rule: RuleFields,
): Promise<Outcome<NotificationRule, RuleFault | "full">> {
  const fault = faultOf(context, owner, rule);
  if (fault !== null) return refuse(fault);
  const added = await context.store.rules.add({ ...rule, accountId: owner.id, now: context.now() });
  if (added === "full") return refuse(added);
  context.log.info("rule added", { account: owner.id, rule: added.id });
  return { done: added };
}

/** Absent fields stay. */
export async function updateRule(
  context: RuleContext,
  owner: RecordOwner,
  { id, ...change }: Partial<RuleFields> & { readonly id: number },
): Promise<Outcome<NotificationRule, RuleFault | "unknown">> {
  const { store, log } = context;
  if (store.rules.find(owner.id, id) === undefined) return refuse("unknown");
  const fault = faultOf(context, owner, change);
  if (fault !== null) return refuse(fault);
  const changed = await store.rules.change(owner.id, id, change);
  if (changed === undefined) return refuse("unknown");
  log.info("rule changed", { account: owner.id, rule: id });
  return { done: changed };
}

export async function removeRule({ store, log }: RuleContext, owner: RecordOwner, id: number): Promise<Outcome<null, "unknown">> {
  if (!(await store.rules.remove(owner.id, id))) return refuse("unknown");
  log.info("rule removed", { account: owner.id, rule: id });
  return { done: null };
}

function faultOf(
  { store }: RuleContext,
  { id: accountId }: RecordOwner,
  { scope, events, channelIds }: Partial<RuleFields>,
): RuleFault | null {
  if (scope?.kind === "site" && store.sites.find(accountId, scope.siteId) === undefined) return "unknown-site";
  if (events?.length === 0) return "no-events";
  if (channelIds?.length === 0) return "no-channels";
  return channelIds?.every((id) => store.channels.find(accountId, id) !== undefined) === false ? "unknown-channel" : null;
}

interface DeliveryContext extends UseCase<"deliveries" | "channels"> {
  readonly sites: Pick<SiteServices, "wakeDeliveries">;
}

/** `not-ended`: the delivery still waits, or has arrived. The others are about its channel. */
export type RetryRefusal = "not-ended" | "channel-removed" | "channel-disabled" | "channel-unconfirmed";

/** Why a delivery cannot be sent again; null if it can. */
export function retryRefusalOf({ channels }: Pick<Store, "channels">, { accountId, channelId, state }: Delivery): RetryRefusal | null {
  const channel = channels.find(accountId, channelId);
  if (channel === undefined) return "channel-removed";
  if (channel.disabled !== null) return "channel-disabled";
  if (channel.verifiedAt === null) return "channel-unconfirmed";
  return state === "failed" || state === "dropped" ? null : "not-ended";
}

/** Makes a delivery that has failed or was dropped wait again. */
export async function retryDelivery(
  { store, sites, now, log }: DeliveryContext,
  owner: RecordOwner,
  id: number,
): Promise<Outcome<Delivery, RetryRefusal | "unknown">> {
  const delivery = store.deliveries.find(owner.id, id);
  if (delivery === undefined) return refuse("unknown");
  const refusal = retryRefusalOf(store, delivery);
  if (refusal !== null) return refuse(refusal);
  const waiting = await store.deliveries.retry(owner.id, id, now());
  if (waiting === undefined) return refuse("not-ended");
  log.info("delivery repeated", { account: owner.id, delivery: id, channel: waiting.channelId });
  sites.wakeDeliveries();
  return { done: waiting };
}
