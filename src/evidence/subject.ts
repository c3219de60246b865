/** Makes the subject of a scan out of its URL. */
import { registrableDomainOf } from "../parse/site.ts";
import type { Subject } from "./evidence.ts";

/** `url` is an absolute http or https URL; `scannedAt` ISO 8601, UTC. @throws TypeError for what is no URL. */
export function subjectOf(url: string, scannedAt: string): Subject {
  const parsed = new URL(url);
  parsed.hash = "";
  // A trailing dot makes a name absolute and changes nothing else about it.
  const host = parsed.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return { url: parsed.href, host, registrableDomain: registrableDomainOf(host), scannedAt };
}
