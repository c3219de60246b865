/** Parses DMARC records (RFC 9989 sections 4.7 and 4.8) and lists the names to query for them (section 4.10). */
import { parseReportUris, type ReportUri } from "./report-uri.ts";

export type DmarcRequest = "none" | "quarantine" | "reject";

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

/** Null for a text that is not a DMARC record; receivers ignore it. */
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
