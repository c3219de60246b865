/** Merges fixes of several findings: one value for each header, one policy, and nothing twice. */
import type { Fix } from "../../check/fix.ts";
import { type FixOf, policyName } from "./target.ts";

/** Policy that restricts everything to the own site. */
const basePolicy = "default-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'";
/** Kinds whose lines presuppose files, so that a server might refuse the whole configuration. */
const byHand: readonly Fix["kind"][] = ["certificate", "text-file"];
const stsName = "strict-transport-security";

/** Whether the policy of the site restricts scripts too little to be kept. */
export function needsNewPolicy(fixes: readonly Fix[]): boolean {
  return fixes.some((fix) => (fix.kind === "policy" && fix.present === "weak") || (fix.kind === "new-policy" && fix.needed));
}

/** Whether a configuration for several findings may contain the fix. */
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
    isNew,
  );
  const cookies = mergedCookies(fixes.filter((fix) => fix.kind === "cookie"));
  const merged: readonly Fix["kind"][] = ["header", "policy", "new-policy", "cookie", "remove-header"];
  const others = fixes.filter(({ kind }) => !merged.includes(kind));
  return [...distinctFixes(others), ...headers, ...policies, ...distinctFixes(removed), ...cookies];
}

/** A check may set the policy as a header: it is merged with those of other checks. */
function asPolicy(fix: Fix): Fix {
  if (fix.kind !== "header" || fix.name.toLowerCase() !== policyName.toLowerCase()) return fix;
  return { kind: "policy", directives: fix.value, present: fix.replaces ? "weak" : "none", cures: true };
}

/** Whether the merged fixes do what this one asks for: of two values for a header, or a value and a removal, only one remains. */
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

/** Fixes of one header differ in what they add to it, so the longest value is the strictest; the first of equals. */
function longest(values: readonly string[]): string {
  return values.reduce((one, other) => (other.length > one.length ? other : one));
}

function strictestSts(values: readonly string[]): string {
  const ages = values.map((value) => Number(/max-age=(\d{1,10})/i.exec(value)?.[1] ?? 0));
  const words = ["includeSubDomains", "preload"].filter((word) => values.some((value) => value.toLowerCase().includes(word.toLowerCase())));
  return [`max-age=${Math.max(...ages)}`, ...words].join("; ");
}

/** One policy. If it replaces that of the site, of which nothing is known, it restricts every kind of content. */
function mergedPolicies(policies: readonly FixOf<"policy">[], replaces: boolean): readonly Fix[] {
  if (policies.length === 0 && !replaces) return [];
  const kept = !replaces && policies.every(({ present }) => present === "kept");
  const all = [...(replaces ? [basePolicy] : []), ...policies.map(({ directives }) => directives)];
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

/** Names first, then names with a prefix, then all. What all cookies get is not repeated. */
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
