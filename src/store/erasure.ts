/** Deletion for privacy: all that is stored about an account or a host, in short transactions, also beside a running server. */
import { createHmac } from "node:crypto";
import { pause } from "../base/clock.ts";
import { hostOf } from "../parse/site.ts";
import type { Account } from "./accounts.ts";
import { type Actor, putAudit } from "./audit.ts";
import { type Db, instanceOf } from "./database.ts";
import type { Deletion } from "./deletions-file.ts";
import { reads } from "./methods.ts";
import { type ProofRecord, removeProof } from "./proofs.ts";
import type { ScanRecord } from "./scan-record.ts";
import { removeScan } from "./scans.ts";
import { randomBase62 } from "./secret-value.ts";
import type { StoredEvent } from "./site-events.ts";
import type { SiteHistoryEntry } from "./site-runs.ts";
import { removeSiteRows, type Site } from "./sites.ts";
import { accountRange } from "./table.ts";

/** Scans of one transaction: a server that wants to write waits so long. */
const scansAtOnce = 10;
/** Small rows of one transaction. */
const rowsAtOnce = 200;
/** Between two transactions, so that a server gets its turn. */
const pauseMs = 5;
const deletionIdChars = 22;

export interface HostScope {
  /** ASCII, in lower case. */
  readonly host: string;
  readonly withSubdomains: boolean;
}

export function erasureRepository(db: Db) {
  return {
    accountDeletion: (account: Account, now: Date): Deletion =>
      newDeletion(db, now, { kind: "account", reference: accountReference(db, account), accountId: account.id, withSubdomains: false }),
    hostDeletion: ({ host, withSubdomains }: HostScope, now: Date): Deletion =>
      newDeletion(db, now, { kind: "host", reference: referenceOf(db, `host ${host}`), accountId: null, withSubdomains }),

    /** Whether this store has carried it out. */
    isDone: (id: string): boolean => db.deletions.doesExist(id),

    /** Scans of the host, of all accounts and in any state. Reads every scan. */
    scansOfHost: (scope: HostScope): readonly ScanRecord[] => scansWhere(db, ({ url }) => isWithin(hostOf(url), scope)),
    /** Proofs of pages of the host, of all accounts and in any state. Reads every proof. */
    proofsOfHost: (scope: HostScope): readonly ProofRecord[] =>
      proofsWhere(db, ({ urls }) => urls.some((url) => isWithin(hostOf(url), scope))),
    /** Watched sites of the host, of all accounts. Reads every site. */
    sitesOfHost: (scope: HostScope): readonly Site[] => db.sites.values().filter(({ url }) => isWithin(hostOf(url), scope)),
    /** Events of the host, of all accounts. `tokens`: of its scans. Reads every event. */
    eventsOfHost: (scope: HostScope, tokens: ReadonlySet<string>): Iterable<StoredEvent> =>
      eventsOfHost(db, { isOfHost: (url) => isWithin(hostOf(url), scope), tokens }),
    /** Entries of histories, of all accounts, whose run had one of these scans first. Reads every history. */
    historyOfScans: (tokens: ReadonlySet<string>): Iterable<SiteHistoryRow> => historyOfScans(db, tokens),

    ...reads(db, { carryOut }),
  };
}

/**
 * Removes what the deletion names, and notes it in the audit log without personal data; returns the number of scans. A host also loses its
 * watched sites, which would scan it again. A site that has moved away loses what it keeps of the host, and stays. Killed meanwhile, it can be
 * called again.
 */
async function carryOut(db: Db, deletion: Deletion, by: Actor, now: Date): Promise<number> {
  const account = concernedAccount(db, deletion);
  if (account !== undefined) await db.write(() => lockOut(db, account.id));
  const isOfHost = concerns(db, deletion);
  if (deletion.kind === "host") await removeSites(db, ({ url, createdAt }) => isOfHost(url, createdAt));
  if (account !== undefined) await removeSites(db, (site) => site.accountId === account.id);
  const ofHost = () => scansWhere(db, ({ url, createdAt }) => isOfHost(url, createdAt)).map(({ token }) => token);
  const tokens = deletion.kind === "host" ? ofHost() : tokensOfAccount(db, account);
  // Before the scans, because their tokens find the entries of histories.
  if (deletion.kind === "host") await removeTracesOfHost(db, { isOfHost, tokens: new Set(tokens) });
  await inSteps(db, tokens, scansAtOnce, (token) => removeScan(db, token));
  const isOfSubject = ({ accountId, urls, createdAt }: ProofRecord) =>
    deletion.kind === "host" ? urls.some((url) => isOfHost(url, createdAt)) : account !== undefined && accountId === account.id;
  await inSteps(db, proofsWhere(db, isOfSubject), scansAtOnce, ({ token }) => removeProof(db, token));
  return db.write(() => finish(db, deletion, { account, scans: tokens.length, by, now }));
}

function finish(
  db: Db,
  { id, kind, reference, accountId }: Deletion,
  { account, scans, by, now }: { readonly account: Account | undefined; readonly scans: number; readonly by: Actor; readonly now: Date },
): number {
  // A scan that was started after its account was locked out: by a request that was under way.
  const late = tokensOfAccount(db, account);
  for (const token of late) removeScan(db, token);
  if (account !== undefined) for (const token of db.proofsByAccount.values(accountRange(account.id))) removeProof(db, token);
  if (account !== undefined) removeAccount(db, account);
  const subject = { kind, id: kind === "account" && accountId !== null ? accountId : reference } as const;
  const details = { reference, scans: scans + late.length };
  db.deletions.put(id, { at: now.toISOString() });
  if (account !== undefined || kind === "host") putAudit(db, { actor: by, action: "data.deleted", subject, details, now });
  return scans + late.length;
}

function newDeletion({ clock }: Db, now: Date, subject: Omit<Deletion, "id" | "at">): Deletion {
  return { id: randomBase62(clock, deletionIdChars), at: now.toISOString(), ...subject };
}

/** HMAC with the identity of the store, so that names cannot be guessed from the file of deletions alone. */
function referenceOf(db: Db, subject: string): string {
  return createHmac("sha256", instanceOf(db)).update(subject).digest("base64url");
}

/** Reference to the record, not to the person: an id may be given again after a restore. */
function accountReference(db: Db, { id, createdAt }: Account): string {
  return referenceOf(db, `account ${id} ${createdAt}`);
}

function concernedAccount(db: Db, { accountId, reference }: Deletion): Account | undefined {
  const account = accountId === null ? undefined : db.accounts.get(accountId);
  return account !== undefined && accountReference(db, account) === reference ? account : undefined;
}

/** Sessions and tokens end first, so that the account starts no further scans. */
function lockOut(db: Db, id: number): void {
  db.accounts.update(id, () => ({ disabled: true }));
  db.removeRows("ofAccount", { id, email: "" }, ["sessions", "apiTokens"]);
}

/** Removes the account by the definitions of the tables, and what is kept of each site with the site. */
function removeAccount(db: Db, account: Account): void {
  for (const site of db.sites.values(accountRange(account.id))) removeSiteRows(db, site);
  db.removeRows("ofAccount", account);
}

function tokensOfAccount(db: Db, account: Account | undefined): readonly string[] {
  return account === undefined ? [] : db.scansByAccount.values(accountRange(account.id));
}

async function removeSites(db: Db, matches: (site: Site) => boolean): Promise<void> {
  await inSteps(db, db.sites.values().filter(matches), 1, ({ accountId, id }) => {
    // A server can have moved the site to another address meanwhile, or removed it.
    const site = db.sites.get([accountId, id]);
    if (site !== undefined && matches(site)) removeSiteRows(db, site);
  });
}

/** Whether a URL that was stored at an instant is of the host of the deletion. */
function concerns(db: Db, { reference, withSubdomains, at }: Deletion): HostTest["isOfHost"] {
  const known = new Map<string, boolean>();
  const isNamed = (host: string): boolean => {
    const names = withSubdomains ? [host, ...domainsAbove(host)] : [host];
    return names.some((name) => referenceOf(db, `host ${name}`) === reference);
  };
  return (url, storedAt) => {
    const host = hostOf(url);
    if (host === null || Date.parse(storedAt) > Date.parse(at)) return false;
    if (!known.has(host)) known.set(host, isNamed(host));
    return known.get(host) === true;
  };
}

/** Oldest first. Reads every scan. */
function scansWhere(db: Db, matches: (scan: ScanRecord) => boolean): readonly ScanRecord[] {
  const found: ScanRecord[] = [];
  for (const { value: scan } of db.scans.getRange()) if (matches(scan)) found.push(scan);
  return found.toSorted((one, other) => one.id - other.id);
}

/** Oldest first. Reads every proof. */
function proofsWhere(db: Db, matches: (proof: ProofRecord) => boolean): readonly ProofRecord[] {
  return db.proofs
    .values()
    .filter(matches)
    .toSorted((one, other) => one.id - other.id);
}

function isWithin(host: string | null, scope: HostScope): boolean {
  return host === scope.host || (scope.withSubdomains && host?.endsWith(`.${scope.host}`) === true);
}

function domainsAbove(host: string): readonly string[] {
  const labels = host.split(".");
  return labels.slice(1).map((_label, at) => labels.slice(at + 1).join("."));
}

interface HostTest {
  /** Whether a URL that was stored at an instant is of the host. */
  readonly isOfHost: (url: string, storedAt: string) => boolean;
  /** Tokens of the scans of the host. */
  readonly tokens: ReadonlySet<string>;
}

/** Events that name an address or a scan of the host, also of sites that have another address now. Reads every event. */
function* eventsOfHost(db: Db, { isOfHost, tokens }: HostTest): Generator<StoredEvent, void> {
  for (const { value: event } of db.events.getRange())
    if ((event.token !== null && tokens.has(event.token)) || urlsOf(event).some((url) => isOfHost(url, event.at))) yield event;
}

/** Entries of histories whose run scanned the host; the entries themselves have no address. Reads every history. */
function* historyOfScans(db: Db, tokens: HostTest["tokens"]): Generator<SiteHistoryRow, void> {
  for (const { key, value: entry } of db.siteHistory.getRange()) if (tokens.has(entry.token)) yield { siteId: key[0], entry };
}

export interface SiteHistoryRow {
  readonly siteId: number;
  readonly entry: SiteHistoryEntry;
}

/** Call while the scans are stored. The runs under way of sites that have moved away end without a trace. */
async function removeTracesOfHost(db: Db, host: HostTest): Promise<void> {
  const events = [...eventsOfHost(db, host)].map(({ accountId, seq }) => ({ accountId, seq }));
  await inSteps(db, events, rowsAtOnce, ({ accountId, seq }) => void db.events.remove([accountId, seq]));
  const history = [...historyOfScans(db, host.tokens)].map(({ siteId, entry }): [number, number] => [siteId, Date.parse(entry.at)]);
  await inSteps(db, history, rowsAtOnce, (key) => void db.siteHistory.remove(key));
  const runs = [...db.siteRuns.getRange()].filter(({ value: { scans } }) => scans.some(({ token }) => host.tokens.has(token)));
  await inSteps(db, runs, rowsAtOnce, ({ key, value: { startedAt } }) => {
    if (db.siteRuns.get(key)?.startedAt === startedAt) db.siteRuns.remove(key);
  });
}

function urlsOf({ site, data }: StoredEvent): readonly string[] {
  const ofSite = site === null ? [] : [site.url];
  if ("url" in data) return [...ofSite, data.url];
  return "findings" in data ? [...ofSite, ...data.findings.flatMap(({ urls }) => urls)] : ofSite;
}

/** Removes the rows in transactions of `atOnce` rows, with a pause after each. */
async function inSteps<T>(db: Db, rows: readonly T[], atOnce: number, remove: (row: T) => void): Promise<void> {
  for (let at = 0; at < rows.length; at += atOnce) {
    await db.write(() => rows.slice(at, at + atOnce).forEach(remove));
    await pause(db.clock, pauseMs);
  }
}
