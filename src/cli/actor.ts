/** Who runs the command line, for the audit log. */
import { userInfo } from "node:os";
import type { Actor } from "../store/audit.ts";
import { currentTerminal } from "./terminal.ts";

/** User of the operating system; with sudo also the one who used it. */
export function cliActor(): Actor {
  const { SUDO_USER: through = "" } = currentTerminal().env;
  const name = userName();
  return { kind: "cli", user: through === "" || through === name ? name : `${name} (sudo by ${through})` };
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.geteuid?.()}`;
  }
}
