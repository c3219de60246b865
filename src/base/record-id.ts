/** Ids of records, as text of paths, queries and forms. */

export const recordIdPattern = /^[1-9]\d{0,14}$/;

/** 0, which no record has, for anything but an id. */
export function recordIdOf(text: string | null | undefined): number {
  return typeof text === "string" && recordIdPattern.test(text) ? Number(text) : 0;
}
