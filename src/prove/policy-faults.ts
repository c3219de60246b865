/** Faults in a Content Security Policy that a user wrote, each with its place: nothing is visited with a misspelt policy. */
import { cspKeywords, knownDirectives, parseCspSource, sourceListDirectives } from "../parse/csp.ts";
import { nearest } from "../parse/text.ts";
import { nonceMark } from "./draft.ts";

/** Faults of one policy; the first ones say enough. */
const faultsMax = 10;

export interface PolicyFault {
  readonly kind: "empty" | "non-ascii" | "unknown-directive" | "repeated-directive" | "unquoted" | "invalid-source" | "none-beside-others";
  readonly word: string;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** What was probably meant; null without a guess. */
  readonly suggestion: string | null;
}

export function faultsOfPolicy(text: string): readonly PolicyFault[] {
  const faults: PolicyFault[] = [];
  const add = (kind: PolicyFault["kind"], word: string, at: number, suggestion: string | null = null) => {
    const before = text.slice(0, at).split("\n");
    faults.push({ kind, word, line: before.length, column: (before.at(-1) ?? "").length + 1, suggestion });
  };
  if (text.trim() === "") add("empty", "", 0);
  let seen = new Set<string>();
  let directive: string | null = null;
  for (const { 0: word, index } of text.matchAll(/[;,]|[^\s;,]+/g)) {
    if (word === ";" || word === ",") {
      directive = null;
      // A comma begins another policy.
      if (word === ",") seen = new Set();
    } else if (/[^\x21-\x7e]/.test(word)) add("non-ascii", word, index);
    else if (directive === null) {
      directive = word.toLowerCase();
      if (!knownDirectives.includes(directive)) add("unknown-directive", word, index, nearest(directive, knownDirectives));
      else if (seen.has(directive)) add("repeated-directive", word, index);
      seen.add(directive);
    } else if (sourceListDirectives.includes(directive)) {
      if (isUnquoted(word)) add("unquoted", word, index, `'${word}'`);
      else if (word.includes("-") && knownDirectives.includes(word.toLowerCase())) add("invalid-source", word, index, `; ${word}`);
      else if (parseCspSource(word.replace(nonceMark, "0")).kind === "invalid") add("invalid-source", word, index);
    }
  }
  for (const { word, at } of uselessNone(text)) add("none-beside-others", word, at);
  return faults.toSorted((one, other) => one.line - other.line || one.column - other.column).slice(0, faultsMax);
}

/** CSP level 3, section 2.3.1: `'none'` is a list of its own. Browsers ignore it beside sources. */
function uselessNone(text: string): readonly { readonly word: string; readonly at: number }[] {
  return [...text.matchAll(/[^;,]+/g)].flatMap(({ 0: part, index: start }) => {
    const [name, ...sources] = [...part.matchAll(/\S+/g)];
    const isList = sourceListDirectives.includes(name?.[0].toLowerCase() ?? "");
    const none = sources.filter(({ 0: word }) => word.toLowerCase() === "'none'");
    const others = sources.filter(({ 0: word }) => !/^'(?:none|report-sample)'$/i.test(word));
    return isList && others.length > 0 ? none.map(({ 0: word, index }) => ({ word, at: start + index })) : [];
  });
}

function isUnquoted(word: string): boolean {
  return cspKeywords.includes(word.toLowerCase()) || /^(nonce|sha(256|384|512))-[a-z0-9+/_=-]+$/i.test(word);
}

/** The policy on one line, as a header field has it. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
