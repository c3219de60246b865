/** Copy and examination of stores for backups, in child processes of this program. */
import { BackupError } from "../backup/archive.ts";
import type { StoreTools } from "../backup/create-backup.ts";
import { damagedDataDir } from "../store/data-dir.ts";
import { ownProgram } from "./placement.ts";
import { checkWholeStore } from "./store-check.ts";
import { runStoreProcess, storeWorkMsOf } from "./store-process.ts";

/** Hidden command that copies the store of a data directory into another one. */
export const storeCopyCommand = "store-copy";

export const storeTools: StoreTools = {
  copy: async (dataDir, into, stop) => {
    const timeoutMs = storeWorkMsOf(dataDir);
    const end = await runStoreProcess([...ownProgram, storeCopyCommand, dataDir, into], { timeoutMs, stop });
    stop.throwIfAborted();
    if (end.status === "exit" && end.code === 0) return;
    if (end.status === "damage") throw damagedDataDir(`data directory ${dataDir} is damaged (its copy ended by ${end.signal})`);
    if (end.status === "timeout") throw new BackupError(`the store was not copied within ${end.ms} ms; the disk may be failing`);
    throw new BackupError(end.status === "signal" ? `${end.signal} ended the copy of the store` : end.lastLine);
  },
  inspect: async (dataDir, stop) => {
    const check = await checkWholeStore(dataDir, { stop });
    stop.throwIfAborted();
    if (check.status === "died") throw new BackupError(`the store of the backup is damaged in table ${check.table}`);
    if (check.status === "timeout")
      throw new BackupError(`the store of the backup was not read within ${check.ms} ms; the disk may be failing`);
    if (check.status === "failed") throw new BackupError(`the store of the backup could not be read (${check.because})`);
    const [fault] = check.report?.damagedTables ?? [];
    if (check.report === null) throw new BackupError("the backup has no store");
    if (fault !== undefined) throw new BackupError(`the store of the backup is damaged in table ${fault.table}: ${fault.reason}`);
    return check.report;
  },
};
