/** Tells where a domain's mail goes, and which record tells senders about it, for rules that only concern domains with mail. */
import type { MailMxFacts, TextRecords } from "../evidence/facts.ts";

/** Host names of the mail servers; none without MX records, and none for the null MX of RFC 7505. */
export function mailHosts({ exchangers }: MailMxFacts): readonly string[] {
  return [...new Set(exchangers.map(({ host }) => host).filter((host) => host !== ""))];
}

/** `none`: perhaps one that is `meant` as such a record. `unread`: there may be one, or more of one, that was not kept. */
export type SoleRecord<R> =
  | { readonly found: "one"; readonly text: string; readonly record: R }
  | { readonly found: "several"; readonly count: number }
  | { readonly found: "none"; readonly meant: string | null }
  | { readonly found: "unread" };

/** Senders go on only with exactly one record (RFC 8460 section 3, RFC 8461 section 3.1). `parse` gives null for other texts. */
export function soleRecord<R>(
  { records, recordsDropped }: TextRecords,
  parse: (text: string) => R | null,
  isMeant: (text: string) => boolean,
): SoleRecord<R> {
  const published = records.flatMap(({ text, truncated }) => {
    const record = parse(text);
    return record === null ? [] : [{ text, truncated, record }];
  });
  const [only, ...others] = published;
  if (others.length > 0) return { found: "several", count: published.length };
  if (recordsDropped > 0 || only?.truncated) return { found: "unread" };
  if (only === undefined) return { found: "none", meant: records.find(({ text }) => isMeant(text))?.text ?? null };
  return { found: "one", text: only.text, record: only.record };
}
