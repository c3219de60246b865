/** Checks that browsers parse the policy as its author intended. */
import {
  type CrossOriginFacts,
  distinct,
  type FindingCode,
  finding,
  findingIf,
  notApplicable,
  registerCheck,
  violatedBy,
} from "assay/check";
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

const definition = { severity: "low", riskLevel: "low", effort: "low", cwe: 693 } as const;

export default registerCheck({
  key: "csp-syntax",
  weight: 1,
  area: "csp",
  standards: ["CSP Level 3 section 2.2", "CSP Level 3 section 2.3.1"],
  reads: ["page"],
  consults: ["dom", "crossOrigin"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.unknown-directive": definition,
    "security.csp.misspelt-directive": definition,
    "security.csp.duplicate-directive": definition,
    "security.csp.missing-semicolon": definition,
    "security.csp.unquoted-keyword": definition,
    "security.csp.none-beside-sources": definition,
    "security.csp.invalid-source": definition,
    "security.csp.short-nonce": { severity: "low", riskLevel: "low", effort: "medium", cwe: 331 },
    "security.csp.static-nonce": { severity: "low", riskLevel: "low", effort: "medium", cwe: 344 },
  },
  judge({ dom, crossOrigin, headers }) {
    const values = headers["content-security-policy"];
    const policies = writtenCsp(values, dom);
    const secondNonces = crossOrigin.status === "read" ? noncesOnSecondLoad(crossOrigin.facts) : [];
    const found = [...faultsOfNames(policies.flat()), ...policies.flatMap(faultsOf), ...staticNonces(noncesIn(values), secondNonces)];
    const { policies: enforced, complete } = enforcedCsp(values, dom);
    if (found.length === 0 && complete && !enforced.some(governsFetches)) return notApplicable();
    // Faults are final with partial evidence, but a pass requires all policies.
    return violatedBy(found, complete);
  },
});

function faultsOf(directives: readonly CspDirective[]) {
  return [...repeatedDirectives(directives), ...directives.flatMap(faultsOfWords)];
}

function faultsOfNames(directives: readonly CspDirective[]) {
  const unknown = new Set(directives.map(({ name }) => name).filter((name) => !knownDirectives.includes(name)));
  return [...unknown].slice(0, unknownNamesMax).map(faultOfName);
}

function faultOfName(name: string) {
  const suggestion = nearest(name, knownDirectives);
  if (suggestion === null) return finding("security.csp.unknown-directive", { directive: name });
  return finding("security.csp.misspelt-directive", { directive: name, suggestion });
}

function repeatedDirectives(directives: readonly CspDirective[]) {
  const names = directives.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return findingIf(twice.length > 0, "security.csp.duplicate-directive", { directives: distinct(twice) });
}

function faultsOfWords({ name: directive, values }: CspDirective) {
  const nextDirectiveAt = values.findIndex(isDirectiveName);
  const swallowed = values[nextDirectiveAt];
  if (swallowed === undefined) return faultsOfSources(directive, values);
  // Words after the missing semicolon belong to another directive.
  return [
    finding("security.csp.missing-semicolon", { directive, swallowed: swallowed.toLowerCase() }),
    ...faultsOfSources(directive, values.slice(0, nextDirectiveAt)),
  ];
}

/** `sandbox` or `referrer` could be host names; a known directive with a hyphen is a missing semicolon. */
function isDirectiveName(word: string): boolean {
  return word.includes("-") && knownDirectives.includes(word.toLowerCase());
}

function faultsOfSources(directive: string, words: readonly string[]) {
  if (directive === "require-trusted-types-for" && words.some((word) => /^script$/i.test(word)))
    return [finding("security.csp.unquoted-keyword", { directive, sources: "script" })];
  if (!sourceListDirectives.includes(directive)) return [];
  const faultOf = <Code extends FindingCode>(code: Code, isFaulty: (word: string) => boolean) => {
    const faulty = words.filter(isFaulty);
    return findingIf(faulty.length > 0, code, { directive, sources: distinct(faulty) });
  };
  const hasNone = hasKeyword(words, "none");
  return [
    ...faultOf("security.csp.unquoted-keyword", isUnquotedKeyword),
    ...faultOf("security.csp.invalid-source", (word) => !isUnquotedKeyword(word) && !isValid(word, directive)),
    ...faultOf("security.csp.short-nonce", (word) => (nonceOf(word)?.length ?? nonceCharsMin) < nonceCharsMin),
    // Browsers ignore 'none' beside other sources. 'report-sample' is harmless there, because it allows nothing.
    ...faultOf(
      "security.csp.none-beside-sources",
      (word) => hasNone && !hasKeyword([word], "none") && !hasKeyword([word], "report-sample"),
    ),
  ];
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

function staticNonces(first: readonly string[], second: readonly string[]) {
  const both = first.filter((nonce) => second.includes(nonce));
  return findingIf(both.length > 0, "security.csp.static-nonce", { nonces: distinct(both) });
}
