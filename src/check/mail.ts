/** Evaluates mail records of a domain. */
import type { MailMxFacts, TextRecords } from "../evidence/dns-facts.ts";

/** Distinct host names of the mail servers; empty without MX records and for the null MX (RFC 7505). */
export function mailHosts({ exchangers }: MailMxFacts): readonly string[] {
  return [...new Set(exchangers.map(({ host }) => host).filter((host) => host !== ""))];
}

/** Search result for a single record. `none`: `meant` is a similar text or null. `unread`: a record may have been cut or dropped. */
export type SoleRecord<R> =
  | { readonly found: "one"; readonly text: string; readonly record: R }
  | { readonly found: "several"; readonly count: number }
  | { readonly found: "none"; readonly meant: string | null }
  | { readonly found: "unread" };

/** The only record, as senders require (RFC 8460 section 3, RFC 8461 section 3.1). `parse` returns null for other texts. */
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
