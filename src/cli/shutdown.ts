/** SIGTERM and SIGINT: the first asks for an orderly end, the second ends the process at once. */
import { exitCodes } from "./exit.ts";

export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}
