/** `assay data`: compaction of the store, and what is stored about an account or a host. */
import { Command } from "commander";
import { compactCommand } from "./data/compact.ts";
import { deleteCommand } from "./data/delete.ts";
import { exportCommand } from "./data/export.ts";

const examples = `
Examples:
  systemctl stop assay && assay data compact       make the file of the store as small as its content
  assay data export --account you@example.com      everything about an account, as JSON lines
  assay data delete --account you@example.com      delete it, also while the server runs`;

export function dataCommand(): Command {
  const data = new Command("data").description("Make the store smaller, and export or delete what is stored about an account or a host.");
  data.addHelpText("after", examples);
  for (const command of [compactCommand(), exportCommand(), deleteCommand()]) data.addCommand(command);
  return data;
}
