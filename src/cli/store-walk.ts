/** Hidden `assay store-walk`: the child process of the store's check; prints what it found as lines of JSON. */
import { Command } from "commander";
import { type StoreCheckLine, storeWalkCommand } from "../app/store-check.ts";
import { messageOf } from "../base/log.ts";
import { walkStore } from "../store/store-walk.ts";
import { CliError, exitCodes } from "./exit.ts";
import { print } from "./terminal.ts";

export function storeWalk(): Command {
  const printLine = (line: StoreCheckLine) => print(JSON.stringify(line));
  return new Command(storeWalkCommand)
    .argument("<data>")
    .description("Walk over the whole store of a data directory; used by serve and doctor.")
    .action(async (dataDir: string) => {
      const report = await walkStore(
        dataDir,
        (table) => printLine({ table }),
        (percent) => printLine({ percent }),
      ).catch((error) => {
        throw new CliError(exitCodes.dataDir, messageOf(error));
      });
      printLine({ report });
    });
}
