/** Canaries: code as an attacker would inject it. Each runs without a policy, and a good policy lets none run. */
import { allowsEval } from "../check/csp.ts";
import type { ProofBody } from "../evidence/proof.ts";
import {
  type CspPolicy,
  governing,
  matchesAnyHost,
  matchesOpenHost,
  matchesUrl,
  parseCsp,
  parseCspSource,
  type ScriptBypass,
  scriptBypasses,
  scriptUrlSources,
} from "../parse/csp.ts";
import { openHostIn } from "../parse/open-hosts.ts";
import { type CanaryPage, canaryCall } from "../probe/browser/page-fetch.ts";

/** RFC 2606 section 2: the name of no host. Requests to it are answered inside. */
const canaryHost = "assay-canary.invalid";
/** Addresses of each kind on hosts that the policy allows. */
const addressesMax = 3;

const byDocument = [
  "inline-script",
  "event-handler",
  "data-script",
  "script-host",
  "frame-document",
  "base",
  "form",
  "javascript-link",
] as const;
type CanaryName = (typeof byDocument)[number] | "known-nonce";

export type CanaryResult = ProofBody["pages"][number]["canaries"][number];

export function hasRunning(canaries: readonly CanaryResult[]): boolean {
  return canaries.some(({ outcome }) => outcome === "runs" || outcome === "would-run");
}

export function canaryResults(page: CanaryPage, without: readonly string[], within: readonly string[]): readonly CanaryResult[] {
  const names = new Set([
    ...byDocument,
    ...(page.html.includes("known-nonce") ? ["known-nonce"] : []),
    ...page.answers.map(({ name }) => name),
  ]);
  return [...names].map((name) => {
    const running = name.includes(" ") ? "would-run" : "runs";
    return { name, outcome: !without.includes(name) ? "left-out" : within.includes(name) ? running : "stopped" };
  });
}

export interface Attacked {
  /** Values of the headers that are proven. */
  readonly policies: readonly string[];
  readonly pageUrl: string;
  /** Nonce that is a new one in each answer, which no attacker knows; null without. */
  readonly freshNonce: string | null;
}

/** Name of the canary without which the others prove nothing: where a document runs no inline script, the page itself stops it. */
const plainest = "inline-script" satisfies CanaryName;

/** True for a page that runs no injected code, or lets none be seen, although no policy applies. */
export function hidesCode(without: readonly string[]): boolean {
  return !without.includes(plainest);
}

/** `token`: no page knows it before the visit. A page that reads it while it loads can hide canaries, or claim that one ran. */
export function canaryPage(token: string, { policies: values, pageUrl, freshNonce }: Attacked): CanaryPage {
  const call = (name: CanaryName) => canaryCall(token, name);
  const policies = parseCsp(values);
  const addresses = addressesOf(policies, new URL(pageUrl));
  const known = knownNonce(policies, freshNonce);
  const html = [
    `<script>${call("inline-script")}</script>`,
    `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1" onload="${call("event-handler")}"></svg>`,
    `<script src="data:text/javascript,${encodeURIComponent(call("data-script"))}"></script>`,
    `<script src="https://${canaryHost}/script.js"></script>`,
    `<iframe srcdoc="&lt;script&gt;${call("frame-document")}&lt;/script&gt;"></iframe>`,
    `<iframe data-canary="base" srcdoc="&lt;base href='https://${canaryHost}/'&gt;"></iframe>`,
    pressed(`<form target="_top" method="post" action="https://${canaryHost}/form"><button>.</button></form>`),
    pressed(`<a href="javascript:${call("javascript-link")}">.</a>`),
    ...(known === null ? [] : [`<script nonce="${known}">${call("known-nonce")}</script>`]),
    ...addresses.map(({ url }) => `<script src="${url.replaceAll("&", "&amp;").replaceAll('"', "%22")}"></script>`),
  ];
  const answers = [
    { url: `https://${canaryHost}/script.js`, name: "script-host" },
    { url: `https://${canaryHost}/form`, name: "form" },
    ...addresses,
  ];
  return { token, host: canaryHost, html: html.join(""), withoutMetaPolicies: false, answers };
}

/** In the document, and in a frame of the same policy. */
function pressed(html: string): string {
  const escaped = html.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<span data-canary="press">${html}<iframe srcdoc="${escaped}"></iframe></span>`;
}

/** A nonce that stands in the policy itself is the same in each answer: who has seen one knows it. */
function knownNonce(policies: readonly CspPolicy[], freshNonce: string | null): string | null {
  const nonces = policies
    .flatMap((policy) => governing(policy, "script-src-elem")?.sources ?? [])
    .flatMap((text) => /^'nonce-([a-z0-9+/_-]+=*)'$/i.exec(text)?.[1] ?? []);
  return nonces.find((nonce) => nonce !== freshNonce) ?? null;
}

/** Addresses on allowed hosts from which attackers can run code: known ones, and hosts where anyone can publish. */
function addressesOf(policies: readonly CspPolicy[], page: URL): CanaryPage["answers"] {
  const lists = policies.flatMap((policy) => {
    const list = governing(policy, "script-src-elem");
    return list === null ? [] : [scriptUrlSources(list.sources)];
  });
  const isAllowed = (url: URL, sources: readonly string[]) => sources.some((text) => matchesUrl(parseCspSource(text), url, page));
  // A policy for all hosts needs no such example.
  const named = lists.map((sources) => sources.filter((text) => !matchesAnyHost(text)));
  const canEval = policies.every(allowsEval);
  const known = (kind: ScriptBypass["kind"]) =>
    scriptBypasses.filter(
      (bypass) => bypass.kind === kind && (canEval || !bypass.needsEval) && named.every((list) => isAllowed(bypass.url, list)),
    );
  const open = lists.flat().flatMap((text) => openAddress(text) ?? []);
  const reachable = open.filter((url) => lists.every((list) => isAllowed(url, list)));
  const first = (kind: string, urls: readonly URL[]) =>
    [...new Map(urls.map((url) => [url.hostname, url]))]
      .slice(0, addressesMax)
      .map(([host, url]) => ({ url: url.href, name: `${kind} ${host}` }));
  if (lists.length === 0) return [];
  return [
    ...first(
      "jsonp",
      known("jsonp").map(({ url }) => url),
    ),
    ...first(
      "angular",
      known("angular").map(({ url }) => url),
    ),
    ...first("open-host", reachable),
  ];
}

/** An address that anyone could have, and that the source expression allows; null for a source of one publisher. */
function openAddress(text: string): URL | null {
  const source = parseCspSource(text);
  if (source.kind !== "host" || source.host === "*" || !matchesOpenHost(text, "scripts")) return null;
  const open = matchesAnyHost(text) ? null : openHostIn(source);
  const host = source.host.startsWith("*.") && open !== null ? open.host : source.host;
  const path = source.path.length > 1 ? source.path : (open?.path ?? "/");
  const port = source.port === null || source.port === "*" ? "" : `:${source.port}`;
  return URL.parse(`https://${host.replaceAll("*", "assay-canary")}${port}${path}${path.endsWith("/") ? "canary.js" : ""}`);
}
