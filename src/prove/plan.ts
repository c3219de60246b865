/** What is to be proven, from header fields as people write them. */
import type { ProofPlan, Rung } from "../evidence/proof.ts";
import type { ReplacedHeader } from "../probe/browser/page-fetch.ts";
import { faultsOfPolicy, onOneLine, type PolicyFault } from "./policy-faults.ts";

/** Where a draft begins on its ladder. */
export const draftStarts = { strict: "strict-hash", hosts: "hosts" } as const satisfies Readonly<Record<string, Rung>>;
export type DraftStart = keyof typeof draftStarts;

export const plannedHeadersMax = 20;
/** Servers refuse longer header fields. */
export const plannedHeaderCharsMax = 16 * 1024;
/** RFC 9110 section 5.1: a field name is a token. */
const fieldPattern = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s;
export const policyField = "content-security-policy";

/** `header`: place in the list, from 0. */
export type PlanFault =
  | { readonly code: "form"; readonly header: number }
  | { readonly code: "characters"; readonly header: number }
  | { readonly code: "second-policy"; readonly header: number }
  | { readonly code: "policy"; readonly header: number; readonly faults: readonly PolicyFault[] }
  | { readonly code: "draft-and-policy" };

/** A policy among the headers is proven as it is; without one, `draft` or the absence of all headers asks for a draft. */
export function planOf(fields: readonly string[], draft: DraftStart | null): { readonly plan: ProofPlan } | { readonly fault: PlanFault } {
  let policy: string | null = null;
  const headers: ReplacedHeader[] = [];
  for (const [header, field] of fields.entries()) {
    const [, name, value = ""] = fieldPattern.exec(field) ?? [];
    if (name === undefined) return { fault: { code: "form", header } };
    if (name.toLowerCase() !== policyField) {
      if (/[^\t\x20-\x7e]/.test(value.trim())) return { fault: { code: "characters", header } };
      headers.push({ name, value: value.trim() === "" ? null : value.trim() });
      continue;
    }
    if (policy !== null) return { fault: { code: "second-policy", header } };
    // Blanks in place of the name keep the columns of faults.
    const faults = faultsOfPolicy(`${" ".repeat(field.length - value.length)}${value}`);
    if (faults.length > 0) return { fault: { code: "policy", header, faults } };
    policy = onOneLine(value);
  }
  if (policy !== null && draft !== null) return { fault: { code: "draft-and-policy" } };
  const needsDraft = policy === null && (draft !== null || headers.length === 0);
  return { plan: { policy, headers, draft: needsDraft ? draftStarts[draft ?? "strict"] : null } };
}

/** `url`: the first page that is not of `origin`, which is the origin of the first page. */
export type PagesFault =
  | { readonly code: "origin"; readonly origin: string; readonly url: string }
  | { readonly code: "too-many"; readonly pages: number };

interface ProvenPages {
  /** Each once, in the order of the given ones. */
  readonly urls: readonly string[];
  readonly fault: PagesFault | null;
}

/** Pages of one proof, in the form of `parseScanUrl`. `fault`: why they are none of one proof with at most `pagesMax` pages. */
export function provenPages(given: readonly string[], pagesMax: number): ProvenPages {
  const urls = [...new Set(given)];
  const { origin } = new URL(urls[0] ?? "");
  const url = urls.find((one) => new URL(one).origin !== origin);
  if (url !== undefined) return { urls, fault: { code: "origin", origin, url } };
  return { urls, fault: urls.length > pagesMax ? { code: "too-many", pages: urls.length } : null };
}

const faultWords: Readonly<Record<PolicyFault["kind"], string>> = {
  empty: "there is no policy",
  "non-ascii": "is not ASCII, so browsers skip the directive",
  "unknown-directive": "is no directive",
  "repeated-directive": "is there twice, and browsers use the first",
  unquoted: "needs quotes",
  "invalid-source": "is no source",
  "none-beside-others": "has no effect beside other sources",
};

/** For command line and API. `quoted` makes a word of the user harmless. */
export function policyFaultText({ kind, word, line, column, suggestion }: PolicyFault, quoted: (word: string) => string): string {
  const advice = suggestion === null ? "" : `; did you mean ${suggestion}?`;
  return `line ${line}, column ${column}: ${word === "" ? "" : `"${quoted(word)}" `}${faultWords[kind]}${advice}`;
}
