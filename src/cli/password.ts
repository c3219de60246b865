/** Passwords on the command line: from stdin or a file, never as an argument, which every user of the machine could read. */
import type { Command } from "commander";
import { passwordInFile } from "../app/passwords.ts";
import { CliError, exitCodes } from "./exit.ts";
import { firstLineOfInput } from "./input-line.ts";
import { currentTerminal, note } from "./terminal.ts";

export interface PasswordOptions {
  readonly passwordStdin?: boolean;
  readonly passwordFile?: string;
}

export function addPasswordOptions(command: Command): Command {
  return command
    .option("--password-stdin", "read the password from stdin: its first line")
    .option("--password-file <file>", "read the password from a file: its first line");
}

/** Null if none was given. @throws CliError or ConfigError if it cannot be read. */
export async function readPassword({ passwordStdin, passwordFile }: PasswordOptions): Promise<string | null> {
  if (passwordStdin === true && passwordFile !== undefined)
    throw new CliError(exitCodes.usage, "--password-stdin and --password-file exclude each other");
  if (passwordStdin === true) {
    if (currentTerminal().isInteractive()) note("Type the password, then Enter. It can be seen while you type.");
    return firstLineOfInput();
  }
  return passwordFile === undefined ? null : passwordInFile(passwordFile, "--password-file");
}
