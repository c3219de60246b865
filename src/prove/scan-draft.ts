/** Drafts a policy from what one scan saw of the page: the lines of its report. Pure, like the drafts of proofs. */
import { enforcedCsp } from "../check/csp.ts";
import { type Evidence, headerLimitOf } from "../evidence/evidence.ts";
import type { BlockedByPolicy, DocumentShape } from "../evidence/observation.ts";
import type { InlineCodeFacts, RequestsFacts } from "../evidence/page-facts.ts";
import type { ScanDraft } from "../judge/result.ts";
import { allowsAllInline, governing, hasKeyword, matchesAnyHost, parseCsp } from "../parse/csp.ts";
import { valuesNamed } from "../parse/header-fields.ts";
import { draftPolicy, isNameable, type PageNeeds, sourceOf } from "./draft.ts";

/** Directives by Chromium's resource type in lower case. Other types fall back to `default-src`, which is the origin of the page. */
const directiveOfKind: Readonly<Record<string, string>> = {
  script: "script-src-elem",
  stylesheet: "style-src-elem",
  image: "img-src",
  font: "font-src",
  media: "media-src",
  texttrack: "media-src",
  xhr: "connect-src",
  fetch: "connect-src",
  eventsource: "connect-src",
  websocket: "connect-src",
  ping: "connect-src",
  document: "frame-src",
  manifest: "manifest-src",
};

/**
 * The policy by hosts that one visit asks for, without a nonce, since the lines of a server cannot make one. Inline code is allowed by hash
 * if the policy stays short enough, and otherwise counted as blocked; so are hosts, after all inline code. Null if the scan did not see the
 * page, or if the hosts of its scripts and styles alone are too many. The same evidence gives the same policy.
 */
export function draftOfScan(evidence: Evidence): ScanDraft | null {
  const { navigation, dom, markup, requests } = evidence;
  if (navigation.status === "failed" || dom.status === "failed" || markup.status === "failed" || requests.status === "failed") return null;
  const { inlineCode } = markup.facts;
  const loads = loadsOf(requests.facts);
  if (inlineCode === undefined || loads === null) return null;
  const pageUrl = navigation.facts.finalUrl;
  const charsMax = headerLimitOf(evidence.subject);
  const common = { formTargets: formTargetsOf(evidence), today: keptToday(evidence), pageUrl, nonce: "", charsMax };
  const styles = inlineStyles(inlineCode);
  const sourceOfLoad = ({ url }: BlockedByPolicy) => sourceOf(url ?? "", pageUrl);
  for (const kept of fewerAndFewer(loads))
    for (const allowed of allowedCode(inlineCode)) {
      const blocked = [...kept, dataImages, ...styles, ...allowed.scripts];
      const draft = draftPolicy("hosts", { ...common, blocked, shapes: [[allowed.shape, allowed.shape]] });
      if ("refused" in draft || draft.usesNonce || draft.policy.length > charsMax) continue;
      const left = loads.filter((load) => !isNameable(sourceOfLoad(load)) || (!kept.includes(load) && sourceOfLoad(load) !== "'self'"));
      const origins = new Set(left.map(sourceOfLoad)).size;
      return { policy: draft.policy, costs: [...draft.costs, "data-images"], blocks: { ...allowed.blocks, origins } };
    }
  return null;
}

/** All loads; then without the directive that has most of them, apart from code, and so on. */
function fewerAndFewer(loads: readonly BlockedByPolicy[]): readonly (readonly BlockedByPolicy[])[] {
  const code = ["script-src-elem", "style-src-elem"];
  const byDirective = [...Map.groupBy(loads, ({ directive }) => directive)].filter(([directive]) => !code.includes(directive));
  const most = byDirective.toSorted(([, one], [, other]) => other.length - one.length).map(([directive]) => directive);
  return Array.from({ length: most.length + 1 }, (_, left) => {
    const without = most.slice(0, left);
    return loads.filter(({ directive }) => !without.includes(directive));
  });
}

/** Chromium reports no request for an image of a data: address, which pages have in their styles. */
const dataImages = need("img-src", { kind: "url", url: "data:" });

interface AllowedCode {
  readonly scripts: readonly BlockedByPolicy[];
  readonly shape: DocumentShape;
  readonly blocks: Pick<ScanDraft["blocks"], "scripts" | "handlers">;
}

/** What may be allowed by hash, the most first. A single visit does not show which code changes. */
function allowedCode(code: InlineCodeFacts): readonly AllowedCode[] {
  const of = (kind: "script" | "handler", number: number) => {
    const hashes = code.hashes.filter((one) => one.kind === kind);
    return { number, hashes, isKnown: hashes.length === number };
  };
  const scripts = of("script", code.scripts);
  const handlers = of("handler", code.handlers);
  const option = (withScripts: boolean, withHandlers: boolean): AllowedCode => ({
    scripts: withScripts ? scripts.hashes.map(({ hash }) => need("script-src-elem", { kind: "inline", hash })) : [],
    shape: shapeWith([...(withScripts ? scripts.hashes : []), ...(withHandlers ? handlers.hashes : [])], withHandlers ? code.handlers : 0),
    blocks: { scripts: withScripts ? 0 : scripts.number, handlers: withHandlers ? 0 : handlers.number },
  });
  return [
    ...(scripts.isKnown && handlers.isKnown ? [option(true, true)] : []),
    ...(scripts.isKnown ? [option(true, false)] : []),
    option(false, false),
  ];
}

/** Only code and handlers matter to a draft. */
function shapeWith(hashes: InlineCodeFacts["hashes"], handlers: number): DocumentShape {
  const inline = hashes.map(({ kind, hash }) => ({ kind, hash, sample: "", nonced: false }));
  const none = { elements: [], structure: "", textChars: 0, inlineScripts: 0, inlineStyles: 0, styleAttributes: 0 };
  return { ...none, inline, handlers };
}

function inlineStyles({ styles, styleAttributes, hashes }: InlineCodeFacts): readonly BlockedByPolicy[] {
  const known = hashes.filter(({ kind }) => kind === "style").map(({ hash }) => hash);
  const unknown = known.length < styles ? [null] : [];
  return [
    ...[...known, ...unknown].map((hash) => need("style-src-elem", { kind: "inline", hash })),
    ...(styleAttributes > 0 ? [need("style-src-attr", { kind: "inline" })] : []),
  ];
}

/** What the page loads, apart from what its policy of today blocks. Null if the scan does not know all of it. */
function loadsOf({ loadedOrigins, loadedOriginsDropped = 0, cspViolations = [] }: RequestsFacts): readonly BlockedByPolicy[] | null {
  if (loadedOrigins === undefined || loadedOriginsDropped > 0) return null;
  const stopped = cspViolations.filter(({ reportOnly }) => !reportOnly);
  const isStopped = (directive: string, origin: string) =>
    stopped.some((one) => one.directive === directive && (URL.parse(one.blocked)?.origin ?? one.blocked) === origin);
  return loadedOrigins.flatMap(({ kind, origin }) => {
    const directive = directiveOfKind[kind];
    return directive === undefined || isStopped(directive, origin) ? [] : [need(directive, { kind: "url", url: origin })];
  });
}

function need(directive: string, given: Pick<BlockedByPolicy, "kind"> & Partial<BlockedByPolicy>): BlockedByPolicy {
  return { directive, url: null, hash: null, file: null, line: null, byScript: false, reportOnly: true, ...given };
}

/** Absolute addresses to which forms of the page send, also by the attribute of a button. */
export function formTargetsOf({ dom, markup }: Pick<Evidence, "dom" | "markup">): readonly string[] {
  const forms = dom.status === "read" ? dom.facts.forms.map(({ action }) => action) : [];
  const buttons = markup.status === "read" ? markup.facts.formActions.map(({ action }) => action) : [];
  return [...forms, ...buttons];
}

/** Framing by any host is what the lines repair. */
function keptToday(evidence: Evidence): PageNeeds["today"] {
  const isOpen = ([name, sources]: readonly [string, readonly string[]]) => name === "frame-ancestors" && sources.some(matchesAnyHost);
  return new Map([...enforcedToday(evidence)].filter((directive) => !isOpen(directive)));
}

/** Directives of all policies together, the first of equal ones. RFC 7034 section 2.1: DENY is what `frame-ancestors 'none'` replaces. */
export function enforcedToday({ page }: Pick<Evidence, "page">): PageNeeds["today"] {
  if (page.status === "failed") return new Map();
  const { headers } = page.facts;
  const directives = parseCsp(valuesNamed(headers, "content-security-policy")).flatMap((policy) => [...policy]);
  const denies = valuesNamed(headers, "x-frame-options").some((value) => value.trim().toUpperCase() === "DENY");
  const framing = denies ? [["frame-ancestors", ["'none'"]] as const] : [];
  return new Map([...framing, ...directives.toReversed()]);
}

/** True if a policy of the page stops all event handlers in attributes today. */
export function stopsHandlers({ page, dom }: Pick<Evidence, "page" | "dom">): boolean {
  if (page.status === "failed") return false;
  const sent = page.facts.headers.filter(({ name }) => name.toLowerCase() === "content-security-policy");
  // What was cut off may allow them.
  const whole = sent.flatMap(({ value, truncated }) => (truncated ? [] : [value]));
  const { policies } = enforcedCsp(whole, dom);
  return policies.some((policy) => {
    const sources = governing(policy, "script-src-attr")?.sources ?? null;
    return sources !== null && !allowsAllInline(sources, "script") && !hasKeyword(sources, "unsafe-hashes");
  });
}
