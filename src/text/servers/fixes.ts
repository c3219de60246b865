/** Fills the placeholders of fixes, and merges the fixes of several findings. */
import { type Fix, type FixedCookies, ownFilesPolicy } from "../../check/fix.ts";
import { findingValueCharsMax } from "../../evidence/limits.ts";
import type { TextValues } from "../i18n.ts";
import { type FixOf, policyName } from "./target.ts";

// Fills the placeholders of fixes with values of a finding. Sites write those values, so unsafe values are refused.

/** A policy of a large site has 3,000. */
const headerValueCharsMax = 4_096;
const cookieNamesMax = 10;
/** Placeholder for a cookie name that is unsafe in a configuration. */
const exampleCookie = "sid";

const headerName = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
/** Visible ASCII and blanks between, as RFC 9110 section 5.5 recommends. */
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const hostName = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]{2,45}\])$/;
const path = /^\/[A-Za-z0-9._/-]{0,255}$/;
const cookieName = /^(?=.*[A-Za-z0-9])[A-Za-z0-9._-]{1,64}$/;

/** Fixes with filled placeholders; null if a value is missing or could change the meaning of a configuration. */
export function filledFixes(fixes: readonly Fix[], values: TextValues): readonly Fix[] | null {
  const filled = fixes.map((fix) => filledFix(fix, (text) => filledText(text, values)));
  return filled.every((fix) => fix !== null) ? filled : null;
}

/** Filled text; null if a placeholder has no value. */
function filledText(text: string, values: TextValues): string | null {
  const names = [...text.matchAll(placeholder)].map(([, name = ""]) => name);
  if (!names.every((name) => Object.hasOwn(values, name))) return null;
  return text.replaceAll(placeholder, (_all, name: string) => String(values[name]));
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

type Fill = (text: string) => string | null;

/** Texts with placeholders by kind of fix, with what each must match after it was filled. */
const filledTexts: { readonly [K in Fix["kind"]]?: { readonly [F in keyof FixOf<K>]?: RegExp } } = {
  header: { name: headerName, value: headerValue },
  "remove-header": { name: headerName },
  policy: { directives: headerValue },
  certificate: { host: hostName },
  "https-redirect": { host: hostName },
  "path-redirect": { from: path, to: path },
  "path-type": { path, type: headerValue },
  "text-file": { path, folder: path },
};

function filledFix(fix: Fix, fill: Fill): Fix | null {
  if (fix.kind === "cookie") return { ...fix, cookies: filledCookies(fix.cookies, fill) };
  const filled: Record<string, string> = {};
  for (const [field, pattern] of Object.entries<RegExp>(filledTexts[fix.kind] ?? {})) {
    const text = fill(String(fix[field as keyof Fix]));
    if (text === null || text.length > headerValueCharsMax || !pattern.test(text)) return null;
    filled[field] = text;
  }
  return { ...fix, ...filled };
}

/** Safe names, joined by commas without blanks; an example if no name is safe. */
function filledCookies(cookies: FixedCookies, fill: Fill): FixedCookies {
  if (typeof cookies === "string") return cookies;
  const { usable } = cookieNames(cookies.names, fill);
  return { names: usable.length === 0 ? exampleCookie : usable.join(",") };
}

/** False if lines can name an example or some of the cookies only: a name is unsafe, has a remark, or was cut off. */
export function namesAllCookies(fixes: readonly Fix[], values: TextValues): boolean {
  return fixes.every(
    (fix) =>
      fix.kind !== "cookie" ||
      typeof fix.cookies === "string" ||
      cookieNames(fix.cookies.names, (text) => filledText(text, values)).isComplete,
  );
}

function cookieNames(text: string, fill: Fill): { readonly usable: readonly string[]; readonly isComplete: boolean } {
  const filled = fill(text) ?? "";
  const names = [...new Set(filled.split(",").map((name) => name.trim()))];
  // A value of the greatest length may end within a name.
  const whole = filled.length >= findingValueCharsMax ? names.slice(0, -1) : names;
  const usable = whole.filter((name) => cookieName.test(name)).slice(0, cookieNamesMax);
  return { usable, isComplete: usable.length === names.length };
}

// Merges fixes of several findings: one value for each header, one policy, and nothing twice.

/** Kinds whose lines presuppose files, so that a server might refuse the whole configuration. */
const byHand: readonly Fix["kind"][] = ["certificate", "text-file"];
const stsName = "strict-transport-security";

/** True if the policy of the site restricts scripts too little to be kept. */
export function needsNewPolicy(fixes: readonly Fix[]): boolean {
  return fixes.some((fix) => (fix.kind === "policy" && fix.present === "weak") || (fix.kind === "new-policy" && fix.needed));
}

/** True if a configuration for several findings may contain the fix. */
export function isMergeable(fix: Fix): boolean {
  return !byHand.includes(fix.kind) && !(fix.kind === "header" && fix.optional);
}

/** Merged fixes in a fixed order of kinds. */
export function mergedFixes(given: readonly Fix[]): readonly Fix[] {
  const fixes = given.map(asPolicy);
  const isNew = needsNewPolicy(fixes);
  const headers = mergedHeaders(fixes.filter((fix) => fix.kind === "header"));
  const sent = new Set(headers.map(({ name }) => name.toLowerCase()));
  const removed = fixes.filter((fix) => fix.kind === "remove-header").filter(({ name }) => !sent.has(name.toLowerCase()));
  const policies = mergedPolicies(
    fixes.filter((fix) => fix.kind === "policy"),
    isNew ? newPolicyOf(fixes) : null,
  );
  const cookies = mergedCookies(fixes.filter((fix) => fix.kind === "cookie"));
  const merged: readonly Fix["kind"][] = ["header", "policy", "new-policy", "cookie", "remove-header"];
  const others = fixes.filter(({ kind }) => !merged.includes(kind));
  return [...distinctFixes(others), ...headers, ...policies, ...distinctFixes(removed), ...cookies];
}

/** Policies that checks set as headers are merged with other policies. */
function asPolicy(fix: Fix): Fix {
  if (fix.kind !== "header" || fix.name.toLowerCase() !== policyName.toLowerCase()) return fix;
  return { kind: "policy", directives: fix.value, present: fix.replaces ? "weak" : "none", cures: true };
}

/** True if the merged fixes include this one: only one value, or the removal, of a header remains. */
export function isKept(fix: Fix, merged: readonly Fix[]): boolean {
  if (fix.kind !== "header" && fix.kind !== "remove-header") return true;
  const name = fix.name.toLowerCase();
  const sent = merged.find((other) => other.kind === "header" && other.name.toLowerCase() === name);
  if (fix.kind === "remove-header") return sent === undefined;
  return name === stsName || (sent?.kind === "header" && sent.value.startsWith(fix.value));
}

function distinctFixes<F extends Fix>(fixes: readonly F[]): readonly F[] {
  return [...new Map(fixes.map((fix) => [JSON.stringify(fix).toLowerCase(), fix])).values()];
}

function mergedHeaders(fixes: readonly FixOf<"header">[]): readonly FixOf<"header">[] {
  return [...Map.groupBy(fixes, ({ name }) => name.toLowerCase())].map(([name, same]) => {
    const [first] = same as [FixOf<"header">];
    const values = same.map(({ value }) => value);
    const value = name === stsName ? strictestSts(values) : longest(values);
    return { ...first, value, replaces: same.some(({ replaces }) => replaces) };
  });
}

/** Fixes of one header differ in what they add, so the longest value is the strictest; the first of equals. */
function longest(values: readonly string[]): string {
  return values.reduce((one, other) => (other.length > one.length ? other : one));
}

function strictestSts(values: readonly string[]): string {
  const ages = values.map((value) => Number(/max-age=(\d{1,10})/i.exec(value)?.[1] ?? 0));
  const words = ["includeSubDomains", "preload"].filter((word) => values.some((value) => value.toLowerCase().includes(word.toLowerCase())));
  return [`max-age=${Math.max(...ages)}`, ...words].join("; ");
}

/** What replaces the policy of the site: the draft of the scan, or all restricted to the site itself. */
function newPolicyOf(fixes: readonly Fix[]): string {
  const drafted = fixes.flatMap((fix) => (fix.kind === "policy" && fix.reportsFirst === true ? fix.directives : []));
  const given = fixes.flatMap((fix) => (fix.kind === "new-policy" ? (fix.directives ?? []) : []));
  return [...drafted, ...given][0] ?? ownFilesPolicy;
}

/** Merged policy. `replacement`: what takes the place of the site's policy, and restricts every kind of content; null to keep that one. */
function mergedPolicies(policies: readonly FixOf<"policy">[], replacement: string | null): readonly Fix[] {
  const replaces = replacement !== null;
  if (policies.length === 0 && !replaces) return [];
  const kept = !replaces && policies.every(({ present }) => present === "kept");
  const all = [...(replaces ? [replacement] : []), ...policies.map(({ directives }) => directives)];
  const directives = joinedDirectives(all);
  if (kept) return [{ kind: "policy", directives, present: "kept", cures: true }];
  return [{ kind: "header", name: policyName, value: directives, replaces, optional: false }];
}

/** Each directive once; of two source lists `'none'`, then the shorter one. */
function joinedDirectives(policies: readonly string[]): string {
  const joined = new Map<string, string>();
  for (const directive of policies.flatMap((policy) => policy.split(";"))) {
    const [name = "", ...sources] = directive.trim().split(/\s+/);
    const value = sources.join(" ");
    const before = joined.get(name);
    if (name !== "" && (before === undefined || isStricter(value, before))) joined.set(name, value);
  }
  return [...joined].map(([name, value]) => (value === "" ? name : `${name} ${value}`)).join("; ");
}

function isStricter(sources: string, than: string): boolean {
  if (than === "'none'") return false;
  return sources === "'none'" || sources.length < than.length;
}

/** A header field as a server sends it with merged fixes. */
export interface HeaderChange {
  readonly name: string;
  /** Null for a field that is removed. */
  readonly value: string | null;
  /** True for a field that is sent beside the fields of its name. */
  readonly added: boolean;
}

export function headerChanges(merged: readonly Fix[]): readonly HeaderChange[] {
  return merged.flatMap((fix): readonly HeaderChange[] => {
    if (fix.kind === "header") return [{ name: fix.name, value: fix.value, added: false }];
    if (fix.kind === "policy") return [{ name: policyName, value: fix.directives, added: true }];
    return fix.kind === "remove-header" ? [{ name: fix.name, value: null, added: false }] : [];
  });
}

/** Names first, then names with a prefix, then all. Attributes of all cookies are not repeated. */
function mergedCookies(fixes: readonly FixOf<"cookie">[]): readonly FixOf<"cookie">[] {
  const selectors = fixes.flatMap((fix) =>
    (typeof fix.cookies === "string" ? [fix.cookies] : fix.cookies.names.split(",").map((names) => ({ names }))).map((cookies) => ({
      ...fix,
      cookies,
    })),
  );
  const ofAll = fixes.filter(({ cookies }) => cookies === "all").flatMap(({ attributes }) => attributes);
  const order = (cookies: FixOf<"cookie">["cookies"]) => (typeof cookies === "object" ? 0 : cookies === "prefixed" ? 1 : 2);
  return [...Map.groupBy(selectors, ({ cookies }) => JSON.stringify(cookies)).values()]
    .map((same) => {
      const [first] = same as [FixOf<"cookie">];
      const attributes = [...new Set(same.flatMap((fix) => fix.attributes))];
      return { ...first, attributes: first.cookies === "all" ? attributes : attributes.filter((one) => !ofAll.includes(one)) };
    })
    .filter(({ attributes }) => attributes.length > 0)
    .sort((one, other) => order(one.cookies) - order(other.cookies));
}
