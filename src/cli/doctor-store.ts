/** `assay doctor --store`: what the store holds, what is lost, and its repair. */
import { examineStore, type StoreExamination } from "../app/store-examination.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { jsonLine, note, print, table } from "./terminal.ts";

const exitCodeOf: Readonly<Record<StoreExamination["state"], ExitCode>> = {
  ok: exitCodes.ok,
  lost: exitCodes.policy,
  damaged: exitCodes.dataDir,
};

export interface StoreDoctorOptions {
  readonly json: boolean;
  readonly repair: boolean;
}

/** @throws DataDirError `locked` for a repair beside a server. */
export async function examineStoreCommand(dataDir: string, { json, repair }: StoreDoctorOptions): Promise<ExitCode> {
  const examination = await examineStore(dataDir, { repair, onTable: (name) => note(`reading ${name}`) });
  if (json) print(jsonLine(examination));
  else print(table(rowsOf(examination)));
  const advice = adviceOf(examination, repair);
  if (advice !== null) note(advice);
  return exitCodeOf[examination.state];
}

function rowsOf({ report, diedIn, derived, lowCounters, repaired }: StoreExamination): readonly (readonly string[])[] {
  const mended = repaired ? "repaired" : "failed";
  if (diedIn !== null) return [["failed", diedIn, "its check was ended by a signal: the table has damaged pages"]];
  if (report === null) return [["ok", "store", "there is none yet; the first start creates it"]];
  const { pages, fileBytes, damagedTables, tables, lostRows } = report;
  return [
    [damagedTables.length === 0 ? "ok" : "failed", "pages", `${pages} in use; the file has ${fileBytes} bytes`],
    ...damagedTables.map(({ table: name, reason }) => ["failed", name, `its pages are damaged: ${reason}`]),
    ...tables.map(({ table: name, rows, lost }) => [
      lost === 0 ? "ok" : "failed",
      name,
      lost === 0 ? `${rows} rows` : `${rows} rows, ${lost} of them lost`,
    ]),
    ...lostRows.map(({ table: name, key }) => ["failed", name, `lost: ${key}`]),
    ...derived.map(({ table: name, missing, stray }) => [mended, name, `${missing} rows missing, ${stray} without a record`]),
    ...lowCounters.map(({ counter, used }) => [mended, "meta", `${counter} is lower than an id in use (${used})`]),
  ];
}

function adviceOf({ state, derived, lowCounters, repaired }: StoreExamination, repair: boolean): string | null {
  if (state === "damaged")
    return `the store cannot be used: restore a backup, or move data.mdb away to begin anew${repair ? "; a repair needs sound pages" : ""}`;
  if (repaired) return state === "ok" ? "repaired: the store is whole" : "repaired, but the lost records are not in the store any more";
  if (derived.length + lowCounters.length > 0)
    return "stop the server and run assay doctor --store --repair to rebuild what follows from the records";
  return state === "lost" ? "the lost records are passed over; a backup may still have them" : null;
}
