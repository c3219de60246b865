/** Names of the types of events. */
import type { EventType } from "../../store/site-events.ts";
import type { TextPath } from "../../text/translator.ts";

export const eventTexts: Readonly<Record<EventType, TextPath>> = {
  "site.score_dropped": "channels.events.site.score_dropped",
  "finding.opened": "channels.events.finding.opened",
  "finding.resolved": "channels.events.finding.resolved",
  "finding.unstable": "channels.events.finding.unstable",
  "certificate.expiring": "channels.events.certificate.expiring",
  "site.unreachable": "channels.events.site.unreachable",
  "site.recovered": "channels.events.site.recovered",
  "catalog.changed": "channels.events.catalog.changed",
  "scan.finished": "channels.events.scan.finished",
};
