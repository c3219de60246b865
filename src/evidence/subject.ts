/** Creates the subject of a scan from its URL. */
import { hostOf, registrableDomainOf } from "../parse/site.ts";
import type { Subject } from "./evidence.ts";

/**
 * Subject for an absolute http or https URL; `scannedAt` is ISO 8601, UTC.
 * @throws TypeError for an invalid URL.
 */
export function subjectOf(url: string, scannedAt: string): Subject {
  const parsed = new URL(url);
  parsed.hash = "";
  const host = hostOf(url) ?? "";
  return { url: parsed.href, host, registrableDomain: registrableDomainOf(host), scannedAt };
}
