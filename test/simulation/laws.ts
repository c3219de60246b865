/** The laws: what must hold after each event, whatever went wrong before. Each is a function with a sentence that says it. */

import type { Law } from "./law.ts";
import { laws as lawsOfDeliveries } from "./laws-of-deliveries.ts";
import { laws as lawsOfScans } from "./laws-of-scans.ts";
import { laws as lawsOfSites } from "./laws-of-sites.ts";

export const laws: readonly Law[] = [...lawsOfScans, ...lawsOfSites, ...lawsOfDeliveries];
