/** `assay backup create`: a backup of the data directory in one file. */
import { resolve } from "node:path";
import { Command } from "commander";
import { createConfiguredBackup } from "../../app/backups.ts";
import type { MadeBackup } from "../../backup/create-backup.ts";
import { loadedConfigOf } from "../settings.ts";
import { jsonLine, note, print } from "../terminal.ts";
import { rowsIn, untilStopped } from "./manifest-text.ts";

export function createBackupCommand(): Command {
  return new Command("create")
    .description("Make a backup of store, configuration and plugins, and verify it. It takes its name only when it is whole.")
    .option("--out <file>", "write this file, which must not exist (default: a name by time in backup.dir)")
    .option("--json", "print archive, bytes and manifest as JSON")
    .action(({ out, json }: { readonly out?: string; readonly json?: true }, command: Command) => {
      const loaded = loadedConfigOf(command);
      return untilStopped(async (stop) => {
        const made = await createConfiguredBackup(loaded, { out: out === undefined ? null : resolve(out), stop });
        print(json === true ? jsonLine(made) : made.archive);
        if (json !== true) for (const line of notesOf(made)) note(line);
      });
    });
}

function notesOf({ bytes, manifest }: MadeBackup): readonly string[] {
  const lost = manifest.tables.reduce((sum, table) => sum + table.lost, 0);
  return [
    `${bytes} bytes; ${rowsIn(manifest)}`,
    "it holds password hashes, secrets of second factors and hashes of tokens: keep it as secret as the server",
    ...(lost === 0 ? [] : [`${lost} rows were lost in the store already; assay doctor --store names them`]),
  ];
}
