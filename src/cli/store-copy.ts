/** Hidden `assay store-copy`: the child process that copies a store for a backup. */
import { Command } from "commander";
import { storeCopyCommand } from "../app/store-tools.ts";
import { assertSpace, withPlace } from "../backup/archive.ts";
import { copyStore } from "../store/compact-store.ts";

export function storeCopy(): Command {
  return new Command(storeCopyCommand)
    .argument("<data>")
    .argument("<into>")
    .description("Copy the store of a data directory into another one; used by backup.")
    .action((dataDir: string, into: string) =>
      withPlace(into, "written", () => copyStore(dataDir, into, (bytes) => assertSpace(into, bytes))),
    );
}
