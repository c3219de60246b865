/** `assay data compact`: the store in a file without free pages. */
import { Command } from "commander";
import { refuseCutStore } from "../../app/store-check.ts";
import { compactStore } from "../../store/compact-store.ts";
import { openStore } from "../../store/store.ts";
import { cliActor } from "../actor.ts";
import { configOf } from "../settings.ts";
import { jsonLine, note, print } from "../terminal.ts";

const help = `
The file of the store never shrinks by itself: what is deleted becomes free pages, which new scans fill. This command writes all rows to a new
file, compares every table with the old one, and then puts the new file in its place. It needs the server stopped, and room for the new file.
The old content, also of what was deleted, is gone from the file afterwards.

Exit codes: 0 done, 6 a server or another command uses the store, it is damaged, or the disk is full; nothing is changed then.`;

export function compactCommand(): Command {
  return new Command("compact")
    .description("Make the file of the store as small as its content; the server must be stopped.")
    .option("--json", "print the bytes before and after as JSON")
    .addHelpText("after", help)
    .action(async ({ json }: { readonly json?: true }, command: Command) => {
      const { data } = configOf(command);
      await refuseCutStore(data);
      const { bytesBefore, bytesAfter } = await compactStore(data);
      const store = openStore(data);
      await store.audit.note({
        actor: cliActor(),
        action: "data.compacted",
        subject: null,
        details: { bytesBefore, bytesAfter },
        now: new Date(),
      });
      await store.close();
      if (json === true) print(jsonLine({ bytesBefore, bytesAfter }));
      else note(`the store had ${bytesBefore} bytes, and has ${bytesAfter} now`);
    });
}
