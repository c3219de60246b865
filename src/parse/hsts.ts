/** Reads a Strict-Transport-Security value by the grammar of RFC 6797 section 6.1. */
import { trimBlanks } from "./header-list.ts";
import { splitOutsideQuotes } from "./quoted.ts";

export interface HstsPolicy {
  readonly maxAgeSeconds: number;
  readonly includeSubDomains: boolean;
  /** Not of the RFC: the site asks for the browsers' built-in lists. */
  readonly preload: boolean;
}

/**
 * Why a browser ignores a value as a whole. `syntax`: it is not of the grammar. `repeated-directive`: a name stands twice.
 * `max-age-missing`: the one required directive is not there. `max-age-malformed`: it is not a number of seconds.
 */
export type HstsDefect = "syntax" | "repeated-directive" | "max-age-missing" | "max-age-malformed";

/** A token, or a token, `=`, and a token or a quoted string (RFC 2616 section 2.2, which RFC 6797 builds upon). Neither holds controls. */
const directiveForm =
  /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[\t ]*(=)[\t ]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[\t !#-[\]-~\u0080-\uffff]|\\[\t -~])*)"))?$/i;

/** The policy of one field value, or why it has none. Unknown directives are ignored, as section 6.1 demands. */
export function parseHsts(value: string): HstsPolicy | { readonly defect: HstsDefect } {
  const directives = new Map<string, string | null>();
  for (const part of splitOutsideQuotes(value, ";")) {
    const text = trimBlanks(part);
    if (text === "") continue;
    const [matched, name = "", equals, token, quoted] = directiveForm.exec(text) ?? [];
    if (matched === undefined) return { defect: "syntax" };
    if (directives.has(name.toLowerCase())) return { defect: "repeated-directive" };
    directives.set(name.toLowerCase(), equals === undefined ? null : (token ?? quoted?.replaceAll(/\\(.)/g, "$1") ?? ""));
  }
  const maxAge = directives.get("max-age");
  if (maxAge === undefined) return { defect: "max-age-missing" };
  if (maxAge === null || !/^\d+$/.test(maxAge)) return { defect: "max-age-malformed" };
  // Section 6.1.2: the directive has no value; browsers refuse one that does.
  if (typeof directives.get("includesubdomains") === "string") return { defect: "syntax" };
  return {
    maxAgeSeconds: Math.min(Number(maxAge), Number.MAX_SAFE_INTEGER),
    includeSubDomains: directives.has("includesubdomains"),
    preload: directives.get("preload") === null,
  };
}
