/** `assay backup`: makes, verifies, lists and removes backups, also while the server runs. */
import { Command } from "commander";
import { createBackupCommand } from "./backup/create.ts";
import { listBackupsCommand, pruneBackupsCommand } from "./backup/folder.ts";
import { verifyBackupCommand } from "./backup/verify.ts";

const examples = `
Examples:
  assay backup create                                into backup.dir, also while the server runs
  assay backup create --out /mnt/disk/assay.tar.zst
  assay backup verify /mnt/disk/assay.tar.zst        unpack it and read every row
  assay backup list
  assay backup prune --keep 7
  assay restore /mnt/disk/assay.tar.zst --data /var/lib/assay

backup.schedule lets the server make backups itself. docs/operate.md says what a backup contains: keep it secret.`;

export function backupCommand(): Command {
  const backup = new Command("backup").description("Make, verify, list and remove backups, also while the server runs.");
  backup.addHelpText("after", examples);
  for (const command of [createBackupCommand(), verifyBackupCommand(), listBackupsCommand(), pruneBackupsCommand()])
    backup.addCommand(command);
  return backup;
}
