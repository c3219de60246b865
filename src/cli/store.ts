/** Hidden commands for child processes: examination and copy of a store. */
import { Command } from "commander";
import { storeCopyCommand } from "../app/backups.ts";
import { assertSpace, withPlace } from "../backup/archive.ts";
import { messageOf } from "../base/log.ts";
import { type StoreCheckLine, storeWalkCommand } from "../doctor/store-examination.ts";
import { copyStore } from "../store/compact-store.ts";
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

export function storeCopy(): Command {
  return new Command(storeCopyCommand)
    .argument("<data>")
    .argument("<into>")
    .description("Copy the store of a data directory into another one; used by backup.")
    .action((dataDir: string, into: string) =>
      withPlace(into, "written", () => copyStore(dataDir, into, (bytes) => assertSpace(into, bytes))),
    );
}
