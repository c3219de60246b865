/** SIGTERM and SIGINT: the first asks to come to an end, the second does not wait for it. */
import { exitCodes } from "../cli/exit.ts";

/** Aborted by the first signal. `aborted` stays false for a process that ends by itself. */
export function untilAskedToStop(): AbortSignal {
  const asked = new AbortController();
  const stop = () => {
    if (asked.signal.aborted) process.exit(exitCodes.interrupted);
    asked.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return asked.signal;
}
