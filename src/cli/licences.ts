/** `assay licences`: the licences of everything that the program contains. */
import { command } from "./command.ts";
import { usageError } from "./exit.ts";
import { noticesFile } from "./notices.ts";
import { print } from "./terminal.ts";

export const licencesCommand = command({
  name: "licences",
  alias: "licenses",
  summary: "Print the licence of assay and the notices of all components that this program contains.",
  help: `
Examples:
  assay licences                  assay's own licence, then each component with its licence text
  assay licences > licences.txt`,
  run: async () => {
    if (noticesFile === null) throw usageError("only the compiled program contains them: run npm run compile, then dist/assay licences");
    print((await Bun.file(noticesFile).text()).trimEnd());
  },
});
