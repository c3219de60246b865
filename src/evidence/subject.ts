/** Makes the subject of a scan out of its URL. */
import { hostOf, registrableDomainOf } from "../parse/site.ts";
import type { Subject } from "./evidence.ts";

/** `url` is an absolute http or https URL; `scannedAt` ISO 8601, UTC. @throws TypeError for what is no URL. */
export function subjectOf(url: string, scannedAt: string): Subject {
  const parsed = new URL(url);
  parsed.hash = "";
  const host = hostOf(url) ?? "";
  return { url: parsed.href, host, registrableDomain: registrableDomainOf(host), scannedAt };
}
