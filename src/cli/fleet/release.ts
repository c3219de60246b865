/** `assay fleet release`: deletes the streams that another installation left in NATS. */
import { Command } from "commander";
import { natsUrlText } from "../../app/worker-settings.ts";
import { systemClock } from "../../base/clock.ts";
import { createLog, messageOf } from "../../base/log.ts";
import { CliError, exitCodes } from "../exit.ts";
import { addSettings, natsSettings } from "../settings.ts";
import { note, print, table } from "../terminal.ts";
import { withStore } from "../user.ts";
import { headOf } from "./head-of.ts";

export function releaseCommand(): Command {
  const release = new Command("release")
    .description(
      "Show the streams in NATS that belong to another installation, such as one whose store is lost, and delete them with --yes.",
    )
    .option("--yes", "delete them: scans and results that wait in them are lost")
    .action(({ yes }: { readonly yes?: true }, command: Command) =>
      withStore(command, async (store, config) => {
        if (config["nats.url"].length === 0)
          throw new CliError(exitCodes.usage, "nats.url is not set: it names the nats-server of the streams");
        const [{ releaseStreams }, head] = await Promise.all([import("../../fleet/nats-maintenance.ts"), headOf(config.data)]);
        const left = await releaseStreams({
          servers: config["nats.url"].map(natsUrlText),
          credentialsFile: config["nats.credentials_file"] ?? head.file,
          caFile: config["nats.ca_file"],
          clock: systemClock,
          log: createLog({ level: "error", format: "text" }),
          instance: store.instance(),
          isConfirmed: yes === true,
        }).catch((error: unknown) => {
          throw new CliError(exitCodes.usage, messageOf(error));
        });
        if (left.length === 0) return note("no stream belongs to another installation");
        print(
          table([["STREAM", "MESSAGES", "BYTES"], ...left.map(({ name, messages, bytes }) => [name, String(messages), String(bytes)])]),
        );
        note(
          yes === true ? "deleted" : "nothing is deleted yet; --yes deletes these streams, with the scans and results that wait in them",
        );
      }),
    );
  return addSettings(release, natsSettings);
}
