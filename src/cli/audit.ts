/** `assay audit`: the audit log, oldest entry first, also while the server runs. */
import type { Actor, AuditEntry } from "../store/audit.ts";
import { command } from "./command.ts";
import { usageError } from "./exit.ts";
import { readStore } from "./store.ts";
import { jsonLine, note, print, printWhileOpen, stripControls } from "./terminal.ts";

export const auditCommand = command({
  name: "audit",
  summary: "Print the audit log: who changed accounts, plans, tokens, workers and settings, and when.",
  options: {
    "--since <time>": "only entries from then on: a date, an instant, or an age as in 12h or 7d",
    "--json": "one JSON object a line",
  },
  help: `
Entries name accounts, tokens and settings by their id; assay user list and assay token list show what the ids stand for.
The log keeps the entries of audit.days days.

Examples:
  assay audit --since 7d                      the last seven days
  assay audit --since 2026-11-01 --json       one JSON object a line, for another program`,
  run: async ({ since, json }, parsed) => {
    const from = since === undefined ? new Date(0) : parseSince(since, new Date());
    if (from === null)
      throw usageError(
        `--since "${stripControls(since ?? "")}" is neither a date as in 2026-11-01, nor an instant as in 2026-11-01T12:00:00Z, nor an age as in 12h or 7d`,
      );
    await readStore(parsed, (store) => {
      printWhileOpen(() => {
        let isEmpty = true;
        for (const entry of store?.audit.since(from) ?? []) {
          isEmpty = false;
          print(json === true ? jsonLine(entry) : lineOf(entry));
        }
        if (isEmpty) note("the audit log has no such entry");
      });
    });
  },
});

function lineOf({ at, actor, action, subject, details }: AuditEntry): string {
  const on = subject === null ? "" : ` ${subject.kind} ${subject.id}`;
  const more = Object.entries(details).map(([name, value]) => ` ${name}=${value === null ? "none" : JSON.stringify(value)}`);
  return stripControls(`${at} ${nameOf(actor)} ${action}${on}${more.join("")}`);
}

function nameOf(actor: Actor): string {
  if (actor.kind === "account") return `account ${actor.id}`;
  return actor.kind === "cli" ? `cli ${actor.user}` : actor.kind;
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const dayChars = 10;
const agePattern = /^(\d{1,6})([mhdw])$/;
/** RFC 3339, or a date alone, which is midnight UTC. */
const instantPattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?$/;

/** A date, an instant, or an age before `now` as in `7d`, `12h`, `30m` or `2w`. UTC unless it names another zone. Null for anything else. */
export function parseSince(text: string, now: Date): Date | null {
  const [, count, unit] = agePattern.exec(text) ?? [];
  if (count !== undefined) return new Date(now.getTime() - Number(count) * unitMs[unit as keyof typeof unitMs]);
  if (!instantPattern.test(text)) return null;
  const isLocal = text.length > dayChars && !/(?:[Zz]|[+-]\d{2}:\d{2})$/.test(text);
  const ms = Date.parse(`${text.replace(/[Tt ]/, "T").replace("z", "Z")}${isLocal ? "Z" : ""}`);
  return Number.isNaN(ms) || !isDay(text.slice(0, dayChars)) ? null : new Date(ms);
}

/** False for 30 February, which some engines take for a day of the next month. */
function isDay(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
