/** Beginning of a period, as people type it. */

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
