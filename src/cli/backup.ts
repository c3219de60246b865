/**
 * `assay backup`: makes, verifies, lists and removes backups, also while the server runs. `assay restore` makes one the data of a new
 * server.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { createConfiguredBackup, storeTools } from "../app/backups.ts";
import { checksName, configName, type Manifest, outsideName } from "../backup/archive.ts";
import { type FoundBackup, listBackups, pruneBackups } from "../backup/backup-folder.ts";
import type { MadeBackup } from "../backup/create-backup.ts";
import { restoreBackup, verifyBackup } from "../backup/restore-backup.ts";
import { ownCommand } from "../base/build.ts";
import { shellWord } from "../base/shell-word.ts";
import { schemaVersion } from "../store/migrations.ts";
import { command, commandGroup } from "./command.ts";
import { CliError, exitCodes, stopSignal } from "./exit.ts";
import { configOf, loadedConfigOf } from "./settings.ts";
import { jsonLine, note, print, printList, stripControls } from "./terminal.ts";

const create = command({
  name: "create",
  summary: "Make a backup of store, configuration and plugins, and verify it. It takes its name only when it is whole.",
  options: {
    "--out <file>": "write this file, which must not exist (default: a name by time in backup.dir)",
    "--json": "print archive, bytes and manifest as JSON",
  },
  run: async ({ out, json }, parsed) => {
    const loaded = loadedConfigOf(parsed);
    const made = await untilStopped((stop) => createConfiguredBackup(loaded, { out: out === undefined ? null : resolve(out), stop }));
    print(json === true ? jsonLine(made) : made.archive);
    if (json !== true) for (const line of notesOf(made)) note(line);
  },
});

function notesOf({ bytes, manifest }: MadeBackup): readonly string[] {
  const lost = manifest.tables.reduce((sum, table) => sum + table.lost, 0);
  return [
    `${bytes} bytes; ${rowsIn(manifest)}`,
    "it holds password hashes, secrets of second factors and hashes of tokens: keep it as secret as the server",
    ...(lost === 0 ? [] : [`${lost} rows were lost in the store already; assay doctor --store names them`]),
  ];
}

const verify = command({
  name: "verify",
  summary: "Prove that a backup could be restored: unpack it, compare all sums, and read every row of its store.",
  arguments: { "<file>": "" },
  options: {
    "--work <folder>": "where it is unpacked meanwhile (default: the folder of the file)",
    "--json": "print the manifest as JSON",
  },
  run: async ({ file, work, json }) => {
    const archive = resolve(file);
    const folder = work === undefined ? dirname(archive) : resolve(work);
    const manifest = await untilStopped((stop) => verifyBackup(folder, { archive, tools: storeTools, stop }));
    print(json === true ? jsonLine(manifest) : `${archive} is whole`);
    if (json !== true) note(`made ${manifest.createdAt} by assay ${manifest.assay}; ${rowsIn(manifest)}`);
  },
});

const list = command({
  name: "list",
  summary: "List the backups of backup.dir, the newest first.",
  options: { "--json": "print an array of JSON" },
  run: async ({ json }, parsed) => {
    const folder = configOf(parsed)["backup.dir"];
    const none = `${folder} has no backups; assay backup create makes one`;
    printList(await listBackups(folder), json, ["MADE", "BYTES", "FILE"], rowOf, none);
  },
});

const prune = command({
  name: "prune",
  summary: "Remove all but the newest backups of backup.dir. Files with names of their own stay.",
  options: { "--keep <n>": { text: "how many stay (default: backup.keep)", parse: wholeNumber } },
  run: async ({ keep }, parsed) => {
    const config = configOf(parsed);
    const removed = await pruneBackups(config["backup.dir"], keep ?? config["backup.keep"]);
    if (removed.length > 0) print(removed.map(({ path }) => path).join("\n"));
    note(`removed ${removed.length} backups`);
  },
});

export const backupCommand = commandGroup({
  name: "backup",
  summary: "Make, verify, list and remove backups, also while the server runs.",
  help: `
Examples:
  assay backup create                                into backup.dir, also while the server runs
  assay backup create --out /mnt/disk/assay.tar.zst
  assay backup verify /mnt/disk/assay.tar.zst        unpack it and read every row
  assay backup list
  assay backup prune --keep 7
  assay restore /mnt/disk/assay.tar.zst --data /var/lib/assay

backup.schedule lets the server make backups itself. docs/operate.md says what a backup contains: keep it secret.`,
  commands: [create, verify, list, prune],
});

function rowOf({ createdAt, bytes, path }: FoundBackup): readonly string[] {
  return [createdAt.toISOString(), String(bytes), path];
}

const keepMax = 10_000;

function wholeNumber(text: string): number {
  const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > keepMax) throw new InvalidArgumentError(`It takes a whole number from 1 to ${keepMax}.`);
  return number;
}

/** Clause on the content, as in `schema 6, 1200 scans, 3 accounts, 41000 rows in 23 tables, 4 files`. */
function rowsIn({ schema, tables, files }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const of = (name: string) => tables.find(({ table }) => table === name)?.rows ?? 0;
  return `schema ${schema}, ${of("scans")} scans, ${of("accounts")} accounts, ${rows} rows in ${tables.length} tables, ${files.length} files`;
}

/** Runs the action until SIGTERM or SIGINT, after which it leaves nothing. @throws CliError after a signal */
async function untilStopped<T>(action: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stop = stopSignal();
  try {
    return await action(stop);
  } catch (error) {
    if (stop.aborted) throw new CliError(exitCodes.interrupted, "interrupted: nothing was changed");
    throw error;
  }
}

export const restoreCommand = command({
  name: "restore",
  summary: "Restore a backup into an empty data directory.",
  arguments: { "<file>": "" },
  help: `
Examples:
  assay restore /mnt/disk/assay.tar.zst --data /var/lib/assay

The data directory must be empty or missing, and no server may use it. The archive is verified as a whole before anything takes its
place. Restore only archives that you trust: the plugins in it are programs.`,
  run: async ({ file }, parsed) => {
    const { data } = configOf(parsed);
    const manifest = await untilStopped((stop) => restoreBackup(data, { archive: resolve(file), tools: storeTools, stop }));
    print(`restored into ${data}: ${rowsIn(manifest)}`);
    for (const line of [...restoreNotes(manifest), ...stepsAfterRestore(resolve(data), manifest)]) note(stripControls(line));
  },
});

function restoreNotes({ createdAt, assay, schema }: Manifest): readonly string[] {
  return [
    `the backup was made ${createdAt} by assay ${assay}`,
    ...(schema < schemaVersion ? [`it has schema ${schema}: the next start of the server migrates it to ${schemaVersion}`] : []),
  ];
}

/** Lines for the operator; none if everything lay inside. A restore itself writes nothing outside of the data directory. */
function stepsAfterRestore(dataDir: string, { outside, files }: Manifest): readonly string[] {
  const copies = files.map(({ name }) => name);
  const configCopy = `${outsideName}/${configName}`;
  const checksCopy = `${outsideName}/${checksName}`;
  return [
    ...(outside.checks !== null && copies.some((name) => name.startsWith(`${checksCopy}/`))
      ? checksSteps(join(dataDir, checksCopy), outside.checks)
      : []),
    // Last, because it ends with the start of the server.
    ...(outside.config !== null && copies.includes(configCopy) ? configSteps(dataDir, join(dataDir, configCopy), outside.config) : []),
  ];
}

/** The file returns to its old place, since its relative paths start from its folder. It keeps mode and owner of the data, so the server can read it. */
function configSteps(dataDir: string, copy: string, path: string): readonly string[] {
  const start = `  ${ownCommand()} serve --data ${shellWord(dataDir)} --config ${shellWord(path)}`;
  if (isSameFile(copy, path)) return [`the settings lay in ${path}, which still equals its copy ${copy}. They are in force by:`, start];
  return [
    `the settings lay in ${path}: their copy is ${copy}, which no command reads by itself. They are in force by:`,
    ...(existsSync(path)
      ? [`  diff ${shellWord(path)} ${shellWord(copy)}    # there is another file now, which the next command replaces`]
      : []),
    `  mkdir -p ${shellWord(dirname(path))} && cp -p ${shellWord(copy)} ${shellWord(path)}`,
    start,
  ];
}

function checksSteps(copy: string, path: string): readonly string[] {
  return [
    `the plugins lay in ${path}: their copy is ${copy}, which no command reads by itself. They are in force by:`,
    `  mkdir -p ${shellWord(path)} && cp -Rp ${shellWord(`${copy}/.`)} ${shellWord(path)}`,
  ];
}

/** The archive chose the path: a device could be read for ever. */
function isSameFile(copy: string, path: string): boolean {
  const [one, other] = [copy, path].map((each) => statSync(each, { throwIfNoEntry: false }));
  if (one === undefined || !other?.isFile() || one.size !== other.size) return false;
  try {
    return readFileSync(copy).equals(readFileSync(path));
  } catch {
    return false;
  }
}
