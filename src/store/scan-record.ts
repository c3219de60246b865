/** Records of scans, their results and evidence; statuses, tokens and the lookup by one. */
import { efforts, riskLevels, severities, states } from "../check/check.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ProgressStage, Timings } from "../evidence/scan.ts";
import { bands, isNote, type Rank, type ResultBasis, ranks, type StoredResult, standing } from "../judge/result.ts";
import { parseLocation } from "../parse/location.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, type Static, stored, textIndex } from "./define-table.ts";
import { publicKeysOf } from "./public-list.ts";
import type { QueueKey } from "./queue.ts";
import { laneNames } from "./queue.ts";
import { randomBase62 } from "./secret-value.ts";

/** 131 bits: a scan's token cannot be guessed. */
const scanTokenChars = 22;
const scanTokenPattern = /^[0-9A-Za-z]{22}$/;
/** Replaces a malformed token, so that its lookup costs the same. */
const noToken = "0".repeat(scanTokenChars);

export const scanStatuses = ["queued", "running", "finished", "failed"] as const;
export type ScanStatus = (typeof scanStatuses)[number];

/** `running` to `queued` only after an interrupted process; `queued` to `failed` only with the codes `no-worker` and `cancelled`. */
const transitions: Readonly<Record<ScanStatus, readonly ScanStatus[]>> = {
  queued: ["running", "failed"],
  running: ["finished", "failed", "queued"],
  finished: [],
  failed: [],
};

/** @throws Error on a transition outside the table, which is a programmer error. */
export function assertTransition(from: ScanStatus, to: ScanStatus): void {
  if (!transitions[from].includes(to)) throw new Error(`a scan cannot go from ${from} to ${to}`);
}

function isQueueKey(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [location, lane, place] = value;
  return typeof location === "string" && parseLocation(location) !== null && laneNames.includes(lane) && Number.isSafeInteger(place);
}

const basisRow = stored.as<ResultBasis>(
  stored.row({ headerValueCharsMax: stored.number, dataDates: stored.objectOf(), plugins: stored.optional(stored.objectOf()) }),
);
/** Summary of a finished scan for lists, stored with the scan so that lists never read whole results. */
const summaryRow = stored.row({
  measured: stored.flag,
  /** 0 to 100; null when not measured. */
  score: stored.orNull(stored.number),
  band: stored.oneOf(bands),
  /** Missing in rows of older releases, where it follows from the score. */
  rank: stored.as<Rank>(stored.optional(stored.oneOf(ranks))),
  /** Violated rows of the ledger, without notes. */
  violated: stored.number,
  /** Scores are comparable only if both versions and the basis agree. */
  algorithmVersion: stored.unchecked<number>(),
  catalogVersion: stored.unchecked<string>(),
  /** Absent in summaries of algorithm version 2 and older. */
  basis: stored.optional(basisRow),
});
export type ScanSummary = Static<typeof summaryRow>;

/** Members of all that waits in the queue: scans and proofs. */
export const jobMembers = {
  /** Names the scan or the proof in URLs. */
  token: stored.text,
  id: stored.id,
  /** Null for guests, whose scans and proofs are in no account's list. */
  accountId: stored.orNull(stored.id),
  /** ASCII form, without fragment. */
  url: stored.url,
  status: stored.oneOf(scanStatuses),
  createdAt: stored.time,
  /** Start of the latest attempt; null before the first. */
  startedAt: stored.orNull(stored.time),
  endedAt: stored.orNull(stored.time),
  attempts: stored.number,
  /** Key of the message for a failure (`scanErrors` in the locale files); null otherwise. */
  errorCode: stored.orNull(stored.text),
  /** Row of the queue, also while running. The lane is decided once, at the start. Undefined after the end. */
  queueKey: stored.optional(stored.testedBy<QueueKey | undefined>(isQueueKey)),
  /** Id of the request that started it; absent in scans of older releases. */
  requestId: stored.optional(stored.unchecked<string | undefined>()),
  /** Absent for the location of the server itself: see `scanLocationOf`. */
  location: stored.optional(stored.as<string | undefined>(stored.location)),
  /** Network of the host, by which scans of watched sites are limited; absent where it was not looked up. */
  network: stored.optional(stored.unchecked<string | undefined>()),
} as const;
const jobRow = stored.row(jobMembers);
/** A scan or a proof, as the queue sees it. */
export type QueuedJob = Static<typeof jobRow>;

/** Indexes of the queue, in which scans and proofs have their rows together. */
export const queueIndexes = {
  /** Waiting scans and proofs (see `queue.ts`). */
  queueByLane: textIndex(
    ({ status, queueKey, token }: QueuedJob): IndexRows<[...QueueKey], string> =>
      status === "queued" && queueKey !== undefined ? [[[...queueKey], token]] : [],
  ),
  running: textIndex(({ status, id, token }: QueuedJob): IndexRows<number, string> => (status === "running" ? [[id, token]] : [])),
} as const;

const scanRow = stored.row({
  ...jobMembers,
  /** Null unless running. */
  progressStage: stored.orNull(stored.textAs<ProgressStage>()),
  /** 0 to 100; never falls, 100 when finished. */
  progressPercent: stored.number,
  /** Null unless finished. */
  summary: stored.orNull(summaryRow),
  /** What retention has removed, and when; absent while all is kept. */
  removed: stored.optional(stored.as<{ readonly evidence?: string; readonly screenshot?: string } | undefined>(stored.objectOf())),
});
export type ScanRecord = Static<typeof scanRow>;

/** Keyed by token. */
export const scansTable = defineTable({
  row: scanRow,
  key: keyed<string>(),
  keyedBy: "token",
  indexes: {
    /** Finished scans by name and band; `""` is every name or every band (see `public-list.ts`). */
    publicScans: textIndex(
      (scan: ScanRecord): IndexRows<[name: string, band: string, scanId: number], string> =>
        scan.status === "finished" ? publicKeysOf(scan).map((key) => [key, scan.token]) : [],
    ),
    scansByAccount: textIndex(
      ({ accountId, id, token }: ScanRecord): IndexRows<[accountId: number, scanId: number], string> =>
        accountId === null ? [] : [[[accountId, id], token]],
      { keyIds: ["nextAccountId", "nextScanId"] },
    ),
    /** Scans that an account may read. Unknown tokens and tokens of other accounts are the same failed lookup. */
    ownScans: numberIndex(
      ({ accountId, id, token }: ScanRecord): IndexRows<[accountId: number, token: string], number> =>
        accountId === null ? [] : [[[accountId, token], id]],
      { recordKey: ({ key }) => (Array.isArray(key) ? key[1] : undefined) },
    ),
    ...queueIndexes,
  },
  // Removed in steps, with all that belongs to a scan: see `removeScan`.
  ofAccount: [],
});

const ledgerRow = stored.row({ key: stored.text, state: stored.oneOf(states), evidence: stored.listOf() });
const findingRow = stored.row({
  code: stored.text,
  checkKey: stored.text,
  severity: stored.oneOf(severities),
  riskLevel: stored.oneOf(riskLevels),
  effort: stored.oneOf(efforts),
  values: stored.objectOf(),
});
const resultRow = stored.row({
  measured: stored.flag,
  score: stored.orNull(stored.number),
  band: stored.oneOf(bands),
  rank: stored.oneOf(ranks),
  ledger: stored.rows(ledgerRow),
  findings: stored.rows(findingRow),
  basis: stored.optional(basisRow),
  lines: stored.optional(stored.row({ score: stored.number, codes: stored.listOf<string>() })),
  draft: stored.optional(
    stored.row({
      policy: stored.text,
      costs: stored.listOf<string>(),
      blocks: stored.row({ scripts: stored.number, handlers: stored.number, origins: stored.number }),
    }),
  ),
});

/** Keyed by the token of the scan, like the evidence. */
export const resultsTable = defineTable({ row: stored.as<StoredResult>(resultRow), key: keyed<string>(), ofAccount: [] });

const evidenceRow = stored.row({ evidence: stored.objectOf<Evidence>(), timings: stored.objectOf<Timings>() });
export const evidenceTable = defineTable({ row: evidenceRow, key: keyed<string>(), ofAccount: [] });

export function newScanToken({ clock }: Pick<Db, "clock">): string {
  return randomBase62(clock, scanTokenChars);
}

/** The token, or one of the same length that no scan has. */
export function wellFormedToken(token: string): string {
  return scanTokenPattern.test(token) ? token : noToken;
}

/** Undefined for an unknown or malformed token. */
export function findScan(db: Pick<Db, "scans">, token: string): ScanRecord | undefined {
  return scanTokenPattern.test(token) ? db.scans.get(token) : undefined;
}

/** Unknown tokens, malformed ones and tokens of other accounts cost the same lookup: timing does not distinguish them. */
export function findOwnScan(db: Pick<Db, "ownScans" | "scans">, accountId: number, token: string): ScanRecord | undefined {
  const wellFormed = wellFormedToken(token);
  return db.ownScans.doesExist([accountId, wellFormed]) ? findScan(db, wellFormed) : undefined;
}

export function scanSummaryOf({ ledger, ...result }: StoredResult): ScanSummary {
  const { measured, score, band, rank, algorithmVersion, catalogVersion, basis } = result;
  const violated = ledger.filter((row) => row.state === "violated" && !isNote(row)).length;
  return { measured, score, band, rank, violated, algorithmVersion, catalogVersion, ...(basis === undefined ? {} : { basis }) };
}

/** Score, band and rank for lists; `unknown` for a scan without summary. A summary without rank gets the rank of its score. */
export function listedScoreOf(
  summary: (Omit<ScanSummary, "rank"> & { readonly rank?: Rank }) | null,
): Pick<ScanSummary, "score" | "band" | "rank"> {
  const score = summary?.score ?? null;
  return { score, band: summary?.band ?? "unknown", rank: summary?.rank ?? standing(score).rank };
}
