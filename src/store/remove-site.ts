/** Removes all rows of a site, and all that an account keeps about its sites; only within a transaction. */
import { emailKey } from "./account-index.ts";
import { accountRange } from "./account-range.ts";
import type { Account } from "./accounts.ts";
import type { Db } from "./database.ts";
import { removeDelivery } from "./deliveries.ts";
import { setMetricsToken } from "./scan-events.ts";
import { dueKeysOf } from "./site-due-keys.ts";
import type { Site } from "./sites.ts";

/** Reads the stored site: another process may have moved its next run since the caller read it. */
export function removeSiteRows(db: Db, { accountId, id }: Pick<Site, "accountId" | "id">): void {
  const stored = db.sites.get([accountId, id]);
  if (stored !== undefined) for (const key of dueKeysOf(stored)) db.sitesDue.remove([...key]);
  db.sites.remove([accountId, id]);
  db.siteStates.remove(id);
  db.siteRuns.remove(id);
  const ofSite = { start: [id, 0] as [number, number], end: [id + 1, 0] as [number, number] };
  for (const key of [...db.siteHistory.getKeys(ofSite)]) db.siteHistory.remove(key);
  for (const key of [...db.siteEventIds.getKeys(ofSite)]) {
    db.siteEventIds.remove(key);
    db.events.remove([accountId, key[1]]);
  }
  for (const { key, value: rule } of [...db.notificationRules.getRange(accountRange(accountId))])
    if (rule.scope.kind === "site" && rule.scope.siteId === id) db.notificationRules.remove(key);
}

/** For the deletion of an account. Also removes the invitations that others sent to its address. */
export function removeSitesOfAccount(db: Db, { id: accountId, email }: Pick<Account, "id" | "email">): void {
  const range = accountRange(accountId);
  for (const { value: site } of [...db.sites.getRange(range)]) removeSiteRows(db, site);
  for (const { value: delivery } of [...db.deliveries.getRange(range)]) removeDelivery(db, delivery);
  for (const table of [db.notificationRules, db.channels, db.events]) for (const key of [...table.getKeys(range)]) table.remove(key);
  for (const key of [...db.members.getKeys(range)]) {
    db.members.remove(key);
    db.ownersByMember.remove([key[1], key[0]]);
  }
  for (const key of [...db.ownersByMember.getKeys(range)]) {
    db.ownersByMember.remove(key);
    db.members.remove([key[1], key[0]]);
  }
  for (const { key, value: invitation } of [...db.memberInvitations.getRange()])
    if (invitation.ownerId === accountId || emailKey(invitation.email) === emailKey(email)) db.memberInvitations.remove(key);
  db.brands.remove(accountId);
  setMetricsToken(db, accountId, null);
  db.siteAccounts.remove(accountId);
}
