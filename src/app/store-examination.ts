/** Examination of the whole store for the operator, and the repair of what follows from its records. */

import { DataDirError } from "../store/data-dir.ts";
import { openDatabase } from "../store/database.ts";
import { compareCounters, compareDerivedTables, type DerivedReport, type LowCounter } from "../store/derived-tables.ts";
import { type DataDirLock, lockDataDir } from "../store/lock.ts";
import type { StoreReport } from "../store/store-walk.ts";
import { checkWholeStore } from "./store-check.ts";

export interface StoreExamination {
  /** `lost`: rows, or rows of derived tables, are lost; all others can be used. `damaged`: the store cannot be opened. */
  readonly state: "ok" | "lost" | "damaged";
  /** Null without a store, and if a signal ended the check. After a repair, the state after it. */
  readonly report: StoreReport | null;
  /** Table in which a signal ended the check. */
  readonly diedIn: string | null;
  /** Differences that were found; a repair has removed them. Empty for a damaged store, whose tables cannot be compared. */
  readonly derived: readonly DerivedReport[];
  readonly lowCounters: readonly LowCounter[];
  readonly repaired: boolean;
}

export interface ExaminationOptions {
  /** Rebuilds derived tables and counters; refused while a server runs. */
  readonly repair: boolean;
  /** Called before each table. */
  readonly onTable: (table: string) => void;
}

/** @throws DataDirError also if the check cannot be made; `locked` for a repair beside a server. */
export async function examineStore(dataDir: string, { repair, onTable }: ExaminationOptions): Promise<StoreExamination> {
  const lock = repair ? lockDataDir(dataDir) : undefined;
  try {
    const found = await walk(dataDir, onTable);
    const { report } = found;
    const unrepaired = { ...found, derived: [], lowCounters: [], repaired: false };
    if (found.diedIn !== null || (report?.damagedTables.length ?? 0) > 0) return { ...unrepaired, state: "damaged" };
    if (report === null) return { ...unrepaired, state: "ok" };
    const differences = await compareTables(dataDir, repair, lock);
    const isRepaired = repair && hasDifferences(differences);
    // A store that is opened for writing makes a lost identity anew.
    const last = repair && (isRepaired || hasLost(report)) ? (await walk(dataDir, onTable)).report : report;
    const isWhole = (repair || !hasDifferences(differences)) && last !== null && !hasLost(last);
    return { ...differences, state: isWhole ? "ok" : "lost", report: last, diedIn: null, repaired: isRepaired };
  } finally {
    lock?.release();
  }
}

async function walk(dataDir: string, onTable: (table: string) => void): Promise<Pick<StoreExamination, "report" | "diedIn">> {
  const check = await checkWholeStore(dataDir, { onTable });
  if (check.status === "done") return { report: check.report, diedIn: null };
  if (check.status === "died") return { report: null, diedIn: check.table };
  throw new DataDirError(
    "not-writable",
    check.status === "timeout"
      ? `the check of the store ran out of time in table ${check.table} after ${check.ms} ms; the disk may be failing`
      : `the store could not be checked (${check.because})`,
  );
}

type Differences = Pick<StoreExamination, "derived" | "lowCounters">;

async function compareTables(dataDir: string, repair: boolean, lock: DataDirLock | undefined): Promise<Differences> {
  const db = openDatabase(dataDir, { readOnly: !repair, lock });
  try {
    // First, while rows of lost records still name their ids.
    const lowCounters = await compareCounters(db, { repair });
    const derived = await compareDerivedTables(db, { repair });
    return { lowCounters, derived: derived.filter(({ missing, stray }) => missing + stray > 0) };
  } finally {
    await db.close();
  }
}

function hasLost({ tables }: StoreReport): boolean {
  return tables.some(({ lost }) => lost > 0);
}

function hasDifferences({ derived, lowCounters }: Differences): boolean {
  return derived.length + lowCounters.length > 0;
}
