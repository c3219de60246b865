/** Tables that follow from the records: compared with them, and rebuilt from them. */
import { emailKey } from "./account-index.ts";
import type { Db } from "./database.ts";
import { deliveryDueKeysOf } from "./deliveries.ts";
import { identityKey } from "./oidc-identity.ts";
import { publicKeysOf } from "./public-list.ts";
import { gapValue, impliedGaps } from "./queue.ts";
import type { ScanRecord } from "./scans.ts";
import { dueKeysOf } from "./site-due-keys.ts";
import type { RowTable, TableKey } from "./table.ts";

/** Rows per transaction: a few megabytes of memory. */
const rowsPerChunk = 1_000;

interface DerivedRow {
  readonly key: TableKey;
  readonly value: string | number;
}

/** Records of these tables have keys of one part. */
const asName = (key: TableKey) => (Array.isArray(key) ? "" : key);

type Source =
  | "scans"
  | "accounts"
  | "credentials"
  | "apiTokens"
  | "sessions"
  | "sites"
  | "deliveries"
  | "events"
  | "members"
  | "siteAccounts";
type SourceTables = Pick<Db, Source>;
type DerivedName =
  | "publicScans"
  | "scansByAccount"
  | "ownScans"
  | "queueByLane"
  | "queueGaps"
  | "running"
  | "accountIdsByEmail"
  | "accountIdsByIdentity"
  | "apiTokenHashes"
  | "sessionHashes"
  | "sitesDue"
  | "deliveriesDue"
  | "deliveriesWaiting"
  | "siteEventIds"
  | "ownersByMember"
  | "metricsTokens";

interface Derivation<S extends Source> {
  readonly table: DerivedName;
  readonly source: S;
  /** Rows that follow from one record. */
  readonly rowsOf: (record: RecordOf<S>, key: TableKey) => readonly DerivedRow[];
  /** Key of the record that a row names. */
  readonly sourceKeyOf: (row: DerivedRow) => TableKey | undefined;
}

type RecordOf<S extends Source> = SourceTables[S] extends RowTable<infer V, infer _K> ? V : never;

const namedValue = ({ value }: DerivedRow) => value;
const ofScan = (
  table: DerivedName,
  rowsOf: (scan: ScanRecord) => readonly DerivedRow[],
  sourceKeyOf: Derivation<"scans">["sourceKeyOf"] = namedValue,
) => ({ table, source: "scans", rowsOf, sourceKeyOf }) satisfies Derivation<"scans">;

/** Key of the record whose account and id are the last parts of a row's key. */
const lastParts = ({ key }: DerivedRow) => (Array.isArray(key) ? key.slice(1) : undefined);

const derivations = [
  ofScan("publicScans", (scan) => (scan.status === "finished" ? publicKeysOf(scan).map((key) => ({ key, value: scan.token })) : [])),
  ofScan("scansByAccount", ({ accountId, id, token }) => (accountId === null ? [] : [{ key: [accountId, id], value: token }])),
  ofScan(
    "ownScans",
    ({ accountId, id, token }) => (accountId === null ? [] : [{ key: [accountId, token], value: id }]),
    ({ key }) => (Array.isArray(key) ? key[1] : undefined),
  ),
  ofScan("queueByLane", ({ status, queueKey, token }) =>
    status === "queued" && queueKey !== undefined ? [{ key: [...queueKey], value: token }] : [],
  ),
  ofScan("running", ({ status, id, token }) => (status === "running" ? [{ key: id, value: token }] : [])),
  {
    table: "accountIdsByEmail",
    source: "accounts",
    rowsOf: ({ email, id }) => [{ key: emailKey(email), value: id }],
    sourceKeyOf: namedValue,
  } satisfies Derivation<"accounts">,
  {
    table: "accountIdsByIdentity",
    source: "credentials",
    rowsOf: ({ oidc }, accountId) => (oidc ? [{ key: identityKey(oidc), value: asName(accountId) }] : []),
    sourceKeyOf: namedValue,
  } satisfies Derivation<"credentials">,
  {
    table: "apiTokenHashes",
    source: "apiTokens",
    rowsOf: ({ accountId, id }, hash) => [{ key: [accountId, id], value: asName(hash) }],
    sourceKeyOf: namedValue,
  } satisfies Derivation<"apiTokens">,
  {
    table: "sessionHashes",
    source: "sessions",
    rowsOf: ({ accountId, id }, hash) => [{ key: [accountId, id], value: asName(hash) }],
    sourceKeyOf: namedValue,
  } satisfies Derivation<"sessions">,
  {
    table: "sitesDue",
    source: "sites",
    rowsOf: (site) => dueKeysOf(site).map((key) => ({ key: [...key], value: site.id })),
    sourceKeyOf: lastParts,
  } satisfies Derivation<"sites">,
  {
    table: "deliveriesDue",
    source: "deliveries",
    rowsOf: (delivery) => deliveryDueKeysOf(delivery).map((key) => ({ key: [...key], value: delivery.id })),
    sourceKeyOf: lastParts,
  } satisfies Derivation<"deliveries">,
  {
    table: "deliveriesWaiting",
    source: "deliveries",
    rowsOf: ({ state, accountId, id, channelId }) => (state === "waiting" ? [{ key: [accountId, id], value: channelId }] : []),
    sourceKeyOf: ({ key }) => key,
  } satisfies Derivation<"deliveries">,
  {
    table: "siteEventIds",
    source: "events",
    rowsOf: ({ site, seq, accountId }) => (site === null ? [] : [{ key: [site.id, seq], value: accountId }]),
    sourceKeyOf: ({ key, value }) => (Array.isArray(key) ? [value, key[1] ?? 0] : undefined),
  } satisfies Derivation<"events">,
  {
    table: "ownersByMember",
    source: "members",
    rowsOf: ({ ownerId, memberId }) => [{ key: [memberId, ownerId], value: ownerId }],
    sourceKeyOf: ({ key }) => (Array.isArray(key) ? key.toReversed() : undefined),
  } satisfies Derivation<"members">,
  {
    table: "metricsTokens",
    source: "siteAccounts",
    rowsOf: ({ metricsTokenHash }, accountId) => (metricsTokenHash === null ? [] : [{ key: metricsTokenHash, value: asName(accountId) }]),
    sourceKeyOf: namedValue,
  } satisfies Derivation<"siteAccounts">,
] as const;

export interface DerivedReport {
  readonly table: DerivedName;
  /** Rows that the records imply and the table lacks. */
  readonly missing: number;
  /** Rows that no record implies. */
  readonly stray: number;
}

/** Compares every derived table with the records; `repair` also rebuilds it, and needs the server's lock. @throws DataDirError */
export async function compareDerivedTables(db: Db, { repair }: { readonly repair: boolean }): Promise<readonly DerivedReport[]> {
  const reports: DerivedReport[] = [];
  for (const derivation of derivations) reports.push(await compare(db, derivation as unknown as AnyDerivation, repair));
  return [...reports, await compareGaps(db, repair)];
}

/** Call after the rows of the queue are compared: the gaps follow from them. */
async function compareGaps(db: Db, repair: boolean): Promise<DerivedReport> {
  const gaps = db.queueGaps as unknown as AnyTable;
  const implied: readonly TableKey[] = impliedGaps(db).map((gap) => [...gap]);
  const expected = new Set(implied.map((gap) => JSON.stringify(gap)));
  const missing = implied.filter((gap) => gaps.get(gap) !== gapValue);
  const stray = [...gaps.getKeys()].filter((gap) => !expected.has(JSON.stringify(gap)));
  if (repair) {
    await eachChunk(db, true, missing, (gap) => gaps.put(gap, gapValue));
    await eachChunk(db, true, stray, (gap) => gaps.remove(gap));
  }
  return { table: "queueGaps", missing: missing.length, stray: stray.length };
}

type AnyTable = RowTable<unknown, TableKey>;
type AnyDerivation = Omit<Derivation<Source>, "rowsOf"> & { readonly rowsOf: (record: unknown, key: TableKey) => readonly DerivedRow[] };

async function compare(db: Db, { table: name, source, rowsOf, sourceKeyOf }: AnyDerivation, repair: boolean): Promise<DerivedReport> {
  const table = db[name] as unknown as AnyTable;
  const records = db[source] as unknown as AnyTable;
  let [missing, stray] = [0, 0];

  const addMissing = (recordKey: TableKey): void => {
    const record = records.get(recordKey);
    if (record === undefined) return;
    for (const { key, value } of rowsOf(record, recordKey)) {
      if (table.get(key) === value) continue;
      missing++;
      if (repair) table.put(key, value);
    }
  };
  const removeStray = (key: TableKey): void => {
    const row = { key, value: table.get(key) as string | number };
    const recordKey = sourceKeyOf(row);
    // No record has an empty key or the number 0: they stand for a row that cannot be read.
    const record = recordKey ? records.get(recordKey) : undefined;
    if (record !== undefined && rowsOf(record, recordKey ?? "").some((implied) => isSameRow(implied, row))) return;
    stray++;
    if (repair) table.remove(key);
  };

  await eachChunk(db, repair, [...table.getKeys()], removeStray);
  await eachChunk(db, repair, [...records.getKeys()], addMissing);
  return { table: name, missing, stray };
}

async function eachChunk(db: Db, repair: boolean, keys: readonly TableKey[], visit: (key: TableKey) => void): Promise<void> {
  for (let at = 0; at < keys.length; at += rowsPerChunk) {
    const chunk = () => keys.slice(at, at + rowsPerChunk).forEach(visit);
    if (repair) await db.write(chunk);
    else chunk();
  }
}

function isSameRow(one: DerivedRow, other: DerivedRow): boolean {
  return one.value === other.value && JSON.stringify(one.key) === JSON.stringify(other.key);
}
