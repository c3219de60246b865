/** Runs a command again after every save. */
import { existsSync, type FSWatcher, watch } from "node:fs";
import { type ExitCode, exitCodes, failureOf } from "../exit.ts";
import { stopSignal } from "../shutdown.ts";
import { note, printError } from "../terminal.ts";

/** Sources and evidence. Other files may be written by the command itself, as by a redirection of its output. */
const watchedNames = /\.([jt]s|json)$/;
/** Editors write a file in several steps. */
const settleMs = 60;

/** `folders` are asked anew after each run. Ends at SIGINT or SIGTERM. */
export async function watchFolders(folders: () => readonly string[], run: () => Promise<ExitCode>): Promise<ExitCode> {
  // Without a folder, the run says what is missing.
  if (folders().length === 0) return run();
  const stop = stopSignal();
  while (!stop.aborted) {
    // Watches before the run, so that a save during it is seen.
    const change = nextChange(folders(), stop);
    try {
      await run();
    } catch (error) {
      const { code, sentence } = failureOf(error);
      if (code === exitCodes.internal) throw error;
      printError(`assay: ${sentence}`);
    }
    note("\nwaiting for a change; end with Ctrl+C");
    const changed = await change;
    if (changed !== null) note(`\n${changed} was saved at ${new Date().toTimeString().slice(0, 8)}\n`);
  }
  return exitCodes.interrupted;
}

/** Name of the first file that changes, once it is at rest; null after the stop signal. */
async function nextChange(folders: readonly string[], stop: AbortSignal): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const onChange = (name: string | null) => {
    if (name !== null && watchedNames.test(name)) resolve(name);
  };
  const watchers: FSWatcher[] = folders
    .filter((folder) => existsSync(folder))
    .map((folder) => watch(folder, (_event, name) => onChange(name)));
  const onStop = () => resolve(null);
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  const changed = await promise;
  if (changed !== null) await Bun.sleep(settleMs);
  stop.removeEventListener("abort", onStop);
  for (const watcher of watchers) watcher.close();
  return changed;
}
