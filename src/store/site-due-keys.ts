/** Key of a site among those whose run is planned. */
import type { Site } from "./sites.ts";

/** Row of `sitesDue`: the earlier of the next run and the second look. None while neither is planned. */
export function dueKeysOf({ accountId, id, nextRunAt, secondLookAt }: Site): readonly (readonly [number, number, number])[] {
  const instants = [nextRunAt, secondLookAt].flatMap((at) => (at === null ? [] : [Date.parse(at)]));
  return instants.length === 0 ? [] : [[Math.min(...instants), accountId, id]];
}
