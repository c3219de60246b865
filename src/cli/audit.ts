/** `assay audit`: the audit log, oldest entry first, also while the server runs. */
import { Command } from "commander";
import type { Actor, AuditEntry } from "../store/audit.ts";
import { CliError, exitCodes } from "./exit.ts";
import { parseSince } from "./since.ts";
import { jsonLine, note, print, printWhileOpen, stripControls } from "./terminal.ts";
import { readStore } from "./user.ts";

const help = `
Entries name accounts, tokens and settings by their id; assay user list and assay token list show what the ids stand for.
The log keeps the entries of audit.days days.

Examples:
  assay audit --since 7d                      the last seven days
  assay audit --since 2026-11-01 --json       one JSON object a line, for another program`;

export function auditCommand(): Command {
  return new Command("audit")
    .description("Print the audit log: who changed accounts, plans, tokens, workers and settings, and when.")
    .option("--since <time>", "only entries from then on: a date, an instant, or an age as in 12h or 7d")
    .option("--json", "one JSON object a line")
    .addHelpText("after", help)
    .action(({ since, json }: { readonly since?: string; readonly json?: boolean }, command: Command) => {
      const from = since === undefined ? new Date(0) : parseSince(since, new Date());
      if (from === null)
        throw new CliError(
          exitCodes.usage,
          `--since "${stripControls(since ?? "")}" is neither a date as in 2026-11-01, nor an instant as in 2026-11-01T12:00:00Z, nor an age as in 12h or 7d`,
        );
      return readStore(command, (store) => {
        printWhileOpen(() => {
          let isEmpty = true;
          for (const entry of store?.audit.since(from) ?? []) {
            isEmpty = false;
            print(json === true ? jsonLine(entry) : lineOf(entry));
          }
          if (isEmpty) note("the audit log has no such entry");
        });
      });
    });
}

function lineOf({ at, actor, action, subject, details }: AuditEntry): string {
  const on = subject === null ? "" : ` ${subject.kind} ${subject.id}`;
  const more = Object.entries(details).map(([name, value]) => ` ${name}=${value === null ? "none" : JSON.stringify(value)}`);
  return stripControls(`${at} ${nameOf(actor)} ${action}${on}${more.join("")}`);
}

function nameOf(actor: Actor): string {
  if (actor.kind === "account") return `account ${actor.id}`;
  return actor.kind === "cli" ? `cli ${actor.user}` : actor.kind;
}
