/** `assay backup list` and `prune`: the backups of `backup.dir`. */
import { Command, InvalidArgumentError } from "commander";
import { type FoundBackup, listBackups, pruneBackups } from "../../backup/backup-folder.ts";
import { configOf } from "../settings.ts";
import { jsonLine, note, print, table } from "../terminal.ts";

const keepMax = 10_000;

export function listBackupsCommand(): Command {
  return new Command("list")
    .description("List the backups of backup.dir, the newest first.")
    .option("--json", "print an array of JSON")
    .action(async ({ json }: { readonly json?: true }, command: Command) => {
      const folder = configOf(command)["backup.dir"];
      const backups = await listBackups(folder);
      if (json === true) print(jsonLine(backups));
      else if (backups.length > 0) print(table([["MADE", "BYTES", "FILE"], ...backups.map(rowOf)]));
      else note(`${folder} has no backups; assay backup create makes one`);
    });
}

export function pruneBackupsCommand(): Command {
  return new Command("prune")
    .description("Remove all but the newest backups of backup.dir. Files with names of their own stay.")
    .option("--keep <n>", "how many stay (default: backup.keep)", wholeNumber)
    .action(async ({ keep }: { readonly keep?: number }, command: Command) => {
      const config = configOf(command);
      const removed = await pruneBackups(config["backup.dir"], keep ?? config["backup.keep"]);
      if (removed.length > 0) print(removed.map(({ path }) => path).join("\n"));
      note(`removed ${removed.length} backups`);
    });
}

function rowOf({ createdAt, bytes, path }: FoundBackup): readonly string[] {
  return [createdAt.toISOString(), String(bytes), path];
}

function wholeNumber(text: string): number {
  const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > keepMax) throw new InvalidArgumentError(`It takes a whole number from 1 to ${keepMax}.`);
  return number;
}
