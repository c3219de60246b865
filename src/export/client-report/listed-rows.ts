/** How much of each site the client report lists. A browser must print the whole file within its deadline. */
import type { ReportedSite, SiteDetails } from "./collect.ts";

export const openListedMax = 40;
export const acceptedListedMax = 40;
export const changesListedMax = 25;
/** Sites with details. */
export const detailedSitesMax = 100;
/** Rows of the lists of all sites together: the details end after the site that reaches them. */
export const listedRowsMax = 3_000;

/** Rows of the lists of one site. */
export function listedRows({ open, accepted }: Pick<ReportedSite, "open" | "accepted">, { changes, unmeasured }: SiteDetails): number {
  return (
    Math.min(open.length, openListedMax) +
    Math.min(accepted.length, acceptedListedMax) +
    Math.min(changes.rows.length, changesListedMax) +
    unmeasured.length
  );
}
