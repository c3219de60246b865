/** Check of the whole store in a child process: neither a damaged page nor a hanging disk can take this process with it. */
import { damagedDataDir } from "../store/data-dir.ts";
import { checkStoreFile, storeFileOf } from "../store/store-file.ts";
import type { StoreReport } from "../store/store-walk.ts";
import { ownProgram } from "./placement.ts";
import { runStoreProcess, storeWorkMsOf } from "./store-process.ts";

/** Hidden command that prints one `StoreCheckLine` per line. */
export const storeWalkCommand = "store-walk";

export type StoreCheckLine = { readonly table: string } | { readonly percent: number } | { readonly report: StoreReport | null };

export type StoreCheck =
  /** Null without a store. */
  | { readonly status: "done"; readonly report: StoreReport | null; readonly ms: number }
  /** A signal ended the check in this table: a page that LMDB cannot read. */
  | { readonly status: "died"; readonly signal: string; readonly table: string }
  | { readonly status: "timeout"; readonly table: string; readonly ms: number }
  /** The check could not be made. */
  | { readonly status: "failed"; readonly because: string };

export interface StoreCheckOptions {
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
  try {
    return checkStoreFile(storeFileOf(dataDir)) === "short";
  } catch {
    // The opening says why.
    return false;
  }
}

/** For a command that opens the store: reads a cut store in a child process first. @throws DataDirError */
export async function refuseCutStore(dataDir: string): Promise<void> {
  if (!isCutStore(dataDir)) return;
  const check = await checkWholeStore(dataDir);
  if (check.status !== "done") throw damagedDataDir(`${storeFileOf(dataDir)} has lost its end`);
  const [fault] = check.report?.damagedTables ?? [];
  if (fault !== undefined) throw damagedDataDir(`${storeFileOf(dataDir)} has lost its end (table ${fault.table}: ${fault.reason})`);
}
