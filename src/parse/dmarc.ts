/** Reads DMARC records (RFC 9989 sections 4.7 and 4.8), and tells the names that a record is looked for at (section 4.10). */
import { parseReportUris, type ReportUri } from "./report-uri.ts";

/** What is asked of receivers for mail that fails. */
export type DmarcRequest = "none" | "quarantine" | "reject";

/**
 * What of a record is discarded. `not-a-tag`: a part without a name and an equals sign. `repeated-tag`: only the first of a name
 * counts. `bad-value`: the tag does not know that value.
 */
export interface DmarcDefect {
  readonly kind: "not-a-tag" | "repeated-tag" | "bad-value";
  /** Lower-case name of the tag; empty for what is none. */
  readonly tag: string;
  /** The part as written. */
  readonly text: string;
}

export interface DmarcRecord {
  /** Null when the tag is absent or its value unknown; `defects` tell which. */
  readonly p: DmarcRequest | null;
  readonly sp: DmarcRequest | null;
  readonly np: DmarcRequest | null;
  /** Public suffix domain: yes, no, or for the walk to find out. */
  readonly psd: "y" | "n" | "u";
  /** `t=y`: the policy is not to be applied yet. */
  readonly testing: boolean;
  /** Null when the tag is absent. */
  readonly rua: readonly ReportUri[] | null;
  readonly defects: readonly DmarcDefect[];
}

/** The version comes first, and its value is compared with case. */
const versionForm = /^v[\t ]*=[\t ]*(DMARC1)[\t ]*(?:;|$)/i;
const tagForm = /^([a-z]+)[\t ]*=[\t ]*([\x21-\x7e][\x20-\x7e]*)$/i;
const requestForm = /^(?:none|quarantine|reject)$/i;
const alignmentForm = /^[rs]$/i;
/** What RFC 9989 section 4.8 lets each tag say. Tags that are not here are ignored, those that RFC 7489 had (pct, rf, ri) among them. */
const valueForms: Readonly<Record<string, RegExp>> = {
  p: requestForm,
  sp: requestForm,
  np: requestForm,
  psd: /^[ynu]$/i,
  t: /^[yn]$/i,
  adkim: alignmentForm,
  aspf: alignmentForm,
  fo: /^(?:[01ds])(?::[01ds])*$/i,
  rua: /./,
  ruf: /./,
};

/** Null for a text that is no DMARC record: readers pass over it as if it were not there. */
export function parseDmarc(text: string): DmarcRecord | null {
  const version = versionForm.exec(text);
  if (version?.[1] !== "DMARC1") return null;
  const { values, defects } = readTags(text.slice(version[0].length));
  const oneOf = <V extends string>(tag: string, otherwise: V): V => (values.get(tag)?.toLowerCase() as V | undefined) ?? otherwise;
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
    // An empty part says nothing, so nothing is lost with it.
    if (written === "") continue;
    const [matched, name = "", value = ""] = tagForm.exec(written) ?? [];
    const tag = name.toLowerCase();
    if (matched === undefined) defects.push({ kind: "not-a-tag", tag: "", text: written });
    else if (!Object.hasOwn(valueForms, tag)) continue;
    // RFC 6376 section 3.2, whose form of tags RFC 9989 section 4.7 takes over: no name may stand twice.
    else if (values.has(tag)) defects.push({ kind: "repeated-tag", tag, text: written });
    else if (!valueForms[tag]?.test(value)) defects.push({ kind: "bad-value", tag, text: written });
    else values.set(tag, value);
  }
  return { values, defects };
}

/** A text that is meant as a DMARC record, whether or not it is one. */
export function isMeantAsDmarc(text: string): boolean {
  return /\bv[\t ]*=[\t ]*"?dmarc/i.test(text);
}

/** The name at which the record of a domain stands (section 4.10). */
export function dmarcNameOf(domain: string): string {
  return `_dmarc.${domain}`;
}

/** Labels of the name that a walk goes on with when it begins at a longer one. */
const labelsAfterFirst = 7;

/** Where the record for a domain is looked for, in order: the domain itself, then upwards, at most eight names (section 4.10). */
export function dmarcWalkNames(domain: string): readonly string[] {
  const labels = domain.split(".");
  const above = labels.slice(Math.max(1, labels.length - labelsAfterFirst));
  return [domain, ...above.map((_, at) => above.slice(at).join("."))];
}
