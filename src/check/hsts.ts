/** Tells for which host a browser would keep an HSTS policy. */
import type { Subject } from "../evidence/evidence.ts";
import type { NavigationFacts, PageFacts } from "../evidence/facts.ts";
import { parseIpText } from "../parse/address.ts";
import { firstHttpsAnswer } from "../parse/header-fields.ts";
import { hostOf } from "../parse/site.ts";

/** Host of the first https answer; null without one, and for an IP address, for which browsers keep no policy (RFC 6797 section 8.1.1). */
export function hstsHost(subject: Subject, navigation: NavigationFacts, page: PageFacts): string | null {
  const host = hostOf(firstHttpsAnswer(subject, navigation, page)?.url ?? "");
  return host === null || parseIpText(host) !== null ? null : host;
}
