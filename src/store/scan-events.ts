/** Events of an account apart from its sites: scans that end, and other rules of judging. */

import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, type Static, stored } from "./define-table.ts";
import type { ScanRecord } from "./scan-record.ts";
import { hashOfSecret, isSecretValue, newSecretValue } from "./secret-value.ts";
import { putEvents } from "./site-events.ts";
import type { AppliedRules } from "./site-runs.ts";
import { listedScoreOf } from "./summary.ts";
import { accountRange } from "./table.ts";

const siteAccountRow = stored.row({
  /** Rules of judging that the account knows of; null before its first measured run. */
  rulesAnnounced: stored.orNull(stored.text),
  /** When the results that announced them were judged. */
  rulesJudgedAt: stored.optional(stored.unchecked<string>()),
  /** SHA-256 of the token for the metrics of its sites; null without one. */
  metricsTokenHash: stored.orNull(stored.text),
});
export type SiteAccount = Static<typeof siteAccountRow>;

export const siteAccountsTable = defineTable({
  row: siteAccountRow,
  key: keyed<number>(),
  indexes: {
    /** Account of each token for the metrics of sites, by the SHA-256 of its value. */
    metricsTokens: numberIndex(
      ({ metricsTokenHash }: SiteAccount, accountId: number): IndexRows<string, number> =>
        metricsTokenHash === null ? [] : [[metricsTokenHash, accountId]],
    ),
  },
  ofAccount: [{ by: "key" }],
});

const newSiteAccount: SiteAccount = { rulesAnnounced: null, metricsTokenHash: null };

/**
 * Stores `scan.finished` if a rule of the account wants it; only within the transaction that ends the scan. `before` is the scan as it was:
 * scheduled runs report by the events of their site.
 */
export function noteScanEnd(db: Db, before: ScanRecord, ended: ScanRecord, now: Date): void {
  const { accountId, token, id, url, status, errorCode, summary } = ended;
  if (accountId === null || before.queueKey?.[1] === "scheduled" || (status !== "finished" && status !== "failed")) return;
  const rules = [...db.notificationRules.getRange(accountRange(accountId))];
  if (!rules.some(({ value }) => value.events.includes("scan.finished"))) return;
  const data = { token, id, url, status, errorCode, ...listedScoreOf(summary) };
  putEvents(db, { accountId, site: null, now }, [{ type: "scan.finished", token, data }]);
}

/** One notice for each account and change of the rules; only within a transaction. */
export function noteRules(db: Db, accountId: number, applied: AppliedRules, now: Date): void {
  const { algorithmVersion, catalogVersion, basis, judgedAt } = applied;
  const rules = `${algorithmVersion} ${catalogVersion} ${basis?.headerValueCharsMax ?? ""}`;
  const account = db.siteAccounts.get(accountId) ?? newSiteAccount;
  if (account.rulesAnnounced === rules) return;
  // A run of several addresses can end after one that the new rules judged.
  const { rulesJudgedAt = "" } = account;
  // A time ahead comes from a clock that was wrong.
  if (judgedAt < rulesJudgedAt && rulesJudgedAt <= now.toISOString()) return;
  db.siteAccounts.put(accountId, { ...account, rulesAnnounced: rules, rulesJudgedAt: judgedAt });
  if (account.rulesAnnounced === null) return;
  const data = { catalogVersion, algorithmVersion };
  putEvents(db, { accountId, site: null, now }, [{ type: "catalog.changed", token: null, data }]);
}

export function metricsTokenRepository(db: Db) {
  return {
    has: (accountId: number): boolean => (db.siteAccounts.get(accountId)?.metricsTokenHash ?? null) !== null,
    /** Replaces the earlier token; the value is not stored. */
    issue: (accountId: number): Promise<string> =>
      db.write(() => {
        const value = newSecretValue(db.clock);
        putMetricsToken(db, accountId, hashOfSecret(value));
        return value;
      }),
    revoke: (accountId: number): Promise<void> => db.write(() => putMetricsToken(db, accountId, null)),
    /** Account of the token; undefined for an unknown one. */
    accountOf: (value: string): number | undefined => {
      const accountId = isSecretValue(value) ? db.metricsTokens.get(hashOfSecret(value)) : undefined;
      return accountId === 0 ? undefined : accountId;
    },
  };
}

function putMetricsToken(db: Db, accountId: number, metricsTokenHash: string | null): void {
  const account = db.siteAccounts.get(accountId) ?? newSiteAccount;
  db.siteAccounts.put(accountId, { ...account, metricsTokenHash });
}
