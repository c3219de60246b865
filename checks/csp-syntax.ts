/** Checks that browsers parse the policy as its author intended. */
import { type CrossOriginFacts, distinct, type Found, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import {
  type CspDirective,
  cspKeywords,
  enforcedCsp,
  fieldsNamed,
  governsFetches,
  hasKeyword,
  knownDirectives,
  nearest,
  parseCspSource,
  sourceListDirectives,
  writtenCsp,
} from "assay/check/parsers";

/** 8 characters of base64 hold 48 bits; attackers can guess shorter nonces. */
const nonceCharsMin = 8;
/** Limit for suggestions, because the search is the most expensive part of this check. */
const unknownNamesMax = 10;

type Code =
  | "security.csp.unknown-directive"
  | "security.csp.misspelt-directive"
  | "security.csp.duplicate-directive"
  | "security.csp.missing-semicolon"
  | "security.csp.unquoted-keyword"
  | "security.csp.none-beside-sources"
  | "security.csp.invalid-source"
  | "security.csp.short-nonce"
  | "security.csp.static-nonce";

type Fault = Found<Code>;

export default registerCheck({
  key: "csp-syntax",
  weight: 1,
  area: "csp",
  standards: ["CSP Level 3 section 2.2", "CSP Level 3 section 2.3.1"],
  reads: ["page"],
  consults: ["dom", "crossOrigin"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.unknown-directive": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.csp.misspelt-directive": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.csp.duplicate-directive": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.csp.missing-semicolon": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.csp.unquoted-keyword": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.csp.none-beside-sources": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.csp.invalid-source": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.csp.short-nonce": { severity: "low", riskLevel: "low", effort: "medium", cwe: 331 },
    "security.csp.static-nonce": { severity: "low", riskLevel: "low", effort: "medium", cwe: 344 },
  },
  judge({ dom, crossOrigin, headers }) {
    const values = headers["content-security-policy"];
    const policies = writtenCsp(values, dom);
    const secondNonces = crossOrigin.status === "read" ? noncesOnSecondLoad(crossOrigin.facts) : [];
    const found = [...faultsOfNames(policies.flat()), ...policies.flatMap(faultsOf), ...staticNonces(noncesIn(values), secondNonces)];
    // Faults are final with partial evidence, but a pass requires all policies.
    if (found.length === 0 && !enforcedCsp(values, dom).complete) return notChecked();
    const { policies: enforced } = enforcedCsp(values, dom);
    return found.length === 0 && !enforced.some(governsFetches) ? notApplicable() : violatedBy(found);
  },
});

function faultsOf(directives: readonly CspDirective[]): readonly Fault[] {
  return [...repeatedDirectives(directives), ...directives.flatMap(faultsOfWords)];
}

function faultsOfNames(directives: readonly CspDirective[]): readonly Fault[] {
  const unknown = new Set(directives.map(({ name }) => name).filter((name) => !knownDirectives.includes(name)));
  return [...unknown].slice(0, unknownNamesMax).map(faultOfName);
}

function faultOfName(name: string): Fault {
  const suggestion = nearest(name, knownDirectives);
  if (suggestion === null) return { code: "security.csp.unknown-directive", values: { directive: name } };
  return { code: "security.csp.misspelt-directive", values: { directive: name, suggestion } };
}

function repeatedDirectives(directives: readonly CspDirective[]): readonly Fault[] {
  const names = directives.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return twice.length === 0 ? [] : [{ code: "security.csp.duplicate-directive", values: { directives: distinct(twice) } }];
}

function faultsOfWords({ name: directive, values }: CspDirective): readonly Fault[] {
  const nextDirectiveAt = values.findIndex(isDirectiveName);
  const swallowed = values[nextDirectiveAt];
  if (swallowed === undefined) return faultsOfSources(directive, values);
  // Words after the missing semicolon belong to another directive.
  return [
    { code: "security.csp.missing-semicolon", values: { directive, swallowed: swallowed.toLowerCase() } },
    ...faultsOfSources(directive, values.slice(0, nextDirectiveAt)),
  ];
}

/** `sandbox` or `referrer` could be host names; a known directive with a hyphen is a missing semicolon. */
function isDirectiveName(word: string): boolean {
  return word.includes("-") && knownDirectives.includes(word.toLowerCase());
}

const sourceFaults: readonly { readonly code: Code; readonly isFaulty: (word: string, directive: string) => boolean }[] = [
  { code: "security.csp.unquoted-keyword", isFaulty: isUnquotedKeyword },
  { code: "security.csp.invalid-source", isFaulty: (word, directive) => !isUnquotedKeyword(word) && !isValid(word, directive) },
  { code: "security.csp.short-nonce", isFaulty: (word) => (nonceOf(word)?.length ?? nonceCharsMin) < nonceCharsMin },
];

function faultsOfSources(directive: string, words: readonly string[]): readonly Fault[] {
  if (directive === "require-trusted-types-for" && words.some((word) => /^script$/i.test(word)))
    return [{ code: "security.csp.unquoted-keyword", values: { directive, sources: "script" } }];
  if (!sourceListDirectives.includes(directive)) return [];
  const faults = sourceFaults.map(({ code, isFaulty }) => ({ code, faulty: words.filter((word) => isFaulty(word, directive)) }));
  // Browsers ignore 'none' beside other sources. 'report-sample' is harmless there, because it allows nothing.
  const others = hasKeyword(words, "none")
    ? words.filter((word) => !hasKeyword([word], "none") && !hasKeyword([word], "report-sample"))
    : [];
  return [...faults, { code: "security.csp.none-beside-sources" as const, faulty: others }]
    .filter(({ faulty }) => faulty.length > 0)
    .map(({ code, faulty }) => ({ code, values: { directive, sources: distinct(faulty) } }));
}

function isUnquotedKeyword(word: string): boolean {
  return cspKeywords.includes(word.toLowerCase()) || /^(nonce|sha(256|384|512))-[a-z0-9+/_=-]+$/i.test(word);
}

/**
 * Queries are invalid, although browsers ignore them. frame-ancestors allows only schemes, hosts, 'self' and 'none' (CSP3 section 6.4.2).
 */
function isValid(word: string, directive: string): boolean {
  if (/[?#]/.test(word)) return false;
  const { kind } = parseCspSource(word);
  if (directive !== "frame-ancestors") return kind !== "invalid";
  return kind === "scheme" || kind === "host" || hasKeyword([word], "self") || hasKeyword([word], "none");
}

function nonceOf(word: string): string | null {
  const source = parseCspSource(word);
  return source.kind === "nonce" ? source.nonce : null;
}

function noncesIn(policies: readonly string[]): readonly string[] {
  return policies.flatMap((text) => text.split(/[\s;,]+/)).flatMap((word) => nonceOf(word) ?? []);
}

/** A cut value may end inside a nonce, so its last word is dropped. */
function noncesOnSecondLoad({ headers }: CrossOriginFacts): readonly string[] {
  const fields = fieldsNamed(headers, "content-security-policy");
  return noncesIn(fields.map(({ value, truncated }) => (truncated ? value.slice(0, value.lastIndexOf(" ") + 1) : value)));
}

function staticNonces(first: readonly string[], second: readonly string[]): readonly Fault[] {
  const both = first.filter((nonce) => second.includes(nonce));
  return both.length === 0 ? [] : [{ code: "security.csp.static-nonce", values: { nonces: distinct(both) } }];
}
