/** `assay serve` and `assay worker`: a server, and a worker of another location. */
import { runServer } from "../app/serve.ts";
import { command } from "./command.ts";
import { exitCodes, hangupSignal, stopSignal } from "./exit.ts";
import { loadedConfigOf, natsSettings, scanSettings, settingOptions, settingsWithoutFlag } from "./settings.ts";
import { note } from "./terminal.ts";

/** Time for a whole stop. Docker kills a container ten seconds after SIGTERM; the next start continues what was left. */
const stopMsMax = 9_500;

/** Aborts at SIGTERM or SIGINT; the process then ends within `stopMsMax`. */
function boundedStop(): AbortSignal {
  const stop = stopSignal();
  stop.addEventListener("abort", () => setTimeout(() => process.exit(exitCodes.ok), stopMsMax).unref());
  return stop;
}

export const serveCommand = command({
  name: "serve",
  summary: "Serve pages and API and run queued scans, until SIGTERM or SIGINT.",
  options: settingOptions(["listen", "public_url", "trusted_proxies", ...scanSettings, ...natsSettings]),
  help: settingsWithoutFlag(),
  run: async (_values, parsed) => runServer(loadedConfigOf(parsed), { stop: boundedStop(), announce: note, onReloadable: hangupSignal() }),
});

/** The server judges, and names the limit of headers in each job. */
const ofServer: readonly string[] = ["checks.dir", "scan.header_chars_max"];

export const workerCommand = command({
  name: "worker",
  summary: "Gather the scans of one location for a server elsewhere, until SIGTERM or SIGINT.",
  options: settingOptions([...natsSettings, "fleet.location", "worker.listen", ...scanSettings.filter((key) => !ofServer.includes(key))]),
  help: `
A worker takes the scans of its location from a server that has nats.url set, and sends back what it saw. It needs one connection to
nats-server, and stores nothing. Targets, certificates, resolvers and browser are settings of the worker itself.

Example, with the file that "assay fleet enrol berlin" wrote on the server:
  assay worker --nats tls://nats.example.com --location berlin --nats-credentials berlin.nk --data /var/lib/assay-worker

It tries for ever to reach nats-server and the server. /healthz, /readyz and /metrics are on 127.0.0.1:8788; --health changes that.

Exit codes: 0 stopped, 2 usage, configuration or credentials, 4 internal failure.`,
  run: async (_values, parsed) => {
    const loaded = loadedConfigOf(parsed);
    const stop = boundedStop();
    const { runWorker } = await import("../app/worker.ts");
    return runWorker(loaded, { stop, announce: note });
  },
});
