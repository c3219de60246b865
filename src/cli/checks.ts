/** `assay checks`: shows the catalog, and helps to write checks. One file for each subcommand. */
import { Command } from "commander";
import { listChecksCommand } from "./checks/list.ts";
import { newCheckCommand } from "./checks/new.ts";
import { showCheckCommand } from "./checks/show.ts";
import { testChecksCommand } from "./checks/test.ts";
import { tryCheckCommand } from "./checks/try.ts";
import type { ExitCode } from "./exit.ts";

export function checksCommand(onExit: (code: ExitCode) => void): Command {
  return new Command("checks")
    .description("Show the catalog of checks, and write checks of your own.")
    .addCommand(listChecksCommand())
    .addCommand(showCheckCommand())
    .addCommand(newCheckCommand())
    .addCommand(testChecksCommand(onExit))
    .addCommand(tryCheckCommand(onExit));
}
