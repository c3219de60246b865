/** Types of the events that an account can be notified of. */
import type { EventType } from "./site-events.ts";

/** In the order of forms and documentation. */
export const eventTypes = [
  "site.score_dropped",
  "finding.opened",
  "finding.resolved",
  "finding.unstable",
  "certificate.expiring",
  "site.unreachable",
  "site.recovered",
  "catalog.changed",
  "scan.finished",
] as const satisfies readonly EventType[];
/** Types of the account itself: no site, tag or client limits them. */
export const accountEventTypes: readonly EventType[] = ["catalog.changed", "scan.finished"];
