/** Canaries: code as an attacker would inject it. Each runs without a policy, and a good policy lets none run. */
import { governing, matchesAnyHost, matchesUrl, parseCsp, parseCspSource, scriptBypasses, scriptUrlSources } from "../parse/csp.ts";
import type { CanaryPage } from "../probe/browser/page-fetch.ts";

/** RFC 2606 section 2: the name of no host. Requests to it are answered inside. */
const canaryHost = "assay-canary.invalid";
/** Addresses that run what the request names, on hosts that the policy allows. */
const bypassesMax = 3;

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
type CanaryName = (typeof byDocument)[number] | `jsonp ${string}`;

/** `left-out`: it did not run without the policy either, so that it proves nothing. */
export interface CanaryResult {
  readonly name: string;
  readonly outcome: "stopped" | "runs" | "left-out";
}

export function canaryResults(page: CanaryPage, without: readonly string[], within: readonly string[]): readonly CanaryResult[] {
  const names = [...byDocument, ...page.answers.map(({ name }) => name)].filter((name, at, all) => all.indexOf(name) === at);
  return names.map((name) => ({ name, outcome: !without.includes(name) ? "left-out" : within.includes(name) ? "runs" : "stopped" }));
}

/** `policies`: values of the headers that are proven. `token`: no page knows it, so that none can claim that a canary ran. */
export function canaryPage(token: string, policies: readonly string[], pageUrl: string): CanaryPage {
  const call = (name: CanaryName) => `console.debug('${token} ${name}')`;
  const bypasses = bypassesOf(policies, pageUrl);
  const html = [
    `<script>${call("inline-script")}</script>`,
    `<svg width="1" height="1" onload="${call("event-handler")}"></svg>`,
    `<script src="data:text/javascript,${encodeURIComponent(call("data-script"))}"></script>`,
    `<script src="https://${canaryHost}/script.js"></script>`,
    `<iframe srcdoc="&lt;script&gt;${call("frame-document")}&lt;/script&gt;"></iframe>`,
    `<iframe data-canary="base" srcdoc="&lt;base href='https://${canaryHost}/'&gt;"></iframe>`,
    `<form method="post" action="https://${canaryHost}/form"><button data-canary="press">.</button></form>`,
    `<a data-canary="press" href="javascript:${call("javascript-link")}">.</a>`,
    ...bypasses.map(({ url }) => `<script src="${url.replaceAll("&", "&amp;").replaceAll('"', "%22")}"></script>`),
  ];
  const answers = [
    { url: `https://${canaryHost}/script.js`, name: "script-host" },
    { url: `https://${canaryHost}/form`, name: "form" },
    ...bypasses,
  ];
  return { token, host: canaryHost, html: html.join(""), answers };
}

/** Known addresses, on hosts that the policies name, from which any caller runs code. A policy for all hosts needs no such example. */
function bypassesOf(policies: readonly string[], pageUrl: string): CanaryPage["answers"] {
  const page = new URL(pageUrl);
  const named = parseCsp(policies).map((policy) =>
    scriptUrlSources(governing(policy, "script-src-elem")?.sources ?? []).filter((text) => !matchesAnyHost(text)),
  );
  const isAllowed = (url: URL) =>
    named.length > 0 && named.every((sources) => sources.some((text) => matchesUrl(parseCspSource(text), url, page)));
  const allowed = scriptBypasses.filter(({ kind, url }) => kind === "jsonp" && isAllowed(url));
  const byHost = new Map(allowed.map(({ url }) => [url.hostname, url]));
  return [...byHost].slice(0, bypassesMax).map(([host, url]) => ({ url: url.href, name: `jsonp ${host}` }));
}
