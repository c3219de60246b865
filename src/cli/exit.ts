/** Exit codes of the command line, the exit code of each error, and the end by a signal. */

import { closeSync, openSync } from "node:fs";
import { CommanderError } from "commander";
import { EvidenceFileError } from "../authoring/evidence-file.ts";
import { BackupError } from "../backup/archive.ts";
import { messageOf } from "../base/log.ts";
import { BrowserError } from "../browser/executable.ts";
import { CatalogError } from "../catalog/fault.ts";
import { ConfigError } from "../settings/config.ts";
import { DataDirError } from "../store/data-dir.ts";

export const exitCodes = {
  ok: 0,
  /** Findings or a score that miss the policy, or a failed system check. */
  policy: 1,
  /** Usage or configuration, plugin checks included. */
  usage: 2,
  target: 3,
  internal: 4,
  some: 5,
  /** Backups and their restoring included. */
  dataDir: 6,
  /** 128 + SIGINT, as shells count. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A command cannot be carried out. The message is one sentence for the user. */
export class CliError extends Error {
  override readonly name = "CliError";
  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message);
  }
}

/** A fault of the command line or of what it names. */
export function usageError(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}

/** Exit code of an error, and the sentence to print; null if it was printed already. */
export function failureOf(error: unknown): { readonly code: ExitCode; readonly sentence: string | null } {
  // Commander prints its own errors. It also throws, with code 0, after it printed help or version.
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, sentence: null };
  if (error instanceof CliError) return { code: error.exitCode, sentence: error.message };
  if (error instanceof ConfigError || error instanceof CatalogError || error instanceof EvidenceFileError)
    return { code: exitCodes.usage, sentence: error.message };
  if (error instanceof DataDirError || error instanceof BackupError) return { code: exitCodes.dataDir, sentence: error.message };
  if (error instanceof BrowserError) return { code: exitCodes.internal, sentence: error.message };
  return { code: exitCodes.internal, sentence: `internal error: ${messageOf(error)}` };
}

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
