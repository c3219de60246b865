/** Events of watched sites and scans: their types, their data, and the deliveries that follow from them. */
import type { ProofBody } from "../evidence/proof.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, type Static, stored } from "./define-table.ts";
import { queueDeliveries } from "./deliveries.ts";
import { newestPage, type Page, type PageRequest } from "./page.ts";
import type { ProofRecord } from "./proofs.ts";
import { isBackgroundLane } from "./queue.ts";
import { listedScoreOf, type ScanRecord, type ScanSummary } from "./scan-record.ts";
import { randomBase62 } from "./secret-value.ts";
import type { OpenFinding } from "./site-runs.ts";
import type { PolicyBlock, Site } from "./sites.ts";
import { accountRange, newestFirst } from "./table.ts";

/** 130 bits. */
const eventIdChars = 22;
/** Events that a site keeps, the newest. */
const siteEventsMax = 1_000;

/** What the first address of a site shows. */
export interface ShownPage {
  /** After redirects, without query and fragment. */
  readonly url: string;
  readonly title: string;
  readonly asksPassword: boolean;
}

/** The page that a site is known by, and another one that its address shows instead. */
export interface PageChange {
  readonly from: ShownPage;
  readonly to: ShownPage;
}

/** Present in an event that another page than the known one has caused. */
interface CausedByPage {
  readonly page?: PageChange | undefined;
}

/** Finding of an event, with the addresses of the site that have it. */
export type EventFinding = Pick<OpenFinding, "code" | "checkKey" | "severity" | "urls">;

/** Score of a site before and after its first run under new rules. */
export interface RulesMove {
  readonly site: Pick<Site, "id" | "name" | "url">;
  readonly from: number;
  readonly to: number;
}

/** Events of earlier releases have the versions only. */
export interface RulesChangeData {
  readonly catalogVersion: string;
  readonly algorithmVersion: number;
  /** Sites with a new reference, and how many of them have another score. */
  readonly sites?: number;
  readonly changed?: number;
  /** Null if no score moved. */
  readonly largestChange?: RulesMove | null;
}

/** The planned headers break the page, which they did not do before. */
export interface PolicyBreak {
  /** Address of the site on which they were tried. */
  readonly url: string;
  /** First try that showed it. */
  readonly since: string;
  /** What they block, the first ones, and the number of the others. */
  readonly blocked: readonly PolicyBlock[];
  readonly blockedDropped: number;
}

/** Data of each type of event. Codes and values only; sentences are rendered for the reader. */
export interface EventData {
  readonly "site.score_dropped": { readonly from: number; readonly to: number } & Pick<ScanSummary, "band" | "rank"> & CausedByPage;
  /** `unstable`: the finding changed too often and is not reported again for a while. */
  /** `since`: when a run first showed one of them. Missing in events of earlier releases, and after the end of an acceptance. */
  readonly "finding.opened": { readonly findings: readonly EventFinding[]; readonly since?: string } & CausedByPage;
  readonly "finding.resolved": { readonly findings: readonly EventFinding[] };
  readonly "finding.unstable": { readonly findings: readonly EventFinding[] };
  readonly "certificate.expiring": { readonly expiresAt: string; readonly daysLeft: number };
  /** `leadsTo`: host of another site to which the address redirects now. */
  readonly "site.unreachable": { readonly since: string; readonly errorCode: string | null; readonly leadsTo?: string | undefined };
  readonly "site.recovered": { readonly since: string };
  readonly "policy.broken": PolicyBreak;
  readonly "policy.recovered": Pick<PolicyBreak, "url" | "since">;
  readonly "catalog.changed": RulesChangeData;
  readonly "scan.finished": { readonly status: "finished" | "failed" } & Pick<ScanRecord, "token" | "id" | "url" | "errorCode"> &
    Pick<ScanSummary, "score" | "band" | "rank">;
  readonly "proof.finished": ProofEnd & Pick<ProofRecord, "token" | "id" | "url" | "errorCode"> & { readonly pages: number };
}

interface ProofEnd {
  readonly status: "finished" | "failed";
  /** Null for a proof that failed. */
  readonly verdict: ProofBody["verdict"] | null;
  /** Whether the headers break nothing, and no injected code runs. */
  readonly proven: boolean;
}

export type EventType = keyof EventData;

export type NewEvent = {
  readonly [T in EventType]: {
    readonly type: T;
    /** Scan that showed it; null where no single scan did. */
    readonly token: string | null;
    readonly data: EventData[T];
  };
}[EventType];

/** Site as it was named at the event. */
export type EventSite = Pick<Site, "id" | "name" | "url" | "client" | "tags">;

const eventRow = stored.row({
  /** `evt_` and 22 characters: the webhook-id of every attempt and every channel. */
  id: stored.text,
  seq: stored.id,
  accountId: stored.id,
  at: stored.time,
  /** A later release may add types. */
  type: stored.textAs<EventType>(),
  /** Null for events of the account. */
  site: stored.orNull(stored.objectOf<EventSite>()),
  data: stored.objectOf<EventData[EventType]>(),
});
export type StoredEvent = NewEvent & Omit<Static<typeof eventRow>, "type" | "data">;

export const eventsTable = defineTable({
  row: stored.as<StoredEvent>(eventRow),
  key: keyed<[accountId: number, seq: number]>(),
  indexes: {
    /** Account of each event of a site. */
    siteEventIds: numberIndex(
      ({ site, seq, accountId }: StoredEvent): IndexRows<[siteId: number, seq: number], number> =>
        site === null ? [] : [[[site.id, seq], accountId]],
      { recordKey: ({ key, value }) => (Array.isArray(key) ? [value, key[1] ?? 0] : undefined) },
    ),
  },
  ofAccount: [{ by: "part", part: 0 }],
  ofSite: [{ by: "index", index: "siteEventIds" }],
  keyIds: ["nextAccountId", "nextEventId"],
});

export interface EventOrigin {
  readonly accountId: number;
  readonly site: EventSite | null;
  readonly now: Date;
}

/** Stores events and queues their deliveries; only within a transaction. */
export function putEvents(db: Db, { accountId, site, now }: EventOrigin, events: readonly NewEvent[]): readonly StoredEvent[] {
  const added = events.map((event): StoredEvent => {
    const seq = db.next("nextEventId");
    return { ...event, id: `evt_${randomBase62(db.clock, eventIdChars)}`, seq, accountId, at: now.toISOString(), site };
  });
  for (const event of added) db.events.put([accountId, event.seq], event);
  if (site !== null && added.length > 0) removeOldEvents(db, accountId, site.id);
  queueDeliveries(db, accountId, added, now);
  return added;
}

function removeOldEvents(db: Db, accountId: number, siteId: number): void {
  const range = accountRange(siteId);
  const surplus = db.siteEventIds.getKeysCount(range) - siteEventsMax;
  if (surplus <= 0) return;
  for (const key of [...db.siteEventIds.getKeys({ ...range, limit: surplus })]) {
    db.events.remove([accountId, key[1]]);
    // Also without its event, which may be lost.
    db.siteEventIds.remove(key);
  }
}

export function eventRepository(db: Db) {
  return {
    find: (accountId: number, seq: number): StoredEvent | undefined => db.events.get([accountId, seq]),
    /** Newest first. */
    list: (accountId: number, request: PageRequest): Page<StoredEvent> => newestPage(db.events, [accountId], request, ({ value }) => value),
    /** Newest first; `cursor` is the sequence number of an event. */
    pageOfSite: (accountId: number, siteId: number, request: PageRequest): Page<StoredEvent> =>
      newestPage(db.siteEventIds, [siteId], request, ({ key: [, seq] }) => db.events.get([accountId, seq])),
    /** Newest first. */
    listOfSite: (accountId: number, siteId: number, limit: number): readonly StoredEvent[] =>
      [...db.siteEventIds.getKeys({ ...newestFirst([siteId]), limit })].flatMap(([, seq]) => db.events.get([accountId, seq]) ?? []),
  };
}

/**
 * Stores `scan.finished` if a rule of the account wants it; only within the transaction that ends the scan. `before` is the scan as it was:
 * scheduled runs report by the events of their site.
 */
export function noteScanEnd(db: Db, before: ScanRecord, ended: ScanRecord, now: Date): void {
  const { accountId, token, id, url, status, errorCode, summary } = ended;
  if (
    accountId === null ||
    (before.queueKey !== undefined && isBackgroundLane(before.queueKey[1])) ||
    (status !== "finished" && status !== "failed")
  )
    return;
  const data = { token, id, url, status, errorCode, ...listedScoreOf(summary) };
  putIfWanted(db, { accountId, site: null, now }, { type: "scan.finished", token, data });
}

/** Stores `proof.finished` if a rule of the account wants it; only within the transaction that ends the proof. `body`: null for a failure. */
export function noteProofEnd(db: Db, { accountId, token, id, url, urls, errorCode }: ProofRecord, body: ProofBody | null, now: Date): void {
  if (accountId === null) return;
  const { verdict, proven } = body ?? { verdict: null, proven: false };
  const status = body === null ? "failed" : "finished";
  const data = { token, id, url, pages: urls.length, status, errorCode, verdict, proven } as const;
  putIfWanted(db, { accountId, site: null, now }, { type: "proof.finished", token: null, data });
}

function putIfWanted(db: Db, origin: EventOrigin, event: NewEvent): void {
  const rules = db.notificationRules.values(accountRange(origin.accountId));
  if (rules.some(({ events }) => events.includes(event.type))) putEvents(db, origin, [event]);
}
