/** Effect of accepted findings on what lists show, and when an acceptance has ended. Pure. */
import { dayMs } from "../base/units.ts";
import type { KnownFinding, SiteState } from "../store/site-runs.ts";
import { type AcceptedFinding, isAccepted, type Site, type SiteChange } from "../store/sites.ts";

/**
 * `ended`: the acceptance of a finding has ended, and that is not reported yet. Either a run noted that it held, or it ended after the last
 * run. An owner who withdraws one needs no report.
 */
export function acceptanceOf(
  { accepted, reading }: Pick<Site, "accepted" | "reading">,
  code: string,
  finding: Pick<KnownFinding, "accepted">,
  now: Date,
): "holds" | "ended" | "none" {
  if (isAccepted({ accepted }, code, now)) return "holds";
  const lastRunMs = reading === null ? Number.POSITIVE_INFINITY : Date.parse(reading.at);
  const hasEnded = ({ until }: AcceptedFinding) => finding.accepted === true || (until !== null && Date.parse(until) + dayMs > lastRunMs);
  return accepted.some((one) => one.code === code && hasEnded(one)) ? "ended" : "none";
}

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
