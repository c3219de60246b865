/** `assay checks`: shows the catalog, and helps to write checks. One file for each subcommand. */
import { Command } from "commander";
import { listChecksCommand } from "./checks/list.ts";
import { newCheckCommand } from "./checks/new.ts";
import { showCheckCommand } from "./checks/show.ts";
import { testChecksCommand } from "./checks/test.ts";
import { tryCheckCommand } from "./checks/try.ts";
import type { ExitCode } from "./exit.ts";

const examples = `
Examples:
  assay checks list                                 every check, and the file of each plugin
  assay checks show content-security-policy         all about one check
  assay checks new acme-build --header X-Acme-Build
  assay checks test acme-build --watch
  assay checks try acme-build https://example.com`;

export function checksCommand(onExit: (code: ExitCode) => void): Command {
  return new Command("checks")
    .description("Show the catalog of checks, and write checks of your own.")
    .addHelpText("after", examples)
    .addCommand(listChecksCommand())
    .addCommand(showCheckCommand())
    .addCommand(newCheckCommand())
    .addCommand(testChecksCommand(onExit))
    .addCommand(tryCheckCommand(onExit));
}
