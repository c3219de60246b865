/** Compares predicted with observed effects of policies: loads a page in the browser under each policy. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allowsEval, enforcedCsp } from "../../src/check/csp.ts";
import { read } from "../../src/evidence/evidence.ts";
import {
  allowsAllInline,
  type CspPolicy,
  governing,
  matchesUrl,
  parseCspSource,
  sandboxes,
  scriptUrlSources,
  trustsNonces,
} from "../../src/parse/csp.ts";
import { siteIdentity } from "../support/certificates.ts";
import { type Route, type Routes, startHttp, startHttps, type TestServer } from "../support/servers.ts";
import { openTab, type Tab } from "./tab.ts";

const nonce = "c29tZS1ub25jZQ==";

/** Scripts that the document loads; each sets a mark with its name. */
const scripts = {
  own: "https://site.test/scripts/own.js",
  foreign: "https://cdn.test/lib/a.js",
  otherPort: "https://cdn.test:8443/lib/a.js",
  subdomain: "https://a.cdn.test/lib/a.js",
  data: "data:text/javascript,document.documentElement.dataset.data=1",
};
/** A redirected script. */
const redirect = { from: "https://site.test/jump", to: "https://cdn.test/elsewhere/b.js" };
const noncedScript = "https://nonced.test/n.js";
const targets = { base: "https://base.test/b/", object: "https://cdn.test/o.svg", form: "https://cdn.test/form" };

type Effect =
  | keyof typeof scripts
  | keyof typeof targets
  | "redirected"
  | "inline"
  | "handler"
  | "nonced"
  | "eval"
  | "styleElement"
  | "styleAttribute";
type Effects = Readonly<Record<Effect, boolean>>;

/** Policies of headers and meta elements. */
interface PolicyCase {
  readonly headers?: readonly string[];
  readonly meta?: string;
  /** A policy in a meta element outside the head, which browsers ignore. */
  readonly strayMeta?: string;
  /** Serve it over http. */
  readonly plain?: true;
}

function pageOf({ plain }: PolicyCase): URL {
  return new URL(plain ? "http://site.test/" : "https://site.test/");
}

function predictEffects(current: PolicyCase): Effects {
  const { headers = [], meta } = current;
  const page = pageOf(current);
  const metas = meta === undefined ? [] : [{ httpEquiv: "content-security-policy", name: null, content: meta, truncated: false }];
  const dom = { metas, metasDropped: 0, subresources: [], subresourcesDropped: 0, forms: [], formsDropped: 0, title: "" };
  const { policies } = enforcedCsp(headers, read(dom));
  const byAll = (allows: (policy: CspPolicy) => boolean) => policies.every(allows);
  const runs = (allows: (policy: CspPolicy) => boolean) => byAll((policy) => !sandboxes(policy, "allow-scripts") && allows(policy));
  const governed = (directive: string, allows: (sources: readonly string[]) => boolean) => (policy: CspPolicy) => {
    const rule = governing(policy, directive);
    return rule === null || allows(rule.sources);
  };
  const allowsUrl = (url: string) => (sources: readonly string[]) =>
    sources.some((text) => matchesUrl(parseCspSource(text), new URL(url), page));
  // After a redirect the path is ignored: a page must not discover the redirect's target (CSP3 section 6.7.2.8).
  const allowsRedirect = (text: string) => {
    const source = parseCspSource(text);
    return matchesUrl(source.kind === "host" ? { ...source, path: "" } : source, new URL(redirect.to), page);
  };
  const script = (url: string) => runs(governed("script-src-elem", (sources) => allowsUrl(url)(scriptUrlSources(sources))));
  const inline = (directive: string, kind: "script" | "style") => governed(directive, (sources) => allowsAllInline(sources, kind));
  return {
    own: script(scripts.own),
    foreign: script(scripts.foreign),
    otherPort: script(scripts.otherPort),
    subdomain: script(scripts.subdomain),
    data: script(scripts.data),
    redirected: script(redirect.from) && runs(governed("script-src-elem", (sources) => scriptUrlSources(sources).some(allowsRedirect))),
    nonced: runs(governed("script-src-elem", (sources) => trustsNonces(sources) || allowsUrl(noncedScript)(scriptUrlSources(sources)))),
    inline: runs(inline("script-src-elem", "script")),
    handler: runs(inline("script-src-attr", "script")),
    eval: runs(allowsEval),
    styleElement: byAll(inline("style-src-elem", "style")),
    styleAttribute: byAll(inline("style-src-attr", "style")),
    base: byAll(governed("base-uri", allowsUrl(targets.base))),
    // A document in an object element is also a frame.
    object: byAll(governed("object-src", allowsUrl(targets.object))) && byAll(governed("frame-src", allowsUrl(targets.object))),
    form: byAll((policy) => !sandboxes(policy, "allow-forms") && governed("form-action", allowsUrl(targets.form))(policy)),
  };
}

function describeCase({ headers = [], meta, strayMeta, plain }: PolicyCase): string {
  const inMeta = Object.entries({ meta, strayMeta }).flatMap(([position, policy]) =>
    policy === undefined ? [] : [`${position}: ${policy}`],
  );
  return [...headers, ...inMeta, ...(plain ? ["over http"] : [])].join(" | ");
}

const mark = (name: string) => `document.documentElement.dataset.${name}=1`;

function metaElement(policy: string | undefined): string {
  return policy === undefined ? "" : `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
}

/** `id` identifies the requests of one load. */
function documentOf({ meta, strayMeta }: PolicyCase, id: number): string {
  return `<!doctype html><html><head>${metaElement(meta)}
    <base href="${targets.base}"><style>#box{width:7px}</style></head><body onload="${mark("handler")}">${metaElement(strayMeta)}<p id=box style="height:9px"></p>
    <script>${mark("inline")}</script>
    ${[...Object.values(scripts), redirect.from].map((url) => `<script src="${url}"></script>`).join("")}
    <script nonce="${nonce}" src="${noncedScript}"></script>
    <object data="${targets.object}?${id}" type="image/svg+xml"></object>
    <form action="${targets.form}?${id}" method=post></form></body></html>`;
}

const cases: readonly PolicyCase[] = [
  {},
  { headers: ["default-src 'none'"] },
  { headers: ["default-src 'self'"] },
  { headers: ["default-src *"] },
  { headers: ["default-src * data: 'unsafe-inline' 'unsafe-eval'"] },
  { headers: ["script-src https:"] },
  { headers: ["script-src http:"] },
  { headers: ["script-src ws: wss:"] },
  { headers: ["script-src data:"] },
  { headers: ["script-src 'unsafe-inline'; style-src 'unsafe-inline'"] },
  { headers: [`script-src 'unsafe-inline' 'nonce-${nonce}'; style-src 'unsafe-inline' 'nonce-${nonce}'`] },
  { headers: [`script-src 'NONCE-${nonce}'`] },
  { headers: [`script-src 'nonce-${nonce}' 'strict-dynamic' https: 'self' 'unsafe-inline'`] },
  { headers: [`default-src 'nonce-${nonce}' 'strict-dynamic' 'unsafe-inline' *`] },
  { headers: ["script-src 'strict-dynamic' 'self'"] },
  { headers: ["script-src 'unsafe-inline' 'nonce-'"] },
  { headers: ["script-src 'unsafe-inline' 'nonce-a!'"] },
  { headers: ["script-src 'unsafe-inline' 'sha256-q83v'; style-src 'sha384-q83v' 'unsafe-inline'"] },
  { headers: ["script-src 'unsafe-inline' 'sha1-q83v'"] },
  { headers: ["script-src 'unsafe-inline' 'none'; img-src 'none'"] },
  { headers: ["script-src 'unsafe-hashes' 'wasm-unsafe-eval' 'report-sample' 'inline-speculation-rules'"] },
  { headers: ["script-src 'self' 'unsafe-eval'; script-src-elem 'unsafe-inline'; script-src-attr 'none'"] },
  { headers: ["script-src-elem 'self' 'unsafe-eval'; script-src-attr 'unsafe-inline'"] },
  { headers: ["script-src-attr 'none'"] },
  { headers: ["style-src-elem 'none'"] },
  { headers: ["style-src 'none'; style-src-attr 'unsafe-inline'"] },
  { headers: ["script-src CDN.test"] },
  { headers: ["script-src *.cdn.test"] },
  { headers: ["script-src *.test"] },
  { headers: ["script-src cdn.test:*"] },
  { headers: ["script-src cdn.test:8443"] },
  { headers: ["script-src cdn.test:443"] },
  { headers: ["script-src cdn.test:80"] },
  { headers: ["script-src http://cdn.test"] },
  { headers: ["script-src http://cdn.test:80"] },
  { headers: ["script-src https://*:8443"] },
  { headers: ["script-src *:*"] },
  { headers: ["script-src cdn.test/lib/"] },
  { headers: ["script-src cdn.test/lib"] },
  { headers: ["script-src cdn.test/lib/a.js"] },
  { headers: ["script-src cdn.test/LIB/a.js"] },
  { headers: ["script-src cdn.test/l%69b/a.js"] },
  { headers: ["script-src cdn.test/ site.test/scripts/own.js/"] },
  { headers: ["script-src cdn.test/lib/a.js?x site.test#x"] },
  { headers: ["script-src site.test cdn.test/lib/"] },
  { headers: ["script-src site.test/jump cdn.test/lib/a.js"] },
  { headers: ["script-src site.test/elsewhere/ cdn.test"] },
  { headers: ["script-src site.test/jump http://cdn.test:80/x"] },
  { headers: ["script-src self site.test"] },
  { headers: ["script-src //cdn.test 'self"] },
  { headers: ["script-src cdn.test.; script-src *"] },
  { headers: ["SCRIPT-SRC 'SELF' 'UNSAFE-INLINE'"] },
  { headers: ["script-src\t'self'\t'unsafe-eval'"] },
  { headers: ["script-src 'self' \u00e9; style-src 'none'"] },
  { headers: ["script-src 'self'; script-src *"] },
  { headers: ["script-src 'self' object-src 'none'"] },
  { headers: ["default-src 'self', script-src 'unsafe-inline' *"] },
  { headers: ["script-src 'self' cdn.test", "script-src 'self' 'unsafe-inline'"] },
  { headers: ["frame-ancestors 'none'", "script-src 'self'"] },
  { headers: ["object-src 'none'; base-uri 'none'; form-action 'none'"] },
  { headers: ["object-src cdn.test; base-uri base.test; form-action cdn.test/form"] },
  { headers: ["object-src cdn.test/lib/; base-uri base.test/c/; form-action cdn.test/other"] },
  { headers: ["default-src 'self'; base-uri https:; form-action https:"] },
  { headers: ["default-src 'none'; object-src *; base-uri *; form-action *"] },
  { headers: ["object-src; base-uri; form-action"] },
  { headers: ["sandbox; default-src *"] },
  { headers: ["sandbox Allow-Scripts allow-forms; script-src 'unsafe-inline' cdn.test"] },
  { meta: "script-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'" },
  { strayMeta: "default-src 'none'; form-action 'none'" },
  { meta: "sandbox; frame-ancestors 'none'; script-src 'unsafe-inline'" },
  { meta: "script-src 'self', object-src 'none'" },
  { headers: ["script-src 'self' 'unsafe-inline'"], meta: "script-src cdn.test 'unsafe-inline'" },
  { headers: ["default-src 'self'; report-uri /r"], meta: "style-src 'unsafe-inline'" },
  ...[
    "'self'",
    "http:",
    "https:",
    "*",
    "cdn.test site.test",
    "cdn.test:80",
    "cdn.test:443",
    "http://cdn.test:80",
    "http://site.test:*",
  ].map((sources) => ({ headers: [`script-src ${sources}`], plain: true }) as const),
];

describe("the effects of a policy in the browser", () => {
  const identity = siteIdentity("site.test", { names: ["*.test", "a.cdn.test", "cdn.test", "site.test"] });
  let server: TestServer;
  let plainServer: TestServer;
  let tab: Tab;
  let current: PolicyCase = {};
  let id = 0;

  beforeAll(async () => {
    const names: Readonly<Record<string, Effect>> = {
      "site.test": "own",
      "cdn.test": "foreign",
      "cdn.test:8443": "otherPort",
      "a.cdn.test": "subdomain",
    };
    const script: Route = ({ headers }, response) => {
      response.writeHead(200, { "content-type": "text/javascript" });
      response.end(mark(names[headers.host ?? ""] ?? "nonced"));
    };
    const routes: Routes = {
      "/": (_request, response) => {
        response.setHeader("content-type", "text/html");
        response.setHeader("content-security-policy", current.headers ?? []);
        response.end(documentOf(current, id));
      },
      "/scripts/own.js": script,
      "/lib/a.js": script,
      "/jump": { status: 302, headers: { location: redirect.to } },
      "/elsewhere/b.js": { headers: { "content-type": "text/javascript" }, body: mark("redirected") },
      "/n.js": script,
      "/o.svg": { headers: { "content-type": "image/svg+xml" }, body: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
      // A 204 response does not navigate.
      "/form": { status: 204 },
    };
    server = await startHttps(identity, routes);
    plainServer = await startHttp(routes);
    const hosts = ["site.test", "cdn.test", "a.cdn.test", "nonced.test", "base.test"];
    const routesTo = Object.fromEntries([
      ...hosts.map((host) => [`${host}:443`, server] as const),
      ["cdn.test:8443", server] as const,
      ["site.test:80", plainServer] as const,
    ]);
    tab = await openTab(routesTo, { allowPorts: [80, 443, 8443] });
  });

  afterAll(async () => {
    await tab?.close();
    await server?.stop();
    await plainServer?.stop();
  });

  async function observedEffects(next: PolicyCase, formExpected: boolean): Promise<Effects> {
    current = next;
    id++;
    await tab.load(pageOf(current).href);
    const { executionContextId: contextId } = await tab.session.send("Page.createIsolatedWorld", { frameId: tab.frameId });
    const inspect = `(() => { const box = getComputedStyle(document.getElementById("box"));
      return { marks: { ...document.documentElement.dataset }, width: box.width, height: box.height, base: document.baseURI } })()`;
    const { result } = await tab.session.send("Runtime.evaluate", { expression: inspect, contextId, returnByValue: true });
    const { marks, width, height, base } = result.value as { marks: Record<string, string>; width: string; height: string; base: string };
    const evaluated = await tab.session.send("Runtime.evaluate", {
      expression: '(() => { try { return eval("7") } catch { return 0 } })()',
      returnByValue: true,
      allowUnsafeEvalBlockedByCSP: false,
    });
    const wasRequested = (path: string) => server.requests.some((request) => request.path === `${path}?${id}`);
    const object = wasRequested("/o.svg");
    await tab.session.send("Runtime.evaluate", { expression: "HTMLFormElement.prototype.submit.call(document.forms[0])", contextId });
    return {
      ...(Object.fromEntries(
        ["own", "foreign", "otherPort", "subdomain", "data", "inline", "handler", "nonced", "redirected"].map((name) => [
          name,
          marks[name] === "1",
        ]),
      ) as Effects),
      eval: evaluated.result.value === 7,
      styleElement: width === "7px",
      styleAttribute: height === "9px",
      base: base === targets.base,
      object,
      form: await becomesTrue(() => wasRequested("/form"), formExpected ? formMs : blockedFormMs),
    };
  }

  test.each(cases.map((each) => [describeCase(each), each] as const))("%s", async (_name, each) => {
    const expected = predictEffects(each);
    expect(await observedEffects(each, expected.form)).toEqual(expected);
  });
});

/** Deadline for a form's request, and the shorter wait for one that must not come. */
const formMs = 3_000;
const blockedFormMs = 150;

async function becomesTrue(condition: () => boolean, withinMs: number): Promise<boolean> {
  const untilMs = performance.now() + withinMs;
  while (!condition() && performance.now() < untilMs) await Bun.sleep(5);
  return condition();
}
