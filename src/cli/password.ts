/** Passwords on the command line: from stdin or a file, never as an argument, where every user of the machine could read them. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { PasswordFault, Passwords } from "../account/passwords.ts";
import { messageOf } from "../base/log.ts";
import { exitCodes, VerbError } from "./exit.ts";
import { note } from "./terminal.ts";

/** What is read of stdin at most: far more than the longest password. */
const inputCharsMax = 65_536;

export interface PasswordOptions {
  readonly passwordStdin?: boolean;
  readonly passwordFile?: string;
}

export function addPasswordOptions(command: Command): Command {
  return command
    .option("--password-stdin", "read the password from stdin: its first line")
    .option("--password-file <file>", "read the password from a file: its first line");
}

/** Null when none was given. @throws VerbError when it cannot be read. */
export async function givenPassword({ passwordStdin, passwordFile }: PasswordOptions): Promise<string | null> {
  if (passwordStdin === true && passwordFile !== undefined)
    throw new VerbError(exitCodes.usage, "--password-stdin and --password-file exclude each other");
  if (passwordStdin === true) return firstLineOfStdin();
  return passwordFile === undefined ? null : passwordInFile(passwordFile);
}

/** `namedBy` is the setting or flag that names the file. @throws VerbError when it cannot be read. */
export function passwordInFile(file: string, namedBy = "--password-file"): string {
  try {
    return firstLine(readFileSync(file, "utf8"));
  } catch (error) {
    throw new VerbError(exitCodes.usage, `the file of ${namedBy} cannot be read: ${messageOf(error)}`);
  }
}

/** In PHC string format. @throws VerbError when the password is not taken. */
export async function hashOfPassword(passwords: Passwords, password: string, email: string): Promise<string> {
  const fault = passwords.faultOf(password, email);
  if (fault !== null) throw new VerbError(exitCodes.usage, `the password is not taken: ${reasonOf(fault, passwords.charsMin)}`);
  const hash = await passwords.hash(password);
  if (hash === "busy") throw new VerbError(exitCodes.internal, "too many passwords are being hashed");
  return hash;
}

function reasonOf(fault: PasswordFault, charsMin: number): string {
  const reasons: Readonly<Record<PasswordFault, string>> = {
    "too-short": `it needs at least ${charsMin} characters (accounts.password_min)`,
    "too-long": "it is too long",
    common: "it is one that everybody who guesses tries first",
    "is-email": "it is the mail address",
  };
  return reasons[fault];
}

/** Waits for no more than the line, so that one can be typed as well. */
async function firstLineOfStdin(): Promise<string> {
  if (process.stdin.isTTY === true) note("Type the password, then Enter. It can be seen while you type.");
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of Bun.stdin.stream()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n") || text.length > inputCharsMax) break;
  }
  return firstLine(text);
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}
