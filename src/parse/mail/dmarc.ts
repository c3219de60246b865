/**
 * Parses DMARC records (RFC 9989 sections 4.7 and 4.8), lists the names to query for them, and selects the record that applies (section
 * 4.10).
 */
import type { MailDmarcFacts } from "../../evidence/dns-facts.ts";
import { parseReportUris, type ReportUri } from "./record-fields.ts";

type DmarcRequest = "none" | "quarantine" | "reject";

/** `not-a-tag`: no name with an equals sign. `repeated-tag`: only the first tag of a name counts. `bad-value`: undefined. */
interface DmarcDefect {
  readonly kind: "not-a-tag" | "repeated-tag" | "bad-value";
  /** Lower case; empty for `not-a-tag`. */
  readonly tag: string;
  readonly text: string;
}

export interface DmarcRecord {
  /** Null if the tag is absent or its value unknown; `defects` distinguish the two cases. */
  readonly p: DmarcRequest | null;
  readonly sp: DmarcRequest | null;
  readonly np: DmarcRequest | null;
  /** Public suffix domain: yes, no, or undefined (the DNS tree walk decides). */
  readonly psd: "y" | "n" | "u";
  /** `t=y`: receivers must not apply the policy yet. */
  readonly testing: boolean;
  /** Null if the tag is absent. */
  readonly rua: readonly ReportUri[] | null;
  readonly defects: readonly DmarcDefect[];
}

/** The version must come first; its value is case-sensitive. */
const versionPattern = /^v[\t ]*=[\t ]*(DMARC1)[\t ]*(?:;|$)/i;
const tagPattern = /^([a-z]+)[\t ]*=[\t ]*([\x21-\x7e][\x20-\x7e]*)$/i;
const requestPattern = /^(?:none|quarantine|reject)$/i;
const alignmentPattern = /^[rs]$/i;
/** Values that RFC 9989 section 4.8 allows. Other tags are ignored, including pct, rf and ri of RFC 7489. */
const valuePatterns: Readonly<Record<string, RegExp>> = {
  p: requestPattern,
  sp: requestPattern,
  np: requestPattern,
  psd: /^[ynu]$/i,
  t: /^[yn]$/i,
  adkim: alignmentPattern,
  aspf: alignmentPattern,
  fo: /^(?:[01ds])(?::[01ds])*$/i,
  rua: /./,
  ruf: /./,
};

/** Parsed record; null for a text that is not a DMARC record and is ignored by receivers. */
export function parseDmarc(text: string): DmarcRecord | null {
  const version = versionPattern.exec(text);
  if (version?.[1] !== "DMARC1") return null;
  const { values, defects } = readTags(text.slice(version[0].length));
  const oneOf = <V extends string>(tag: string, fallback: V): V => (values.get(tag)?.toLowerCase() as V | undefined) ?? fallback;
  const request = (tag: string) => oneOf<DmarcRequest | "">(tag, "") || null;
  const rua = values.get("rua");
  return {
    p: request("p"),
    sp: request("sp"),
    np: request("np"),
    psd: oneOf<"y" | "n" | "u">("psd", "u"),
    testing: oneOf<"y" | "n">("t", "n") === "y",
    rua: rua === undefined ? null : parseReportUris(rua),
    defects,
  };
}

function readTags(text: string): { readonly values: ReadonlyMap<string, string>; readonly defects: readonly DmarcDefect[] } {
  const values = new Map<string, string>();
  const defects: DmarcDefect[] = [];
  for (const part of text.split(";")) {
    const written = part.trim();
    // An empty part has no content to discard.
    if (written === "") continue;
    const [matched, name = "", value = ""] = tagPattern.exec(written) ?? [];
    const tag = name.toLowerCase();
    if (matched === undefined) defects.push({ kind: "not-a-tag", tag: "", text: written });
    else if (!Object.hasOwn(valuePatterns, tag)) continue;
    // RFC 6376 section 3.2, applied by RFC 9989 section 4.7: tag names must not repeat.
    else if (values.has(tag)) defects.push({ kind: "repeated-tag", tag, text: written });
    else if (!valuePatterns[tag]?.test(value)) defects.push({ kind: "bad-value", tag, text: written });
    else values.set(tag, value);
  }
  return { values, defects };
}

export function isMeantAsDmarc(text: string): boolean {
  return /\bv[\t ]*=[\t ]*"?dmarc/i.test(text);
}

/** DNS name of a domain's record (RFC 9989 section 4.10). */
export function dmarcNameOf(domain: string): string {
  return `_dmarc.${domain}`;
}

/** Labels of the second name in a walk that starts at a longer name. */
const labelsAfterFirst = 7;

/** Domains to query in order: the domain itself, then its parents; at most eight (RFC 9989 section 4.10). */
export function dmarcWalkNames(domain: string): readonly string[] {
  const labels = domain.split(".");
  const above = labels.slice(Math.max(1, labels.length - labelsAfterFirst));
  return [domain, ...above.map((_, at) => above.slice(at).join("."))];
}

export interface PublishedDmarc {
  readonly domain: string;
  readonly text: string;
  readonly record: DmarcRecord;
  /** True if the stored record was cut: its version is known, but later tags may be missing. */
  readonly truncated: boolean;
}

/** DMARC records in the answers for a domain; empty if the domain was not queried. */
export function dmarcRecordsOf(walk: MailDmarcFacts["walk"], domain: string): readonly PublishedDmarc[] {
  const answers = walk.filter(({ name }) => name === dmarcNameOf(domain));
  return answers
    .flatMap(({ records }) => records)
    .flatMap(({ text, truncated }) => {
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

/** Record that applies to mail from `author`: its own record or a parent domain's; null without a record. */
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

/** In order: from no protection to the strictest one. */
const requests: readonly (DmarcRequest | null)[] = ["none", "quarantine", "reject"];

/** Tags `sp` and `np` that ask for less than `p` does, with their values. An absent tag asks for no less: it falls back to the previous one. */
export function dmarcTagsBelowP({ p, sp, np }: DmarcRecord): readonly { readonly tag: "sp" | "np"; readonly request: DmarcRequest }[] {
  const written = [{ tag: "sp", request: sp } as const, { tag: "np", request: np } as const];
  return written.flatMap(({ tag, request }) =>
    request !== null && requests.indexOf(request) < requests.indexOf(p) ? [{ tag, request }] : [],
  );
}
