/** `assay fleet`: workers of other locations, also while the server runs. One file for each group of subcommands. */
import { Command } from "commander";
import { enrolCommand } from "./fleet/enrol.ts";
import { natsConfCommand } from "./fleet/nats-conf.ts";
import { releaseCommand } from "./fleet/release.ts";
import { listWorkersCommand, revokeCommand, workerSwitches } from "./fleet/workers.ts";

const examples = `
Examples:
  assay fleet enrol berlin --out berlin-1.nk        make a key for a worker in berlin
  assay fleet nats-conf > nats.conf                 the configuration of nats-server, with all workers
  assay fleet list
  assay fleet revoke berlin-1

docs/fleet.md shows the whole set-up.`;

export function fleetCommand(): Command {
  const fleet = new Command("fleet").description("Enrol and list workers of other locations, and configure their nats-server.");
  fleet.addHelpText("after", examples);
  for (const command of [enrolCommand(), listWorkersCommand(), revokeCommand(), ...workerSwitches(), natsConfCommand(), releaseCommand()])
    fleet.addCommand(command);
  return fleet;
}
