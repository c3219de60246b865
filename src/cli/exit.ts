/** Exit codes of the command line, and the exit code of each error. */
import { CommanderError } from "commander";
import { ConfigError } from "../app/config.ts";
import { EvidenceFileError } from "../authoring/evidence-file.ts";
import { BackupError } from "../backup/archive.ts";
import { messageOf } from "../base/log.ts";
import { BrowserError } from "../browser/executable.ts";
import { CatalogError } from "../catalog/fault.ts";
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
