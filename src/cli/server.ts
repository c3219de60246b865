/** `assay serve` and `assay worker`: a server, and a worker of another location. */
import { Command } from "commander";
import { runServer } from "../app/serve.ts";
import { exitCodes, hangupSignal, stopSignal } from "./exit.ts";
import { addSettings, loadedConfigOf, natsSettings, scanSettings, settingsWithoutFlag } from "./settings.ts";
import { note } from "./terminal.ts";

/** Time for a whole stop. Docker kills a container ten seconds after SIGTERM; the next start continues what was left. */
const stopMsMax = 9_500;

export function serveCommand(): Command {
  const serve = new Command("serve")
    .description("Serve pages and API and run queued scans, until SIGTERM or SIGINT.")
    .addHelpText("after", settingsWithoutFlag())
    .action((_options, command: Command) => {
      const loaded = loadedConfigOf(command);
      const stop = stopSignal();
      stop.addEventListener("abort", () => setTimeout(() => process.exit(exitCodes.ok), stopMsMax).unref());
      return runServer(loaded, { stop, announce: note, onReloadable: hangupSignal() });
    });
  return addSettings(serve, ["listen", "public_url", "trusted_proxies", ...scanSettings, ...natsSettings]);
}

/** The server judges, and names the limit of headers in each job. */
const ofServer: readonly string[] = ["checks.dir", "scan.header_chars_max"];

const help = `
A worker takes the scans of its location from a server that has nats.url set, and sends back what it saw. It needs one connection to
nats-server, and stores nothing. Targets, certificates, resolvers and browser are settings of the worker itself.

Example, with the file that "assay fleet enrol berlin" wrote on the server:
  assay worker --nats tls://nats.example.com --location berlin --nats-credentials berlin.nk --data /var/lib/assay-worker

It tries for ever to reach nats-server and the server. /healthz, /readyz and /metrics are on 127.0.0.1:8788; --health changes that.

Exit codes: 0 stopped, 2 usage, configuration or credentials, 4 internal failure.`;

export function workerCommand(): Command {
  const worker = new Command("worker")
    .description("Gather the scans of one location for a server elsewhere, until SIGTERM or SIGINT.")
    .addHelpText("after", help)
    .action(async (_options, command: Command) => {
      const loaded = loadedConfigOf(command);
      const stop = stopSignal();
      stop.addEventListener("abort", () => setTimeout(() => process.exit(exitCodes.ok), stopMsMax).unref());
      const { runWorker } = await import("../app/worker.ts");
      return runWorker(loaded, { stop, announce: note });
    });
  const gathering = scanSettings.filter((key) => !ofServer.includes(key));
  return addSettings(worker, [...natsSettings, "fleet.location", "worker.listen", ...gathering]);
}
