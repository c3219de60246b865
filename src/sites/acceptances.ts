/** Effect of accepted findings on what lists show. */
import type { SiteState } from "../store/site-runs.ts";
import { type AcceptedFinding, isAccepted, type Site, type SiteChange } from "../store/sites.ts";

/** Also counts the open findings again: lists show them without those that are accepted. */
export function acceptedChange(
  { reading }: Pick<Site, "reading">,
  accepted: readonly AcceptedFinding[],
  { findings }: SiteState,
  now: Date,
): SiteChange {
  const open = Object.entries(findings).filter(([code, { state }]) => state === "open" && !isAccepted({ accepted }, code, now)).length;
  return { accepted, reading: reading === null ? null : { ...reading, open } };
}
