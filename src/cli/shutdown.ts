/** Signals. SIGTERM and SIGINT: the first asks for an orderly end, a later one ends the process at once. SIGHUP asks for a reload. */
import { closeSync, openSync } from "node:fs";
import { exitCodes } from "./exit.ts";

/** Ctrl+C reaches a program under npm twice: the terminal signals both, and npm passes its own signal on. */
const sameSignalMs = 1_000;

export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let stoppedAtMs: number | undefined;
  const stop = () => {
    const nowMs = performance.now();
    stoppedAtMs ??= nowMs;
    if (nowMs - stoppedAtMs > sameSignalMs) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}

/**
 * Takes SIGHUP from now on, in place of its default action, which ends the process. Gives the function that sets the listener; a signal
 * from before calls it at once. A process whose terminal was closed still ends.
 */
export function hangupSignal(): (onReload: () => void) => void {
  let missed = false;
  let listener = () => {
    missed = true;
  };
  const startedInTerminal = process.stderr.isTTY === true;
  process.on("SIGHUP", () => {
    if (startedInTerminal && !hasTerminal()) process.kill(process.pid, "SIGTERM");
    else listener();
  });
  return (onReload) => {
    listener = onReload;
    if (missed) onReload();
  };
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
