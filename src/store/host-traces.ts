/** What is stored of a host apart from its scans and sites: events, and what sites keep of the time before they moved away from it. */
import { pause } from "../base/clock.ts";
import type { Db } from "./database.ts";
import type { StoredEvent } from "./site-events.ts";
import type { SiteHistoryEntry } from "./site-runs.ts";

/** Small rows of one transaction: a server that wants to write waits so long. */
const rowsAtOnce = 200;
/** Between two transactions, so that a server gets its turn. */
const pauseMs = 5;

export interface HostTest {
  /** Whether a URL that was stored at an instant is of the host. */
  readonly isOfHost: (url: string, storedAt: string) => boolean;
  /** Tokens of the scans of the host. */
  readonly tokens: ReadonlySet<string>;
}

/** Events that name an address or a scan of the host, also of sites that have another address now. Reads every event. */
export function* eventsOfHost(db: Db, { isOfHost, tokens }: HostTest): Generator<StoredEvent, void> {
  for (const { value: event } of db.events.getRange())
    if ((event.token !== null && tokens.has(event.token)) || urlsOf(event).some((url) => isOfHost(url, event.at))) yield event;
}

/** Entries of histories whose run scanned the host; the entries themselves have no address. Reads every history. */
export function* historyOfScans(db: Db, tokens: HostTest["tokens"]): Generator<SiteHistoryRow, void> {
  for (const { key, value: entry } of db.siteHistory.getRange()) if (tokens.has(entry.token)) yield { siteId: key[0], entry };
}

export interface SiteHistoryRow {
  readonly siteId: number;
  readonly entry: SiteHistoryEntry;
}

/** Call while the scans are stored. The runs under way of sites that have moved away end without a trace. */
export async function removeTracesOfHost(db: Db, host: HostTest): Promise<void> {
  const events = [...eventsOfHost(db, host)].map(({ accountId, seq, site }) => ({ accountId, seq, siteId: site?.id ?? null }));
  await inSteps(db, events, ({ accountId, seq, siteId }) => {
    db.events.remove([accountId, seq]);
    if (siteId !== null) db.siteEventIds.remove([siteId, seq]);
  });
  const history = [...historyOfScans(db, host.tokens)].map(({ siteId, entry }): [number, number] => [siteId, Date.parse(entry.at)]);
  await inSteps(db, history, (key) => void db.siteHistory.remove(key));
  const runs = [...db.siteRuns.getRange()].filter(({ value: { scans } }) => scans.some(({ token }) => host.tokens.has(token)));
  await inSteps(db, runs, ({ key, value: { startedAt } }) => {
    if (db.siteRuns.get(key)?.startedAt === startedAt) db.siteRuns.remove(key);
  });
}

function urlsOf({ site, data }: StoredEvent): readonly string[] {
  const ofSite = site === null ? [] : [site.url];
  if ("url" in data) return [...ofSite, data.url];
  return "findings" in data ? [...ofSite, ...data.findings.flatMap(({ urls }) => urls)] : ofSite;
}

async function inSteps<T>(db: Db, rows: readonly T[], remove: (row: T) => void): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await db.write(() => rows.slice(at, at + rowsAtOnce).forEach(remove));
    await pause(db.clock, pauseMs);
  }
}
