/** How a policy allows what it blocked, or why it should not. */
import type { BlockedByPolicy } from "../evidence/observation.ts";
import type { WayToAllow } from "../evidence/proof.ts";
import { governing, hasKeyword, matchesUrl, parseCsp, parseCspSource } from "../parse/csp.ts";
import { sourceOf } from "./draft.ts";

export function wayToAllow(blocked: BlockedByPolicy, pageUrl: string, policies: readonly string[]): WayToAllow {
  const { kind, url, hash } = blocked;
  // Policies rarely name the part for elements.
  const part = blocked.directive.replace(/-elem$/, "");
  const inPage = (way: WayToAllow["way"]) => ({ way, directive: part, source: "", value: "" });
  const [target, page] = [URL.parse(url ?? ""), URL.parse(pageUrl)];
  const allowsTarget = (source: string) => target !== null && page !== null && matchesUrl(parseCspSource(source), target, page);
  const allowing = (source: string) => allowedBy(blocked.directive, source, policies, allowsTarget);
  if (kind === "url") {
    const allowed = allowing(sourceOf(url ?? "", pageUrl));
    return part === "script-src" && hasKeyword(allowed.value.split(" "), "strict-dynamic") ? inPage("nonce") : allowed;
  }
  if (kind === "eval") return { ...allowing("'unsafe-eval'"), way: "weakens" };
  if (kind === "wasm-eval") return allowing("'wasm-unsafe-eval'");
  if (kind === "trusted-types") return inPage("trusted-types");
  if (part === "script-src-attr") return inPage("move-handler");
  // Pages have thousands of style attributes, each with a hash of its own.
  if (part === "style-src-attr") return { ...allowing("'unsafe-inline'"), way: "weakens" };
  return hash === null ? inPage("unknown-code") : allowing(`'${hash}'`);
}

/** Directives that allow all at once what the policies may well allow. */
export function allowingDirectives(ways: readonly WayToAllow[]): readonly string[] {
  const allowing = ways.filter(({ way }) => way === "source" || way === "in-place-of-none" || way === "directive");
  return [...Map.groupBy(allowing, ({ directive }) => directive)].map(([directive, all]) =>
    [directive, ...new Set(all.flatMap(({ value }) => value.split(" ")))].join(" "),
  );
}

function allowedBy(violated: string, source: string, policies: readonly string[], allowsTarget: (source: string) => boolean): WayToAllow {
  const own = violated.replace(/-elem$/, "");
  const lists = parseCsp(policies).flatMap((policy) => governing(policy, violated) ?? []);
  const list = lists.find(({ sources }) => !sources.includes(source) && !sources.some(allowsTarget)) ?? lists[0];
  if (list === undefined) return { way: "source", directive: own, source, value: source };
  // CSP level 3, section 2.3.1: 'none' stands alone.
  const kept = list.sources.filter((other) => other.toLowerCase() !== "'none'" && other !== source);
  if (list.directive === violated || list.directive === own) {
    const way = kept.length < list.sources.length || kept.length === 0 ? "in-place-of-none" : "source";
    return { way, directive: list.directive, source, value: [...kept, source].join(" ") };
  }
  // A directive of its own replaces the one that governed so far, whose code sources say nothing about other files.
  const isCode = /^(?:script|style|default)-src$/.test(own);
  const inherited = own.endsWith("-attr") ? [] : kept.filter((other) => isCode || !/^'(?!self')/i.test(other));
  return { way: "directive", directive: own, source, value: [...inherited, source].join(" ") };
}
