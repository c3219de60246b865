/** Passwords that an operator sets: read from a file, checked by the password rules, hashed. */
import { readFileSync } from "node:fs";
import type { PasswordFault, Passwords } from "../account/passwords.ts";
import { messageOf } from "../base/log.ts";
import { ConfigError } from "./config.ts";

/** First line of a file. `namedBy` is the setting or flag that names it. @throws ConfigError if the file cannot be read. */
export function passwordInFile(file: string, namedBy: string): string {
  try {
    return firstLineOf(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigError(`the file of ${namedBy} cannot be read: ${messageOf(error)}`);
  }
}

export function firstLineOf(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}

/** Hash in PHC string format. @throws ConfigError if the password breaks a rule. */
export async function hashOfPassword(passwords: Passwords, password: string, email: string): Promise<string> {
  const fault = passwords.faultOf(password, email);
  if (fault !== null) throw new ConfigError(`the password is refused: ${reasonOf(fault, passwords.charsMin)}`);
  const hash = await passwords.hash(password);
  if (hash === "busy") throw new Error("too many passwords are being hashed");
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
