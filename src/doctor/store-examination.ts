/**
 * Examination of the whole store in a child process, for the operator and after an unclean end; repair of what follows from its records.
 */
import { ownProgram } from "../base/build.ts";
import { tryOr } from "../base/try-or.ts";
import { DataDirError, damagedDataDir } from "../store/data-dir.ts";
import { openDatabase } from "../store/database.ts";
import { compareCounters, compareDerivedTables, type DerivedReport, type LowCounter } from "../store/derived-tables.ts";
import { type DataDirLock, lockDataDir } from "../store/lock.ts";
import { checkStoreFile, storeBytesOf, storeFileOf } from "../store/store-file.ts";
import type { StoreReport } from "../store/store-walk.ts";

/** Time limit: a fixed part, and one second for so many bytes; a tenth of the speed of a slow disk. */
const workMsMin = 60_000;
const bytesPerSecondMin = 5_000_000;
/** Signals by which a process ends that meets a damaged page. Any other one was sent from outside: a stop, or too little memory. */
const damageSignals: readonly string[] = ["SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP"];

type StoreProcessEnd = { readonly ms: number } & (
  | { readonly status: "exit"; readonly code: number; readonly lastLine: string }
  | { readonly status: "timeout" }
  /** A page that LMDB cannot read. */
  | { readonly status: "damage"; readonly signal: string }
  | { readonly status: "signal"; readonly signal: string }
);

interface StoreProcessOptions extends Required<Pick<StoreCheckOptions, "timeoutMs">>, Pick<StoreCheckOptions, "stop"> {
  /** Called for each line of JSON on stdout. */
  readonly onLine?: (line: string) => void;
}

/** Runs the command to its end. `lastLine` is the last one of stderr, without the name of the program. */
export async function runStoreProcess(
  command: readonly string[],
  { timeoutMs, stop, onLine = () => {} }: StoreProcessOptions,
): Promise<StoreProcessEnd> {
  const began = performance.now();
  const ending = stop === undefined ? {} : { signal: stop, killSignal: "SIGKILL" as const };
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe", ...ending });
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const lastWords = new Response(child.stderr).text();
  for await (const line of linesOf(child.stdout)) onLine(line);
  await child.exited;
  clearTimeout(timer);
  const ms = Math.round(performance.now() - began);
  if (hasTimedOut) return { status: "timeout", ms };
  const signal = child.signalCode === null ? null : String(child.signalCode);
  if (signal !== null) return { status: damageSignals.includes(signal) ? "damage" : "signal", signal, ms };
  const lastLine = (await lastWords).trim().split("\n").at(-1) ?? "";
  return { status: "exit", code: child.exitCode ?? 0, lastLine: lastLine.replace(/^assay: /, ""), ms };
}

/** Time limit for work that reads a whole store. The work itself names a file that cannot be read. */
export function storeWorkMsOf(dataDir: string): number {
  return workMsMin + ((storeBytesOf(dataDir) ?? 0) / bytesPerSecondMin) * 1_000;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    // A child that dies may leave a part of a line.
    for (const line of lines) if (line.startsWith("{")) yield line;
  }
}

/** Hidden command that prints one `StoreCheckLine` per line. */
export const storeWalkCommand = "store-walk";

export type StoreCheckLine = { readonly table: string } | { readonly percent: number } | { readonly report: StoreReport | null };

type StoreCheck =
  /** Null without a store. */
  | { readonly status: "done"; readonly report: StoreReport | null; readonly ms: number }
  /** A signal ended the check in this table: a page that LMDB cannot read. */
  | { readonly status: "died"; readonly signal: string; readonly table: string }
  | { readonly status: "timeout"; readonly table: string; readonly ms: number }
  /** The check could not be made. */
  | { readonly status: "failed"; readonly because: string };

interface StoreCheckOptions {
  /** Called before each table. */
  readonly onTable?: (table: string) => void;
  /** Called with each whole percent of the pages. */
  readonly onPercent?: (percent: number) => void;
  readonly program?: readonly string[];
  readonly timeoutMs?: number;
  /** Ends the check, which then failed. */
  readonly stop?: AbortSignal | undefined;
}

export async function checkWholeStore(
  dataDir: string,
  { onTable = () => {}, onPercent = () => {}, program = ownProgram, timeoutMs = storeWorkMsOf(dataDir), stop }: StoreCheckOptions = {},
): Promise<StoreCheck> {
  let table = "none";
  let report: StoreReport | null | undefined;
  const end = await runStoreProcess([...program, storeWalkCommand, dataDir], {
    timeoutMs,
    stop,
    onLine: (text) => {
      const line = JSON.parse(text) as StoreCheckLine;
      if ("report" in line) report = line.report;
      else if ("percent" in line) onPercent(line.percent);
      else {
        table = line.table;
        onTable(table);
      }
    },
  });
  if (report !== undefined) return { status: "done", report, ms: end.ms };
  if (end.status === "timeout") return { status: "timeout", table, ms: end.ms };
  if (end.status === "damage") return { status: "died", signal: end.signal, table };
  return { status: "failed", because: end.status === "signal" ? `${end.signal} ended it in table ${table}` : end.lastLine };
}

/** Whether pages are missing at the end of the file: LMDB ends the process that reads one. */
export function isCutStore(dataDir: string): boolean {
  // Any other fault is named by the opening.
  return tryOr(() => checkStoreFile(storeFileOf(dataDir)) === "short", false);
}

/** For a command that opens the store: reads a cut store in a child process first. @throws DataDirError */
export async function refuseCutStore(dataDir: string): Promise<void> {
  if (!isCutStore(dataDir)) return;
  const check = await checkWholeStore(dataDir);
  if (check.status !== "done") throw damagedDataDir(`${storeFileOf(dataDir)} has lost its end`);
  const [fault] = check.report?.damagedTables ?? [];
  if (fault !== undefined) throw damagedDataDir(`${storeFileOf(dataDir)} has lost its end (table ${fault.table}: ${fault.reason})`);
}

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

/**
 * `repair` rebuilds derived tables and counters. `onTable` is called before each table. @throws DataDirError also if the check cannot be
 * made; `locked` for a repair beside a server.
 */
export async function examineStore(
  dataDir: string,
  { repair, onTable }: { readonly repair: boolean; readonly onTable: (table: string) => void },
): Promise<StoreExamination> {
  const lock = repair ? lockDataDir(dataDir) : undefined;
  try {
    const found = await walk(dataDir, onTable);
    const { report } = found;
    const unrepaired = { ...found, derived: [], lowCounters: [], repaired: false };
    if (found.diedIn !== null || (report?.damagedTables.length ?? 0) > 0) return { ...unrepaired, state: "damaged" };
    if (report === null) return { ...unrepaired, state: "ok" };
    const differences = await compareTables(dataDir, repair, lock);
    const isRepaired = repair && hasDifferences(differences);
    // Opening a store for writing replaces a lost identity.
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
