/** Laboratory cases for Content Security Policy and framing, scanned with the real browser. */
import { createHash, randomBytes } from "node:crypto";
import { headerValueCharsMax } from "../../src/evidence/limits.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { egressTo, type Route, startHttp, startHttps } from "../support/servers.ts";
import type { LabCase, LabSite } from "./laboratory.ts";
import { cspHeaderKeys, notApplicable, notChecked, passed, violated } from "./states.ts";

/** None of these pages sends a request after loading. */
const deadlines = { settleMs: 100, settleMaxMs: 1_000 };

interface PageSource {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly head?: string;
  readonly body?: string;
  readonly status?: number;
}

/** Serves a page with a form at `https://site.test/`, generated for each request. */
function serving(source: PageSource | (() => PageSource)): LabCase["serve"] {
  return async (): Promise<LabSite> => {
    const page: Route = (_request, response) => {
      const { headers = {}, head = "", body = "", status = 200 } = typeof source === "function" ? source() : source;
      response.setHeader("content-type", "text/html; charset=utf-8");
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.statusCode = status;
      response.end(`<!doctype html><html><head><title>Page</title>${head}</head><body>${body}<form action="/in"></form></body></html>`);
    };
    const site = await startHttps(siteIdentity("site.test"), { "/": page });
    const plain = await startHttp({ "*": { status: 301, headers: { location: "https://site.test/" } } });
    return {
      url: "https://site.test/",
      egress: egressTo({ "site.test:443": site, "site.test:80": plain }),
      caPems: [testAuthority().root.pem],
      deadlines,
      stop: async () => {
        await site.stop();
        await plain.stop();
      },
    };
  };
}

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (policy: string) => ({ head: `<meta http-equiv="Content-Security-Policy" content="${policy}">` });

const policyKeys = cspHeaderKeys.filter((key) => key !== "content-security-policy");

const inlineScript = 'document.title = "Page"';
const hash = `'sha256-${createHash("sha256").update(inlineScript).digest("base64")}'`;
const filler = `img-src ${Array.from({ length: 60 }, (_, at) => `https://image-server-${at}.example`).join(" ")}`;

export const cspCases: readonly LabCase[] = [
  {
    name: "a strict policy with a new nonce in each response",
    expected: {
      ...passed(...cspHeaderKeys),
      "csp-bypassable-hosts": "notApplicable",
      "csp-meta-delivery": "notApplicable",
      "csp-report-only": "notApplicable",
      "x-frame-options": "passed",
    },
    serve: serving(() => {
      const nonce = randomBytes(16).toString("base64");
      const rest = "style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
      return {
        ...csp(`script-src 'nonce-${nonce}' 'strict-dynamic' https: http: 'unsafe-inline'; ${rest}`),
        body: `<script nonce="${nonce}">${inlineScript}</script>`,
      };
    }),
  },
  {
    name: "no policy at all",
    expected: {
      ...notApplicable(...policyKeys),
      "content-security-policy": "violated",
      "csp-meta-delivery": "notApplicable",
      "csp-report-only": "notApplicable",
      "x-frame-options": "violated",
    },
    codes: ["security.missing-header.content-security-policy", "security.missing-header.x-frame-options"],
    serve: serving({}),
  },
  {
    name: "a policy that allows everything",
    expected: {
      ...violated(...policyKeys),
      "content-security-policy": "passed",
      "csp-base-uri": "notApplicable",
      "csp-bypassable-hosts": "notApplicable",
      "csp-syntax": "passed",
      "x-frame-options": "violated",
    },
    codes: [
      "security.csp.form-action-any-host",
      "security.csp.insecure-sources",
      "security.csp.object-src-not-none",
      "security.csp.script-any-host",
      "security.csp.script-data-urls",
      "security.csp.script-blob-urls",
      "security.csp.script-unsafe-eval",
      "security.csp.script-unsafe-inline",
      "security.csp.style-unsafe-inline",
      "security.csp.frame-ancestors-any-host",
    ],
    serve: serving(csp("default-src * http: data: blob: 'unsafe-inline' 'unsafe-eval'; form-action *; frame-ancestors *")),
  },
  {
    name: "a policy for images only",
    expected: {
      ...notApplicable(...policyKeys),
      ...violated("content-security-policy", "csp-form-action", "csp-object-src", "csp-style-inline"),
      ...passed("csp-insecure-sources", "csp-syntax"),
    },
    codes: [
      "security.csp.form-action-missing",
      "security.csp.object-src-missing",
      "security.csp.script-src-missing",
      "security.csp.style-inline-unrestricted",
    ],
    serve: serving(csp("img-src 'self'")),
  },
  {
    name: "a policy for script elements only",
    expected: { ...passed("content-security-policy", "csp-script-sources"), ...violated("csp-script-eval", "csp-script-inline") },
    codes: ["security.csp.script-eval-unrestricted", "security.csp.script-inline-unrestricted"],
    serve: serving(csp("script-src-elem 'self'")),
  },
  {
    name: "a policy for framing and upgrades only",
    expected: { ...notApplicable(...policyKeys), "content-security-policy": "violated", "x-frame-options": "passed" },
    codes: ["security.csp.no-effective-directive"],
    serve: serving(csp("upgrade-insecure-requests; frame-ancestors 'self'")),
  },
  {
    name: "a header longer than the limit",
    expected: { ...notChecked(...cspHeaderKeys), "csp-meta-delivery": "notApplicable", "x-frame-options": "notChecked" },
    serve: serving(csp(`script-src 'unsafe-inline' *; ${filler}`)),
    verify: ({ result }) => {
      const because = result.ledger.filter(({ key }) => cspHeaderKeys.includes(key)).map((row) => row.notCheckedBecause);
      if (because.some((reason) => reason !== "header-truncated")) throw new Error(`not checked because of ${because}`);
    },
  },
  {
    name: "a header longer than the limit that begins with frame-ancestors",
    expected: { ...notChecked(...cspHeaderKeys), "x-frame-options": "passed" },
    serve: serving(csp(`frame-ancestors 'self'; ${filler}`)),
  },
  {
    name: "a page with status 503 decides nothing",
    expected: notChecked(...cspHeaderKeys, "csp-meta-delivery", "csp-report-only", "x-frame-options"),
    serve: serving({ ...csp("default-src 'self'"), ...meta("default-src 'self'"), status: 503 }),
  },
  {
    name: "two headers: a source must be allowed by both",
    expected: { "csp-script-inline": "passed", "csp-script-eval": "passed", "csp-script-sources": "passed", "csp-object-src": "passed" },
    serve: serving(csp("default-src * 'unsafe-inline'", "script-src 'self' 'unsafe-eval'; object-src 'none'")),
  },
  {
    name: "two policies in one header, separated by a comma",
    expected: {
      "csp-script-inline": "passed",
      "csp-style-inline": "passed",
      "csp-insecure-sources": "passed",
      "x-frame-options": "passed",
    },
    serve: serving(
      csp("script-src 'unsafe-inline'; style-src 'unsafe-inline' http:; frame-ancestors *, default-src 'self'; frame-ancestors 'self'"),
    ),
  },
  {
    name: "a wide header and a stricter meta element",
    expected: {
      "csp-meta-delivery": "passed",
      "csp-script-sources": "passed",
      "csp-object-src": "passed",
      "csp-form-action": "passed",
      "csp-bypassable-hosts": "passed",
    },
    serve: serving({ ...csp("default-src https:"), ...meta("script-src 'self'; object-src 'none'; form-action 'self'") }),
  },
  {
    name: "a policy in a meta element only, with directives that are ignored there",
    expected: {
      "content-security-policy": "passed",
      "csp-meta-delivery": "violated",
      "csp-script-inline": "passed",
      "x-frame-options": "violated",
    },
    codes: ["security.csp.meta-only", "security.csp.meta-ignored-directives", "security.missing-header.x-frame-options"],
    serve: serving(meta("default-src 'self'; frame-ancestors 'none'; sandbox")),
  },
  {
    name: "a policy in a meta element outside the head, which browsers ignore",
    expected: { "content-security-policy": "violated", "csp-meta-delivery": "notApplicable", "csp-script-inline": "notApplicable" },
    codes: ["security.missing-header.content-security-policy"],
    serve: serving({ body: meta("default-src 'self'").head }),
  },
  {
    name: "a meta element longer than the limit",
    expected: {
      "content-security-policy": "notChecked",
      "csp-script-inline": "notChecked",
      "csp-insecure-sources": "notChecked",
      "csp-meta-delivery": "violated",
    },
    serve: serving(meta(`script-src 'self'; ${filler}`)),
  },
  {
    name: "a meta element longer than the limit, with a header",
    expected: {
      "content-security-policy": "passed",
      "csp-script-inline": "passed",
      "csp-script-eval": "notChecked",
      "csp-meta-delivery": "notChecked",
      "csp-syntax": "notChecked",
    },
    serve: serving({ ...csp("script-src 'self' 'unsafe-eval'"), ...meta(`script-src 'self'; ${filler}`) }),
  },
  {
    name: "only a report-only policy",
    expected: { "content-security-policy": "violated", "csp-report-only": "violated", "csp-script-inline": "notApplicable" },
    codes: ["security.csp.report-only-alone", "security.csp.report-only-without-reports"],
    serve: serving({ headers: { "content-security-policy-report-only": "default-src 'self'; frame-ancestors 'none'" } }),
  },
  {
    name: "a report-only and an enforced policy",
    expected: { "content-security-policy": "passed", "csp-report-only": "passed", "csp-script-inline": "violated" },
    serve: serving({
      headers: {
        "content-security-policy": "default-src 'self' 'unsafe-inline'",
        "content-security-policy-report-only": "default-src 'self'; report-uri /reports",
      },
    }),
  },
  {
    name: "a report-only policy longer than the limit",
    expected: { "content-security-policy": "passed", "csp-report-only": "notChecked" },
    serve: serving({
      headers: {
        "content-security-policy": "default-src 'self'",
        "content-security-policy-report-only": `default-src 'self'; report-uri /${"r".repeat(headerValueCharsMax)}`,
      },
    }),
  },
  {
    name: "a policy with a hash for its scripts",
    expected: { "csp-script-inline": "passed", "csp-script-sources": "passed", "csp-base-uri": "notApplicable", "csp-syntax": "passed" },
    serve: serving({ ...csp(`script-src ${hash} 'unsafe-inline'; object-src 'none'`), body: `<script>${inlineScript}</script>` }),
  },
  {
    name: "a hash with strict-dynamic, without base-uri",
    expected: { "csp-base-uri": "violated", "csp-script-sources": "passed", "csp-bypassable-hosts": "notApplicable" },
    codes: ["security.csp.base-uri-missing"],
    serve: serving(csp(`script-src ${hash} 'strict-dynamic' https:`)),
  },
  {
    name: "a static nonce, and a base-uri for any host",
    expected: { "csp-syntax": "violated", "csp-base-uri": "violated", "csp-script-inline": "passed" },
    codes: ["security.csp.static-nonce", "security.csp.base-uri-any-host"],
    serve: serving({
      ...csp("script-src 'nonce-bmV2ZXItY2hhbmdlcw=='; base-uri *"),
      body: `<script nonce="bmV2ZXItY2hhbmdlcw==">${inlineScript}</script>`,
    }),
  },
  {
    name: "a nonce, and a second policy with hosts",
    expected: { "csp-base-uri": "passed", "csp-script-sources": "passed" },
    serve: serving(() => csp(`script-src 'nonce-${randomBytes(16).toString("base64")}'`, "script-src 'self'")),
  },
  {
    name: "hosts that are known to bypass policies",
    expected: { "csp-bypassable-hosts": "violated", "csp-script-sources": "passed" },
    codes: ["security.csp.jsonp-host", "security.csp.angular-host"],
    serve: serving(csp("script-src 'self' https://accounts.google.com https://cdnjs.cloudflare.com")),
  },
  {
    name: "the same hosts, limited to paths without known bypasses",
    expected: { "csp-bypassable-hosts": "passed" },
    serve: serving(csp("script-src 'self' https://accounts.google.com/gsi/ https://cdnjs.cloudflare.com/ajax/libs/jquery/")),
  },
  {
    name: "a policy with many mistakes",
    expected: { "csp-syntax": "violated", "csp-script-inline": "passed" },
    codes: [
      "security.csp.misspelt-directive",
      "security.csp.duplicate-directive",
      "security.csp.missing-semicolon",
      "security.csp.unquoted-keyword",
      "security.csp.none-beside-sources",
      "security.csp.invalid-source",
      "security.csp.short-nonce",
    ],
    serve: serving(
      csp(
        "script-src self 'nonce-abc' 'unsafe-inlin'; script-src *; img-src 'none' https://a.example; font-src 'self' media-src 'self'; defualt-src 'none'",
      ),
    ),
  },
  {
    name: "a policy with typographic quotes, of which browsers skip everything",
    expected: { "content-security-policy": "violated", "csp-script-inline": "notApplicable" },
    codes: ["security.csp.skipped-by-browsers"],
    serve: serving(csp(Buffer.from("default-src \u2018self\u2019").toString("latin1"))),
  },
  {
    name: "a policy that blocks its own page",
    expected: { "csp-script-inline": "passed" },
    codes: ["security.csp.blocks-own-page"],
    serve: serving({ ...csp("script-src 'self'"), body: `<script>${inlineScript}</script>` }),
  },
  {
    name: "a policy without an effective directive",
    expected: { "content-security-policy": "violated", "csp-syntax": "violated", "csp-script-inline": "notApplicable" },
    codes: ["security.csp.no-effective-directive", "security.csp.misspelt-directive"],
    serve: serving(csp("default-source 'self'; report-uri /reports")),
  },
  {
    name: "X-Frame-Options, and a policy without frame-ancestors",
    expected: { "x-frame-options": "passed" },
    serve: serving({ headers: { "x-frame-options": "SAMEORIGIN", "content-security-policy": "default-src 'self'" } }),
  },
  {
    name: "ALLOW-FROM, which browsers ignore",
    expected: { "x-frame-options": "violated" },
    codes: ["security.invalid-header.x-frame-options"],
    serve: serving({ headers: { "x-frame-options": "ALLOW-FROM https://partner.example" } }),
  },
  {
    name: "DENY, and a frame-ancestors for any host",
    expected: { "x-frame-options": "violated" },
    codes: ["security.csp.frame-ancestors-any-host"],
    serve: serving({ headers: { "x-frame-options": "DENY", "content-security-policy": "frame-ancestors https:" } }),
  },
];
