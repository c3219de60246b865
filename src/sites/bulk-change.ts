/** One change of several sites. Pure. */
import { type Site, type SiteChange, siteTagsMax } from "../store/sites.ts";
import {
  type GivenFields,
  parseClientField,
  parsePausedField,
  parseScheduleField,
  parseTagsField,
  type SiteFaults,
  type SiteFields,
} from "./site-fields.ts";
import { plannedChange } from "./site-planning.ts";

export interface BulkChange extends Partial<Pick<SiteFields, "paused" | "schedule" | "client">> {
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
}

/** Absent fields stay as they are. */
export function parseBulkChange(given: GivenFields<"paused" | "schedule" | "client" | "addTags" | "removeTags">): BulkChange | SiteFaults {
  const parsed = {
    ...(given.paused !== undefined && { paused: parsePausedField(given.paused) }),
    ...(given.schedule !== undefined && { schedule: parseScheduleField(given.schedule) }),
    ...(given.client !== undefined && { client: parseClientField(given.client) }),
    addTags: parseTagsField(given.addTags),
    removeTags: parseTagsField(given.removeTags),
  };
  const faults = Object.values(parsed).flatMap((each) => ("faults" in each ? each.faults : []));
  if (faults.length > 0) return { faults };
  return Object.fromEntries(
    Object.entries(parsed).map(([name, each]) => [name, "value" in each ? each.value : null]),
  ) as unknown as BulkChange;
}

/** Change of one site, with its effects on the planned runs. A tag that is removed and added stays. */
export function bulkChangeOf(site: Site, { addTags, removeTags, ...fields }: BulkChange, now: Date): SiteChange | SiteFaults {
  const tags = [...new Set([...site.tags.filter((tag) => !removeTags.includes(tag)), ...addTags])];
  if (tags.length > siteTagsMax) return { faults: [{ field: "tags", code: "too-many", max: siteTagsMax }] };
  return plannedChange(site, { ...fields, tags }, now);
}
