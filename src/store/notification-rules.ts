/** Rules that say which channels are notified of which events. */
import { type Severity, severities } from "../check/check.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { reads, transactions } from "./methods.ts";
import type { EventType, StoredEvent } from "./site-events.ts";
import { accountRange } from "./table.ts";

/** In the order of forms and documentation. */
export const eventTypes = [
  "site.score_dropped",
  "finding.opened",
  "finding.resolved",
  "finding.unstable",
  "certificate.expiring",
  "site.unreachable",
  "site.recovered",
  "policy.broken",
  "policy.recovered",
  "catalog.changed",
  "scan.finished",
  "proof.finished",
] as const satisfies readonly EventType[];
/** Types of the account itself: no site, tag or client limits them. */
const accountEventTypes: readonly EventType[] = ["catalog.changed", "scan.finished", "proof.finished"];
/** Types of a rule for all that sites report: people see the end of what they started themselves. */
export const siteReportTypes = eventTypes.filter((type) => type !== "scan.finished" && type !== "proof.finished");

export const rulesMax = 200;
/** Least severity of a rule that names none. Stored rules keep theirs. */
export const severityMinDefault: Severity = "medium";

/** Sites that a rule is about. */
export type RuleScope =
  | { readonly kind: "all" }
  | { readonly kind: "site"; readonly siteId: number }
  | { readonly kind: "tag"; readonly tag: string }
  | { readonly kind: "client"; readonly client: string };

const ruleRow = stored.row({
  id: stored.id,
  accountId: stored.id,
  scope: stored.objectOf<RuleScope>(),
  events: stored.listOf<EventType>(),
  /** Findings below it are left out of `finding.*`. */
  severityMin: stored.oneOf(severities),
  channelIds: stored.listOf<number>(),
  createdAt: stored.time,
});
export type NotificationRule = Static<typeof ruleRow>;

export const notificationRulesTable = defineTable({
  row: ruleRow,
  key: keyed<[accountId: number, ruleId: number]>(),
  ofAccount: [{ by: "part", part: 0 }],
  keyIds: ["nextAccountId", "nextRuleId"],
});

export function ruleRepository(db: Db) {
  return {
    find: (accountId: number, id: number): NotificationRule | undefined => db.notificationRules.get([accountId, id]),
    ...reads(db, { list: rulesOf, eventFor, countOfChannel }),
    ...transactions(db, { add, remove }),
    change: (accountId: number, id: number, changed: Partial<Omit<NotificationRule, "id" | "accountId" | "createdAt">>) =>
      db.write(() => db.notificationRules.update([accountId, id], () => changed)),
  };
}

/** `full`: the account has `rulesMax`. */
function add(db: Db, { now, ...rule }: Omit<NotificationRule, "id" | "createdAt"> & { readonly now: Date }): NotificationRule | "full" {
  if (db.notificationRules.getKeysCount(accountRange(rule.accountId)) >= rulesMax) return "full";
  const added: NotificationRule = { ...rule, id: db.next("nextRuleId"), createdAt: now.toISOString() };
  db.notificationRules.put([added.accountId, added.id], added);
  return added;
}

function remove(db: Db, accountId: number, id: number): boolean {
  const known = db.notificationRules.doesExist([accountId, id]);
  db.notificationRules.remove([accountId, id]);
  return known;
}

function rulesOf(db: Db, accountId: number): readonly NotificationRule[] {
  return db.notificationRules.values(accountRange(accountId));
}

/** Rules that name the channel: without one, it gets no event. */
function countOfChannel(db: Db, accountId: number, channelId: number): number {
  return rulesOf(db, accountId).filter(({ channelIds }) => channelIds.includes(channelId)).length;
}

/**
 * Least severity of the findings that the channel is notified of, by the rules of now. The lowest one if none of them names the channel:
 * the rule that queued the delivery may be gone.
 */
function severityMinOf(db: Db, event: StoredEvent, channelId: number): Severity {
  const wanted = rulesOf(db, event.accountId).filter((rule) => rule.channelIds.includes(channelId) && matches(rule, event));
  return severities.findLast((severity) => wanted.some(({ severityMin }) => severityMin === severity)) ?? "info";
}

/** Ids of the channels that get the event, each once, in the order of the rules. */
export function channelsFor(db: Db, event: StoredEvent): readonly number[] {
  const matching = rulesOf(db, event.accountId).filter((rule) => matches(rule, event));
  return [...new Set(matching.flatMap(({ channelIds }) => channelIds))];
}

/** The event without the findings that are below the rules of the channel. */
function eventFor(db: Db, channelId: number, event: StoredEvent): StoredEvent {
  if (event.type !== "finding.opened" && event.type !== "finding.resolved" && event.type !== "finding.unstable") return event;
  const least = severities.indexOf(severityMinOf(db, event, channelId));
  const findings = event.data.findings.filter(({ severity }) => severities.indexOf(severity) <= least);
  return { ...event, data: { ...event.data, findings } };
}

function matches({ scope, events, severityMin }: NotificationRule, event: StoredEvent): boolean {
  if (!events.includes(event.type)) return false;
  if (!accountEventTypes.includes(event.type) && !isInScope(scope, event)) return false;
  if (!("findings" in event.data)) return true;
  return event.data.findings.some(({ severity }) => severities.indexOf(severity) <= severities.indexOf(severityMin));
}

function isInScope(scope: RuleScope, { site }: StoredEvent): boolean {
  if (scope.kind === "all") return true;
  if (site === null) return false;
  if (scope.kind === "site") return site.id === scope.siteId;
  return scope.kind === "tag" ? site.tags.includes(scope.tag) : site.client === scope.client;
}
