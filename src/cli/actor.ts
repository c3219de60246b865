/** Who runs the command line, for the audit log. */
import { readFileSync } from "node:fs";
import { createLog } from "../base/log.ts";
import type { Actor } from "../store/audit.ts";
import { currentTerminal } from "./terminal.ts";

/** What use cases need of a command. The command reports what it did, so only warnings are logged. */
export function cliContext<Opened>(store: Opened) {
  return { store, now: () => new Date(), log: createLog({ level: "warn", format: "text" }) };
}

/** User of the operating system; with sudo also the one who used it. */
export function cliActor(): Actor {
  const { SUDO_USER: through = "" } = currentTerminal().env;
  const name = userName(process.geteuid?.() ?? 0);
  return { kind: "cli", user: through === "" || through === name ? name : `${name} (sudo by ${through})` };
}

/** Not `userInfo`, which in Bun trusts the environment. A user of a directory service, or of a container, may have no entry. */
function userName(uid: number): string {
  const [name = ""] = passwd().find((fields) => fields[2] === String(uid)) ?? [];
  return name === "" ? `uid ${uid}` : name;
}

function passwd(): readonly (readonly string[])[] {
  try {
    return readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"));
  } catch {
    return [];
  }
}
