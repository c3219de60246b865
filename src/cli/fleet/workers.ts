/** `assay fleet list`, `revoke`, `drain` and `resume`. */
import { Command } from "commander";
import { changeWorkerState } from "../../fleet/worker-operations.ts";
import type { Store } from "../../store/store.ts";
import type { Worker } from "../../store/workers.ts";
import { cliActor, cliContext } from "../actor.ts";
import { CliError, exitCodes } from "../exit.ts";
import { jsonLine, note, print, stripControls, table } from "../terminal.ts";
import { readStore, withStore } from "../user.ts";

export function listWorkersCommand(): Command {
  return new Command("list")
    .description("List all workers by location and name, revoked ones too.")
    .option("--json", "as a JSON array")
    .action(({ json }: { readonly json?: boolean }, command: Command) =>
      readStore(command, (store) => {
        const workers = store?.workers.list() ?? [];
        if (json === true) print(jsonLine(workers));
        else if (workers.length === 0) note("no worker is enrolled yet: assay fleet enrol LOCATION enrols one");
        else
          print(
            table([["NAME", "LOCATION", "STATE", "VERSION", "SLOTS", "LAST SEEN", "SCANS", "LAST FAULT", "ID"], ...workers.map(rowOf)]),
          );
      }),
    );
}

export function revokeCommand(): Command {
  return new Command("revoke")
    .argument("<worker>", "name or public key")
    .description("Revoke a worker for good: it gets no more scans, and its results are dropped.")
    .action((named: string, _options, command: Command) =>
      withStore(command, async (store) => {
        const before = workerOf(store, named);
        if (before.revokedAt !== null) return note(`${before.name} was revoked already, ${before.revokedAt}`);
        await changeWorkerState(cliContext(store), cliActor(), { id: before.id, state: "revoked" });
        note(`${before.name} is revoked; write nats.conf again with assay fleet nats-conf and reload nats-server, which then shuts it out`);
      }),
    );
}

export function workerSwitches(): readonly Command[] {
  const switches = [
    ["drain", "drained", "Give a worker no further scans; those that it runs end as usual.", "gets no further scans"],
    ["resume", "resumed", "Give scans again to a worker that was drained.", "gets scans again"],
  ] as const;
  return switches.map(([verb, state, description, effect]) =>
    new Command(verb)
      .argument("<worker>", "name or public key")
      .description(description)
      .action((named: string, _options, command: Command) =>
        withStore(command, async (store) => {
          const { id, name } = workerOf(store, named);
          const changed = await changeWorkerState(cliContext(store), cliActor(), { id, state });
          if ("refused" in changed) throw new CliError(exitCodes.usage, `${name} is revoked; assay fleet enrol enrols another worker`);
          note(`${name} ${effect}`);
        }),
      ),
  );
}

/** @throws CliError if there is no such worker. */
function workerOf(store: Store, named: string): Worker {
  const worker = store.workers.find(named) ?? store.workers.findByName(named);
  if (worker === undefined) throw new CliError(exitCodes.usage, `no worker is enrolled as ${stripControls(named)}; see assay fleet list`);
  return worker;
}

function rowOf(worker: Worker): readonly string[] {
  const { id, name, location, version, slots, lastSeenAt, scansDone, lastFault } = worker;
  const fault = lastFault === null ? "none" : `${lastFault.at} ${lastFault.text}`;
  return [name, location, stateOf(worker), version ?? "unknown", String(slots), lastSeenAt ?? "never", String(scansDone), fault, id];
}

function stateOf({ revokedAt, drained }: Worker): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return drained ? "drained" : "enrolled";
}
