/** Is the policy written so that a browser reads in it what its author meant? */
import { type CrossOriginFacts, distinct, type Found, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import {
  type CspDirective,
  cspKeywords,
  enforcedCsp,
  fieldsNamed,
  hasKeyword,
  knownDirectives,
  nearest,
  parseCspSource,
  sourceListDirectives,
  writtenCsp,
} from "assay/check/parsers";

/** So many characters of base64 hold 48 bits; fewer can be guessed by trying. */
const nonceCharsMin = 8;
/** Unknown directives for which the meant one is looked for; the search costs more than anything else here. */
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
    "security.csp.unknown-directive": { severity: "low", riskLevel: "low", effort: "low" },
    "security.csp.misspelt-directive": { severity: "low", riskLevel: "low", effort: "low" },
    "security.csp.duplicate-directive": { severity: "low", riskLevel: "low", effort: "low" },
    "security.csp.missing-semicolon": { severity: "low", riskLevel: "low", effort: "low" },
    "security.csp.unquoted-keyword": { severity: "low", riskLevel: "low", effort: "low" },
    "security.csp.none-beside-sources": { severity: "low", riskLevel: "low", effort: "low" },
    "security.csp.invalid-source": { severity: "low", riskLevel: "low", effort: "low" },
    "security.csp.short-nonce": { severity: "low", riskLevel: "low", effort: "medium" },
    "security.csp.static-nonce": { severity: "low", riskLevel: "low", effort: "medium" },
  },
  judge({ dom, crossOrigin, headers }) {
    const values = headers["content-security-policy"];
    const policies = writtenCsp(values, dom);
    const again = crossOrigin.status === "read" ? noncesOnSecondLoad(crossOrigin.facts) : [];
    const found = [...faultsOfNames(policies.flat()), ...policies.flatMap(faultsOf), ...staticNonces(noncesIn(values), again)];
    // A slip that was seen is one, whatever else there is; that there is none can only be said of everything.
    if (found.length === 0 && !enforcedCsp(values, dom).complete) return notChecked();
    return policies.length === 0 ? notApplicable() : violatedBy(found);
  },
});

function faultsOf(directives: readonly CspDirective[]): readonly Fault[] {
  return [...repeated(directives), ...directives.flatMap(faultsOfWords)];
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

function repeated(directives: readonly CspDirective[]): readonly Fault[] {
  const names = directives.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return twice.length === 0 ? [] : [{ code: "security.csp.duplicate-directive", values: { directives: distinct(twice) } }];
}

function faultsOfWords({ name: directive, values }: CspDirective): readonly Fault[] {
  const swallowedAt = values.findIndex(isDirectiveName);
  const swallowed = values[swallowedAt];
  if (swallowed === undefined) return faultsOfSources(directive, values);
  // What comes behind the missing semicolon was meant for another directive.
  return [
    { code: "security.csp.missing-semicolon", values: { directive, swallowed: swallowed.toLowerCase() } },
    ...faultsOfSources(directive, values.slice(0, swallowedAt)),
  ];
}

/** A host called `sandbox` or `referrer` is conceivable; one called `script-src` is not. */
function isDirectiveName(word: string): boolean {
  return word.includes("-") && knownDirectives.includes(word.toLowerCase());
}

const sourceSlips: readonly { readonly code: Code; readonly isSlip: (word: string, directive: string) => boolean }[] = [
  { code: "security.csp.unquoted-keyword", isSlip: isUnquotedKeyword },
  { code: "security.csp.invalid-source", isSlip: (word, directive) => !isUnquotedKeyword(word) && !isValid(word, directive) },
  { code: "security.csp.short-nonce", isSlip: (word) => (nonceOf(word)?.length ?? nonceCharsMin) < nonceCharsMin },
];

function faultsOfSources(directive: string, words: readonly string[]): readonly Fault[] {
  if (directive === "require-trusted-types-for" && words.some((word) => /^script$/i.test(word)))
    return [{ code: "security.csp.unquoted-keyword", values: { directive, sources: "script" } }];
  if (!sourceListDirectives.includes(directive)) return [];
  const faults = sourceSlips.map(({ code, isSlip }) => ({ code, wrong: words.filter((word) => isSlip(word, directive)) }));
  // 'none' means nothing beside others; beside 'report-sample', which lets nothing in, nothing is lost.
  const others = hasKeyword(words, "none")
    ? words.filter((word) => !hasKeyword([word], "none") && !hasKeyword([word], "report-sample"))
    : [];
  return [...faults, { code: "security.csp.none-beside-sources" as const, wrong: others }]
    .filter(({ wrong }) => wrong.length > 0)
    .map(({ code, wrong }) => ({ code, values: { directive, sources: distinct(wrong) } }));
}

function isUnquotedKeyword(word: string): boolean {
  return cspKeywords.includes(word.toLowerCase()) || /^(nonce|sha(256|384|512))-[a-z0-9+/_=-]+$/i.test(word);
}

/** A query is not valid, although browsers leave it aside; and who may frame a page is told by schemes, hosts and 'self' alone (CSP3 section 6.4.2). */
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

/** A value that was stored cut may end in the middle of a nonce. */
function noncesOnSecondLoad({ headers }: CrossOriginFacts): readonly string[] {
  const fields = fieldsNamed(headers, "content-security-policy");
  return noncesIn(fields.map(({ value, truncated }) => (truncated ? value.slice(0, value.lastIndexOf(" ") + 1) : value)));
}

function staticNonces(first: readonly string[], second: readonly string[]): readonly Fault[] {
  const both = first.filter((nonce) => second.includes(nonce));
  return both.length === 0 ? [] : [{ code: "security.csp.static-nonce", values: { nonces: distinct(both) } }];
}
