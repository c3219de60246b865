/** Drafts a Content Security Policy from what a visit needs, on a fixed ladder from strict to open. Pure: the same needs, the same policy. */
import type { BlockedByPolicy, DocumentShape } from "../evidence/observation.ts";
import type { Rung } from "../evidence/proof.ts";
import { parseCspSource } from "../parse/csp.ts";

export { type Rung, rungs } from "../evidence/proof.ts";

/** A hash has 53 characters with its quotes: more of them would make a policy longer than scans read. */
const hashesMax = 5;

/** Stands for the nonce, which has to be a new one in each answer. */
export const nonceMark = "{nonce}";

/** Why a rung cannot hold for the page. */
export type RefusedBecause =
  | "external-scripts"
  | "many-hashes"
  | "changing-scripts"
  | "handlers"
  | "too-long"
  | "unknown-code"
  | "blocks"
  | "changes";

/** What a draft leaves open, or needs of the application. */
export type DraftCost = "nonce" | "inline-styles" | "style-attributes" | "eval" | "unsafe-hashes";

export interface Draft {
  readonly policy: string;
  readonly costs: readonly DraftCost[];
  readonly usesNonce: boolean;
}

/** What one page needs, or all pages together. */
export interface PageNeeds {
  /** What policies would block: of the visit that only observes, and of the visits with earlier drafts. */
  readonly blocked: readonly BlockedByPolicy[];
  /** Documents of the two visits without policy, for each page. */
  readonly shapes: readonly (readonly [DocumentShape, DocumentShape])[];
  /** Absolute addresses that forms send to. */
  readonly formTargets: readonly string[];
  /** What the page enforces today, by directive. */
  readonly today: ReadonlyMap<string, readonly string[]>;
}

export interface DraftNeeds extends PageNeeds {
  /** Address of one of the pages, which have one origin. */
  readonly pageUrl: string;
  readonly nonce: string;
  readonly charsMax: number;
}

/** The union of what the pages need, for one policy that holds for all of them. */
export function needsOfAll(pages: readonly PageNeeds[]): PageNeeds {
  const directives = [...new Set(pages.flatMap(({ today }) => [...today.keys()]))];
  const kept = directives.flatMap((name) => {
    const values = pages.map(({ today }) => today.get(name) ?? valueWithout(name)).filter((value) => value !== null);
    // What some pages restrict may break the others.
    return values.length < pages.length ? [] : [[name, unionOfSources(values)] as const];
  });
  return {
    blocked: pages.flatMap(({ blocked }) => blocked),
    shapes: pages.flatMap(({ shapes }) => shapes),
    formTargets: pages.flatMap(({ formTargets }) => formTargets),
    today: new Map(kept),
  };
}

/** What a page without the directive adds to the union; null if the directive cannot be kept for all pages. */
function valueWithout(directive: string): readonly string[] | null {
  if (directive === "frame-ancestors") return ["'self'"];
  return directive.startsWith("report-") ? [] : null;
}

/** CSP level 3, section 2.3.1: `'none'` stands alone. */
function unionOfSources(values: readonly (readonly string[])[]): readonly string[] {
  const all = [...new Set(values.flat())];
  const sources = all.filter((source) => source.toLowerCase() !== "'none'");
  return sources.length === 0 ? all : sources;
}

/** Directives that keep what they say today: they restrict what one page alone cannot show. */
const keptDirectives = [
  "upgrade-insecure-requests",
  "sandbox",
  "frame-ancestors",
  "require-trusted-types-for",
  "trusted-types",
  "report-to",
  "report-uri",
] as const;
/** Directives that `default-src` covers, in the order of the draft. */
const loadDirectives = ["img-src", "font-src", "connect-src", "media-src", "frame-src", "worker-src", "manifest-src"] as const;

export function draftPolicy(rung: Rung, needs: DraftNeeds): Draft | { readonly refused: RefusedBecause } {
  const scripts = scriptPart(rung, needs);
  if ("refused" in scripts) return scripts;
  const hashed = assemble(needs, scripts, stylePart(needs, scripts, hashesMax));
  const isTooLong = hashed.policy.length > needs.charsMax;
  const drafted = isTooLong ? assemble(needs, scripts, stylePart(needs, scripts, 0)) : hashed;
  // A shorter one may follow: a nonce needs fewer characters than hashes.
  return drafted.policy.length > needs.charsMax && rung === "strict-hash" ? { refused: "too-long" } : drafted;
}

function assemble(needs: DraftNeeds, scripts: ScriptPart, styles: Part): Draft {
  const loads = loadDirectives.flatMap((directive) => {
    const sources = urlSources(needs, directive);
    return sources.every((source) => source === "'self'") ? [] : [[directive, ...selfFirst(sources)].join(" ")];
  });
  const plugins = urlSources(needs, "object-src");
  const parts = [
    "default-src 'self'",
    ...scripts.directives,
    ...styles.directives,
    ...loads,
    `object-src ${plugins.length === 0 ? "'none'" : plugins.join(" ")}`,
    `base-uri ${needs.blocked.some(({ directive }) => directive === "base-uri") ? "'self'" : "'none'"}`,
    `form-action ${formSources(needs).join(" ")}`,
    ...(needs.today.has("frame-ancestors") ? [] : ["frame-ancestors 'self'"]),
    ...keptDirectives.flatMap((name) => (needs.today.has(name) ? [[name, ...(needs.today.get(name) ?? [])].join(" ")] : [])),
  ];
  return { policy: parts.join("; "), usesNonce: scripts.usesNonce, costs: [...scripts.costs, ...styles.costs] };
}

interface Part {
  readonly directives: readonly string[];
  readonly costs: readonly DraftCost[];
}

interface ScriptPart extends Part {
  readonly usesNonce: boolean;
}

function scriptPart(rung: Rung, needs: DraftNeeds): ScriptPart | { readonly refused: RefusedBecause } {
  const { blocked, shapes, nonce } = needs;
  const hashes = hashesOf(needs, "script");
  const files = blocked.filter(({ directive, kind }) => directive === "script-src-elem" && kind === "url");
  const isUnknown = blocked.some((one) => one.directive === "script-src-elem" && one.kind === "inline" && one.hash === null);
  const handlers = handlerPart(shapes);
  if ("refused" in handlers) return handlers;
  const evals = evalSources(blocked);
  const costs: DraftCost[] = [...(evals.includes("'unsafe-eval'") ? (["eval"] as const) : []), ...handlers.costs];
  const part = (sources: readonly string[], usesNonce: boolean): ScriptPart => ({
    directives: [`script-src ${[...sources, ...evals].join(" ") || "'none'"}`, ...handlers.directives],
    costs: usesNonce ? ["nonce", ...costs] : costs,
    usesNonce,
  });
  const isStable = isStableCode(shapes, "script");
  const fits = hashes.length + handlers.hashes <= hashesMax && isStable && !isUnknown;
  if (rung === "hosts") {
    const hosts = selfFirst(files.map(({ url }) => sourceOf(url ?? "", needs.pageUrl)));
    return fits ? part([...hosts, ...hashes], false) : part([...hosts, `'nonce-${nonce}'`], true);
  }
  if (rung === "strict-nonce") return part([`'nonce-${nonce}'`, "'strict-dynamic'"], true);
  if (files.some(({ byScript }) => !byScript)) return { refused: "external-scripts" };
  if (!isStable) return { refused: "changing-scripts" };
  if (isUnknown) return { refused: "unknown-code" };
  if (!fits) return { refused: "many-hashes" };
  return part(hashes.length === 0 ? [] : ["'strict-dynamic'", ...hashes], false);
}

/** Event handlers in attributes: a few by hash, more not at all, since only `'unsafe-inline'` would be left. */
function handlerPart(shapes: PageNeeds["shapes"]): (Part & { readonly hashes: number }) | { readonly refused: RefusedBecause } {
  const hashes = [...new Set(shapes.flatMap(([shape]) => codeHashes(shape, "handler")))].sort();
  if (hashes.length === 0 && shapes.every(([{ handlers }]) => handlers === 0)) return { directives: [], costs: [], hashes: 0 };
  const isKnown = ({ handlers, inline }: DocumentShape) =>
    handlers <= inline.filter(({ kind, hash }) => kind === "handler" && hash !== null).length;
  const isAllKnown = shapes.every(([shape]) => isKnown(shape)) && isStableCode(shapes, "handler");
  if (!isAllKnown || hashes.length > hashesMax) return { refused: "handlers" };
  return { directives: [`script-src-attr 'unsafe-hashes' ${hashes.join(" ")}`], costs: ["unsafe-hashes"], hashes: hashes.length };
}

/** `styleHashesMax`: 0 for a policy that would be too long with hashes. */
function stylePart(needs: DraftNeeds, scripts: ScriptPart, styleHashesMax: number): Part {
  const { blocked, shapes, nonce } = needs;
  const inline = blocked.filter(({ directive, kind }) => directive === "style-src-elem" && kind === "inline");
  const hashes = hashesOf(needs, "style");
  const hosts = selfFirst(urlSources(needs, "style-src-elem"));
  const attributes = blocked.some(({ directive }) => directive === "style-src-attr");
  const fits = hashes.length <= styleHashesMax && isStableCode(shapes, "style") && inline.every(({ hash }) => hash !== null);
  // The server can put its nonce on elements of the document, not on those that scripts add.
  const byNonce = scripts.usesNonce && inline.every(({ byScript }) => !byScript) && inline.length > 0;
  if (inline.length > 0 && !fits && !byNonce)
    return { directives: [`style-src ${[...hosts, "'unsafe-inline'"].join(" ")}`], costs: ["inline-styles"] };
  const sources = [...hosts, ...(inline.length === 0 ? [] : fits ? hashes : [`'nonce-${nonce}'`])];
  const isDefault = sources.length === 1 && sources[0] === "'self'";
  return {
    directives: [
      ...(isDefault && !attributes ? [] : [`style-src ${sources.join(" ")}`]),
      ...(attributes ? ["style-src-attr 'unsafe-inline'"] : []),
    ],
    costs: attributes ? ["style-attributes"] : [],
  };
}

/** Hash sources of inline code that was to run, in order. */
function hashesOf({ blocked }: PageNeeds, kind: "script" | "style"): readonly string[] {
  const inline = blocked.filter((one) => one.directive === `${kind}-src-elem` && one.kind === "inline" && one.hash !== null);
  return [...new Set(inline.map(({ hash }) => `'${hash}'`))];
}

/** True if both visits of each page show the same code. */
function isStableCode(shapes: PageNeeds["shapes"], kind: CodeKind): boolean {
  return shapes.every(([one, other]) => JSON.stringify(codeHashes(one, kind)) === JSON.stringify(codeHashes(other, kind)));
}

type CodeKind = DocumentShape["inline"][number]["kind"];

function codeHashes({ inline }: DocumentShape, kind: CodeKind): readonly string[] {
  return [...new Set(inline.filter((code) => code.kind === kind && code.hash !== null).map(({ hash }) => `'${hash}'`))].sort();
}

function evalSources(blocked: readonly BlockedByPolicy[]): readonly string[] {
  if (blocked.some(({ kind }) => kind === "eval")) return ["'unsafe-eval'"];
  return blocked.some(({ kind }) => kind === "wasm-eval") ? ["'wasm-unsafe-eval'"] : [];
}

function urlSources({ blocked, pageUrl }: DraftNeeds, directive: string): readonly string[] {
  const urls = blocked.filter((one) => one.directive === directive && one.kind === "url").map(({ url }) => url ?? "");
  return [...new Set(urls.map((url) => sourceOf(url, pageUrl)))].filter(isNameable).sort();
}

/** A directive replaces `default-src`, whose `'self'` it has to repeat. */
function selfFirst(sources: readonly string[]): readonly string[] {
  return ["'self'", ...[...new Set(sources)].filter((source) => source !== "'self'" && isNameable(source)).sort()];
}

/**
 * False for what `sourceOf` gives of an address that policies cannot allow, such as one with an IPv6 address. Hosts of a page may hold
 * characters that end a directive, and asterisks.
 */
export function isNameable(source: string): boolean {
  const parsed = parseCspSource(source);
  return parsed.kind === "host" ? !parsed.host.includes("*") : parsed.kind !== "invalid";
}

/** `'self'`, a host, or a scheme such as `data:`, for which browsers report the bare name. The scheme of the page needs no mention. */
export function sourceOf(url: string, pageUrl: string): string {
  // Chromium names no address for a frame with a data: document.
  if (url === "") return "data:";
  const target = URL.parse(url);
  const page = URL.parse(pageUrl);
  if (target === null || !/^(https?|wss?):$/.test(target.protocol)) return `${url.split(":")[0]?.toLowerCase()}:`;
  if (target.origin === page?.origin) return "'self'";
  return target.protocol === page?.protocol ? target.host : `${target.protocol}//${target.host}`;
}

function formSources({ formTargets, pageUrl }: DraftNeeds): readonly string[] {
  const targets = formTargets.filter((url) => /^https?:/i.test(url)).map((url) => sourceOf(url, pageUrl));
  return selfFirst(targets);
}
