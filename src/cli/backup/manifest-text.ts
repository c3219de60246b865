/** What the commands of backups share: the words for a manifest, and the end by a signal. */
import type { Manifest } from "../../backup/archive.ts";
import { CliError, exitCodes } from "../exit.ts";
import { stopSignal } from "../shutdown.ts";

/** Clause on the content, as in `schema 6, 1200 scans, 3 accounts, 41000 rows in 23 tables, 4 files`. */
export function rowsIn({ schema, tables, files }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const of = (name: string) => tables.find(({ table }) => table === name)?.rows ?? 0;
  return `schema ${schema}, ${of("scans")} scans, ${of("accounts")} accounts, ${rows} rows in ${tables.length} tables, ${files.length} files`;
}

/** Runs the action until SIGTERM or SIGINT, after which it leaves nothing. @throws CliError after a signal */
export async function untilStopped(action: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = stopSignal();
  try {
    await action(stop);
  } catch (error) {
    if (stop.aborted) throw new CliError(exitCodes.interrupted, "interrupted: nothing was changed");
    throw error;
  }
}
