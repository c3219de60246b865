/** Exit codes of every verb, and which one an error means. */

import { CommanderError } from "commander";
import { ConfigError } from "../app/config.ts";
import { messageOf } from "../base/log.ts";
import { BrowserError } from "../browser/executable.ts";
import { CatalogError } from "../catalog/load.ts";
import { DataDirError } from "../store/data-dir.ts";

export const exitCodes = {
  ok: 0,
  /** Findings, a threshold, or the doctor's verdict. */
  policy: 1,
  /** Usage or configuration, a check beside the binary included. */
  usage: 2,
  /** The target could not be scanned. */
  target: 3,
  /** The browser or assay itself. */
  internal: 4,
  /** Some targets of several could not be scanned. */
  some: 5,
  dataDir: 6,
  /** 128 + SIGINT, as shells count. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A verb cannot do what it was asked. The message is one sentence for whoever typed it. */
export class VerbError extends Error {
  override readonly name = "VerbError";
  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message);
  }
}

/** The exit code of an error that ended a verb, and the sentence to print; null when it was printed already. */
export function failureOf(error: unknown): { readonly code: ExitCode; readonly sentence: string | null } {
  // Commander prints its own refusals, and "fails" with 0 once help or version are printed.
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, sentence: null };
  if (error instanceof VerbError) return { code: error.exitCode, sentence: error.message };
  if (error instanceof ConfigError || error instanceof CatalogError) return { code: exitCodes.usage, sentence: error.message };
  if (error instanceof DataDirError) return { code: exitCodes.dataDir, sentence: error.message };
  if (error instanceof BrowserError) return { code: exitCodes.internal, sentence: error.message };
  return { code: exitCodes.internal, sentence: `internal error: ${messageOf(error)}` };
}
