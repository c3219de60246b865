/** Finds out of a walk's answers which DMARC record holds for a domain: RFC 9989 section 4.10. */
import type { MailDmarcFacts, TextRecords } from "../evidence/facts.ts";
import { type DmarcRecord, type DmarcRequest, dmarcNameOf, dmarcWalkNames, parseDmarc } from "./dmarc.ts";

export interface PublishedDmarc {
  /** The domain whose record it is. */
  readonly domain: string;
  readonly text: string;
  readonly record: DmarcRecord;
  /** True when the record was stored cut: its version is known, but not all of its tags. */
  readonly truncated: boolean;
}

/** The DMARC records among the answers for a domain; none when it was not asked about. */
export function dmarcRecordsOf(walk: MailDmarcFacts["walk"], domain: string): readonly PublishedDmarc[] {
  return walk.filter(({ name }) => name === dmarcNameOf(domain)).flatMap((answer) => publishedIn(answer, domain));
}

function publishedIn({ records }: TextRecords, domain: string): readonly PublishedDmarc[] {
  return records.flatMap(({ text, truncated }) => {
    const record = parseDmarc(text);
    return record === null ? [] : [{ domain, text, record, truncated }];
  });
}

/** Step 2 and 6 of the walk: of several records none counts. */
function onlyRecordOf(walk: MailDmarcFacts["walk"], domain: string): PublishedDmarc | null {
  const [only, ...others] = dmarcRecordsOf(walk, domain);
  return only === undefined || others.length > 0 ? null : only;
}

/** Whether a walk that began at `start` is over with this answer. A record of the start's own is all that its policy needs. */
export function endsDmarcWalk(walk: MailDmarcFacts["walk"], start: string, domain: string): boolean {
  const published = onlyRecordOf(walk, domain);
  return published !== null && (domain === start || published.record.psd !== "u");
}

/** The record that holds for mail from `author`, its own or that of a domain above it; null when there is none. */
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
  // Section 4.10.2: one label below a public suffix is the organisation; its record goes before that of the suffix (section 4.10.1).
  if (last?.record.psd === "y") return seen.find(({ domain }) => isChildOf(domain, last.domain)) ?? last;
  return last ?? null;
}

function isChildOf(domain: string, parent: string): boolean {
  return domain.slice(domain.indexOf(".") + 1) === parent;
}

/** A tag of the record, and what it asks for; without a request the record has no policy that counts. */
export interface DmarcPolicy {
  readonly tag: "p" | "sp" | "np";
  readonly request: DmarcRequest | null;
}

/** Section 4.10.1: for the record's own domain p, for one below it sp, or np when it does not exist; each falls back on the one before. */
export function dmarcPolicyFor({ domain, record }: PublishedDmarc, author: string, exists: boolean): DmarcPolicy {
  const { p, sp, np } = record;
  if (author !== domain && !exists && np !== null) return { tag: "np", request: np };
  if (author !== domain && sp !== null) return { tag: "sp", request: sp };
  return { tag: "p", request: p };
}
