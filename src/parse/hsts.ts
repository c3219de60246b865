/** Parses Strict-Transport-Security by the grammar of RFC 6797 section 6.1. */
import { splitOutsideQuotes, trimBlanks } from "./header-list.ts";

/** 180 days. With a shorter period, a visitor who returns twice a year is never protected. */
export const hstsMaxAgeSecondsMin = 15_552_000;

export interface HstsPolicy {
  readonly maxAgeSeconds: number;
  readonly includeSubDomains: boolean;
  /** Not in RFC 6797: the site asks for inclusion in the browsers' preload lists. */
  readonly preload: boolean;
}

/** Reason why browsers ignore the complete value. `syntax`: not of the grammar. `max-age-malformed`: not a number of seconds. */
export type HstsDefect = "syntax" | "repeated-directive" | "max-age-missing" | "max-age-malformed";

/** A token, optionally with `=` and a token or quoted string (RFC 2616 section 2.2, as RFC 6797 requires). Controls are excluded. */
const directivePattern =
  /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[\t ]*(=)[\t ]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[\t !#-[\]-~\u0080-\uffff]|\\[\t -~])*)"))?$/i;

/** Policy of one field value, or the defect that invalidates it. Unknown directives are ignored (RFC 6797 section 6.1). */
export function parseHsts(value: string): HstsPolicy | { readonly defect: HstsDefect } {
  const directives = new Map<string, string | null>();
  for (const part of splitOutsideQuotes(value, ";")) {
    const text = trimBlanks(part);
    if (text === "") continue;
    const [matched, name = "", equals, token, quoted] = directivePattern.exec(text) ?? [];
    if (matched === undefined) return { defect: "syntax" };
    if (directives.has(name.toLowerCase())) return { defect: "repeated-directive" };
    directives.set(name.toLowerCase(), equals === undefined ? null : (token ?? quoted?.replaceAll(/\\(.)/g, "$1") ?? ""));
  }
  const maxAge = directives.get("max-age");
  if (maxAge === undefined) return { defect: "max-age-missing" };
  if (maxAge === null || !/^\d+$/.test(maxAge)) return { defect: "max-age-malformed" };
  // RFC 6797 section 6.1.2: the directive has no value; browsers reject a value.
  if (typeof directives.get("includesubdomains") === "string") return { defect: "syntax" };
  return {
    maxAgeSeconds: Math.min(Number(maxAge), Number.MAX_SAFE_INTEGER),
    includeSubDomains: directives.has("includesubdomains"),
    preload: directives.get("preload") === null,
  };
}
