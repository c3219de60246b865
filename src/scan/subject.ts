/** Creates the subject of a scan from its URL. */
import type { Subject } from "../evidence/evidence.ts";
import { headerValueCharsMax } from "../evidence/limits.ts";
import { givenPublicSuffixes, hostOf, registrableDomainOf } from "../parse/site.ts";

/**
 * Subject for an absolute http or https URL; `scannedAt` is ISO 8601, UTC.
 * @throws TypeError for an invalid URL.
 */
export function subjectOf(url: string, scannedAt: string, headerCharsMax = headerValueCharsMax): Subject {
  const parsed = new URL(url);
  parsed.hash = "";
  const host = hostOf(url) ?? "";
  const listDate = givenPublicSuffixes()?.date;
  return {
    url: parsed.href,
    host,
    registrableDomain: registrableDomainOf(host),
    scannedAt,
    ...(headerCharsMax === headerValueCharsMax ? {} : { headerValueCharsMax: headerCharsMax }),
    ...(listDate === undefined ? {} : { publicSuffixesDate: listDate }),
  };
}
