/** `assay serve`: runs the server until SIGTERM or SIGINT. */
import { Command } from "commander";
import { runServer } from "../app/serve.ts";
import { exitCodes } from "./exit.ts";
import { addSettings, loadedConfigOf, natsSettings, scanSettings, settingsWithoutFlag } from "./settings.ts";
import { hangupSignal, stopSignal } from "./shutdown.ts";
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
