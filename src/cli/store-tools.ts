/** Hidden commands for child processes: examination and copy of a store. */
import { storeCopyCommand } from "../app/backups.ts";
import { assertSpace, withPlace } from "../backup/archive.ts";
import { messageOf } from "../base/log.ts";
import { type StoreCheckLine, storeWalkCommand } from "../doctor/store-examination.ts";
import { copyStore } from "../store/compact-store.ts";
import { walkStore } from "../store/store-walk.ts";
import { command } from "./command.ts";
import { CliError, exitCodes } from "./exit.ts";
import { print } from "./terminal.ts";

const printLine = (line: StoreCheckLine) => print(JSON.stringify(line));

export const storeWalk = command({
  name: storeWalkCommand,
  summary: "Walk over the whole store of a data directory; used by serve and doctor.",
  arguments: { "<data>": "" },
  run: async ({ data }) => {
    const report = await walkStore(
      data,
      (table) => printLine({ table }),
      (percent) => printLine({ percent }),
    ).catch((error) => {
      throw new CliError(exitCodes.dataDir, messageOf(error));
    });
    printLine({ report });
  },
});

export const storeCopy = command({
  name: storeCopyCommand,
  summary: "Copy the store of a data directory into another one; used by backup.",
  arguments: { "<data>": "", "<into>": "" },
  run: ({ data, into }) => withPlace(into, "written", () => copyStore(data, into, (bytes) => assertSpace(into, bytes))),
});
