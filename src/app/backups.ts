/** Backups of the configuration: made by a command, or on schedule by the server in a child process. */

import { existsSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { BackupError } from "../backup/archive.ts";
import {
  type BackupState,
  backupName,
  ensureBackupFolder,
  nextBackupAt,
  noteBackup,
  pruneBackups,
  readBackupState,
} from "../backup/backup-folder.ts";
import { createBackup, type MadeBackup, type StoreTools } from "../backup/create-backup.ts";
import { ownProgram } from "../base/build.ts";
import { aborted, systemClock, within } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { tryOr } from "../base/try-or.ts";
import { checkWholeStore, runStoreProcess, storeWorkMsOf } from "../doctor/store-examination.ts";
import { environmentName, type LoadedConfig } from "../settings/config.ts";
import { type Config, parseSchedule, type SettingKey } from "../settings/settings.ts";
import { DataDirError, damagedDataDir } from "../store/data-dir.ts";
import { storeFileOf } from "../store/store-file.ts";
import { catalogOptions } from "./scanning.ts";

/** Interval between two looks at the schedule. It also delays the first look: after a start, scans come before a missed backup. */
const lookEveryMs = 30_000;
/** Niceness of a scheduled backup: scans come first. */
const niceness = 10;
/** Exit code of a command that a signal stopped. */
const interruptedCode = 130;
const stopNoticeMs = 1_000;

/** Makes a backup and notes how it ended; by default in `backup.dir`. @throws BackupError, DataDirError; the error of `stop` */
export async function createConfiguredBackup(
  { config, configFile }: Pick<LoadedConfig, "config" | "configFile">,
  { out, stop }: { readonly out: string | null; readonly stop: AbortSignal },
): Promise<MadeBackup> {
  const createdAt = new Date();
  try {
    // This comes first, so that no folder is made in a data directory that does not exist.
    if (!existsSync(storeFileOf(config.data))) throw new DataDirError("missing", `data directory ${config.data} has no store yet`);
    if (out === null) await ensureBackupFolder(config["backup.dir"]);
    const made = await createBackup({
      dataDir: config.data,
      configFile,
      checksDir: catalogOptions(config).checksDir ?? join(config.data, "checks"),
      archive: out ?? join(config["backup.dir"], backupName(createdAt)),
      version,
      createdAt,
      tools: storeTools,
      stop,
    });
    noteQuietly(config.data, { lastSuccess: { at: new Date().toISOString(), archive: made.archive, bytes: made.bytes } });
    return made;
  } catch (error) {
    if (!stop.aborted) noteQuietly(config.data, { lastFailure: { at: new Date().toISOString(), because: messageOf(error) } });
    throw error;
  }
}

/** The outcome is printed or logged too; a full disk must not hide it. */
function noteQuietly(dataDir: string, change: Partial<BackupState>): void {
  tryOr(() => noteBackup(dataDir, change), undefined);
}

export interface ScheduledBackups {
  /** Last success and last failure, also of commands. */
  state(): BackupState;
  /** Null without a schedule. */
  nextAt(): Date | null;
  /** Ends a backup that runs. */
  stop(): Promise<void>;
}

export function startScheduledBackups(loaded: LoadedConfig, log: Log): ScheduledBackups {
  const { config } = loaded;
  const since = new Date();
  const schedule = parseSchedule(config["backup.schedule"]);
  const stopping = new AbortController();
  // The file cannot be written while the disk is full; without this, each look would make one more backup.
  let ownState: BackupState = { lastSuccess: null, lastFailure: null };
  const state = () => {
    const { lastSuccess, lastFailure } = readBackupState(config.data);
    return { lastSuccess: newer(lastSuccess, ownState.lastSuccess), lastFailure: newer(lastFailure, ownState.lastFailure) };
  };
  const nextAt = () => (schedule === null ? null : nextBackupAt(schedule, state(), { since, now: new Date() }));
  let running: Promise<void> | null = null;
  const look = () => {
    const due = nextAt();
    if (running !== null || due === null || due.getTime() > Date.now()) return;
    const keep = (change: Partial<BackupState>) => {
      ownState = { ...ownState, ...change };
    };
    running = runScheduled(loaded, log, stopping.signal, keep).then(() => {
      running = null;
    });
  };
  const timer = schedule === null ? null : setInterval(look, lookEveryMs);
  return {
    state,
    nextAt,
    stop: async () => {
      if (timer !== null) clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

function newer<E extends { readonly at: string }>(one: E | null, other: E | null): E | null {
  return one !== null && (other === null || one.at > other.at) ? one : other;
}

/** The outcome is kept before it is logged: readers of the log may ask for it at once. Never throws: the next look follows. */
async function runScheduled(
  loaded: LoadedConfig,
  log: Log,
  stop: AbortSignal,
  keep: (change: Partial<BackupState>) => void,
): Promise<void> {
  const { config } = loaded;
  const end = await runChild(loaded, stop).catch(messageOf);
  const at = new Date().toISOString();
  if (stop.aborted) return;
  if (typeof end === "string") {
    const lastFailure = { at, because: end };
    // A child that was killed, or could not read the configuration, notes nothing.
    noteQuietly(config.data, { lastFailure });
    keep({ lastFailure });
    log.error("the scheduled backup failed", { because: end });
    return;
  }
  keep({ lastSuccess: { at, archive: end.archive, bytes: end.bytes } });
  const removed = await pruneBackups(config["backup.dir"], config["backup.keep"]).catch((error: unknown) => {
    log.error("old backups could not be removed", { because: messageOf(error) });
    return [];
  });
  log.info("backup made", { archive: end.archive, bytes: end.bytes, removed: removed.length });
}

/** Backup that the child made, or the reason for its failure. @throws the error of the system if no child starts */
async function runChild({ config, configFile }: LoadedConfig, stop: AbortSignal): Promise<Pick<MadeBackup, "archive" | "bytes"> | string> {
  const args = ["backup", "create", "--json", "--data", config.data, ...(configFile === null ? [] : ["--config", configFile])];
  const child = Bun.spawn([...ownProgram, ...args], {
    env: environmentOf(config),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    signal: stop,
  });
  // A child that has ended has no priority any more.
  tryOr(() => setPriority(child.pid, niceness), undefined);
  const [printed, words] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  if (child.exitCode === 0) return JSON.parse(printed) as MadeBackup;
  // Signals to the whole process group reach the child first.
  if (child.exitCode === interruptedCode) await within(systemClock, stopNoticeMs, aborted(stop), undefined);
  const lastLine = words.trim().split("\n").at(-1) ?? "";
  return lastLine.replace(/^assay: /, "") || `the backup was ended by ${child.signalCode ?? `exit code ${child.exitCode}`}`;
}

/** Settings of the server that the child must share, although they were given as flags. */
function environmentOf(config: Config): Record<string, string | undefined> {
  const shared = ["backup.dir", "checks.dir"] as const satisfies readonly SettingKey[];
  const given = shared.flatMap((key) => (config[key] === null ? [] : [[environmentName(key), config[key]] as const]));
  return { ...process.env, ...Object.fromEntries(given) };
}

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
