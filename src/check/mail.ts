/** Tells where a domain's mail goes, for rules that only concern domains with mail. */
import type { MailMxFacts } from "../evidence/facts.ts";

/** Host names of the mail servers; none without MX records, and none for the null MX of RFC 7505. */
export function mailHosts({ exchangers }: MailMxFacts): readonly string[] {
  return [...new Set(exchangers.map(({ host }) => host).filter((host) => host !== ""))];
}
