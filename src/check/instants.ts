/** Counts in days, and writes instants as findings quote them. */

/** `2026-12-30 23:59 UTC`, which reads the same in every language; `date` is ISO 8601. */
export function minuteOf(date: string): string {
  return `${new Date(date).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
