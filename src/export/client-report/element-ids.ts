/** Element ids of the client report, for links within it. */
import type { Site } from "../../store/sites.ts";

/** Of the heading of the table. */
export const siteTableId = "sites";

/** Of the heading of a section. */
export function siteHeadingId({ id }: Pick<Site, "id">): string {
  return `site-${id}`;
}
