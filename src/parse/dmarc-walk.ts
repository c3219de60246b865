/** Selects the DMARC record that applies to a domain from the answers of a DNS tree walk: RFC 9989 section 4.10. */
import type { MailDmarcFacts, TextRecords } from "../evidence/dns-facts.ts";
import { type DmarcRecord, type DmarcRequest, dmarcNameOf, dmarcWalkNames, parseDmarc } from "./dmarc.ts";

export interface PublishedDmarc {
  readonly domain: string;
  readonly text: string;
  readonly record: DmarcRecord;
  /** True if the stored record was cut: its version is known, but later tags may be missing. */
  readonly truncated: boolean;
}

/** DMARC records in the answers for a domain; empty if the domain was not queried. */
export function dmarcRecordsOf(walk: MailDmarcFacts["walk"], domain: string): readonly PublishedDmarc[] {
  return walk.filter(({ name }) => name === dmarcNameOf(domain)).flatMap((answer) => publishedIn(answer, domain));
}

function publishedIn({ records }: TextRecords, domain: string): readonly PublishedDmarc[] {
  return records.flatMap(({ text, truncated }) => {
    const record = parseDmarc(text);
    return record === null ? [] : [{ domain, text, record, truncated }];
  });
}

/** RFC 9989 section 4.10, steps 2 and 6: several records at one name are all discarded. */
function onlyRecordOf(walk: MailDmarcFacts["walk"], domain: string): PublishedDmarc | null {
  const [only, ...others] = dmarcRecordsOf(walk, domain);
  return only === undefined || others.length > 0 ? null : only;
}

/** True if the walk from `start` ends with the answer for `domain`. A record at `start` suffices for its policy. */
export function endsDmarcWalk(walk: MailDmarcFacts["walk"], start: string, domain: string): boolean {
  const published = onlyRecordOf(walk, domain);
  return published !== null && (domain === start || published.record.psd !== "u");
}

/** Record that applies to mail from `author`: its own or that of a parent domain; null without one. */
export function effectiveDmarc(walk: MailDmarcFacts["walk"], author: string): PublishedDmarc | null {
  const own = onlyRecordOf(walk, author);
  if (own !== null) return own;
  const seen: PublishedDmarc[] = [];
  const [, ...above] = dmarcWalkNames(author);
  for (const domain of above) {
    const published = onlyRecordOf(walk, domain);
    if (published !== null) seen.push(published);
    if (published !== null && published.record.psd !== "u") break;
  }
  const last = seen.at(-1);
  // Section 4.10.2: the organizational domain is one label below a public suffix. Its record precedes the suffix's (section 4.10.1).
  if (last?.record.psd === "y") return seen.find(({ domain }) => isChildOf(domain, last.domain)) ?? last;
  return last ?? null;
}

function isChildOf(domain: string, parent: string): boolean {
  return domain.slice(domain.indexOf(".") + 1) === parent;
}

/** RFC 9989 section 4.10.1: `p` for the record's own domain, `sp` below it, `np` for a nonexistent one. Each falls back to the previous. */
export function dmarcPolicyFor(
  { domain, record }: PublishedDmarc,
  author: string,
  exists: boolean,
): { readonly tag: "p" | "sp" | "np"; readonly request: DmarcRequest | null } {
  const { p, sp, np } = record;
  if (author !== domain && !exists && np !== null) return { tag: "np", request: np };
  if (author !== domain && sp !== null) return { tag: "sp", request: sp };
  return { tag: "p", request: p };
}
