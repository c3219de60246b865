/** `assay backup verify`: proves that an archive could be restored. */
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { storeTools } from "../../app/store-tools.ts";
import { verifyBackup } from "../../backup/restore-backup.ts";
import { jsonLine, note, print } from "../terminal.ts";
import { rowsIn, untilStopped } from "./manifest-text.ts";

export function verifyBackupCommand(): Command {
  return new Command("verify")
    .description("Prove that a backup could be restored: unpack it, compare all sums, and read every row of its store.")
    .argument("<file>")
    .option("--work <folder>", "where it is unpacked meanwhile (default: the folder of the file)")
    .option("--json", "print the manifest as JSON")
    .action((file: string, { work, json }: { readonly work?: string; readonly json?: true }) => {
      const archive = resolve(file);
      return untilStopped(async (stop) => {
        const manifest = await verifyBackup(work === undefined ? dirname(archive) : resolve(work), { archive, tools: storeTools, stop });
        print(json === true ? jsonLine(manifest) : `${archive} is whole`);
        if (json !== true) note(`made ${manifest.createdAt} by assay ${manifest.assay}; ${rowsIn(manifest)}`);
      });
    });
}
