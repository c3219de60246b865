/** `assay licences`: the licences of everything that the program contains. */
import { Command } from "commander";
import { CliError, exitCodes } from "./exit.ts";
import { noticesFile } from "./notices.ts";
import { print } from "./terminal.ts";

const examples = `
Examples:
  assay licences                  assay's own licence, then each component with its licence text
  assay licences > licences.txt`;

export function licencesCommand(): Command {
  return new Command("licences")
    .alias("licenses")
    .description("Print the licence of assay and the notices of all components that this program contains.")
    .addHelpText("after", examples)
    .action(async () => {
      if (noticesFile === null)
        throw new CliError(exitCodes.usage, "only the compiled program contains them: run npm run compile, then dist/assay licences");
      print((await Bun.file(noticesFile).text()).trimEnd());
    });
}
