/** `assay restore`: an archive becomes the data directory of a new server. */
import { resolve } from "node:path";
import { Command } from "commander";
import { storeTools } from "../app/store-tools.ts";
import type { Manifest } from "../backup/archive.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { schemaVersion } from "../store/migrations.ts";
import { stepsAfterRestore } from "./backup/after-restore.ts";
import { rowsIn, untilStopped } from "./backup/manifest-text.ts";
import { configOf } from "./settings.ts";
import { note, print, stripControls } from "./terminal.ts";

const examples = `
Examples:
  assay restore /mnt/disk/assay.tar.zst --data /var/lib/assay

The data directory must be empty or missing, and no server may use it. The archive is verified as a whole before anything takes its
place. Restore only archives that you trust: the plugins in it are programs.`;

export function restoreCommand(): Command {
  return new Command("restore")
    .description("Restore a backup into an empty data directory.")
    .argument("<file>")
    .addHelpText("after", examples)
    .action((file: string, _options, command: Command) => {
      const { data } = configOf(command);
      return untilStopped(async (stop) => {
        const manifest = await restoreBackup(data, { archive: resolve(file), tools: storeTools, stop });
        print(`restored into ${data}: ${rowsIn(manifest)}`);
        for (const line of [...notesOf(manifest), ...stepsAfterRestore(resolve(data), manifest)]) note(stripControls(line));
      });
    });
}

function notesOf({ createdAt, assay, schema }: Manifest): readonly string[] {
  return [
    `the backup was made ${createdAt} by assay ${assay}`,
    ...(schema < schemaVersion ? [`it has schema ${schema}: the next start of the server migrates it to ${schemaVersion}`] : []),
  ];
}
