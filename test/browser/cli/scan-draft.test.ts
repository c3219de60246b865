/** The policy of a report's lines, drafted by a real scan: a page that sends it works as before, and has the score that the lines promise. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { run } from "../../support/program.ts";
import { type Routes, startHttps } from "../../support/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-scan-draft-"));
const root = join(folder, "root.pem");
writeFileSync(root, testAuthority().root.pem);
afterEach(cleanUp);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scanMsMax = 120_000;

interface ScanOutput {
  readonly linesScore?: number;
  readonly policyDraft?: {
    readonly policy: string;
    readonly costs: readonly string[];
    readonly blocks: Readonly<Record<string, number>>;
  };
  readonly security: { readonly score: number; readonly findings: readonly { readonly code: string; readonly remediation: string }[] };
  readonly evidence: {
    readonly requests: {
      readonly facts: { readonly total: number; readonly cspViolations: readonly unknown[]; readonly loadedOrigins: readonly unknown[] };
    };
  };
}

async function scan(routes: Routes, headers: Readonly<Record<string, string>> = {}): Promise<ScanOutput> {
  const { "/": page, ...others } = routes as Record<string, { readonly headers: Record<string, string>; readonly body: string }>;
  const first = { ...page, headers: { ...page?.headers, ...headers }, body: page?.body ?? "" };
  const missing = { status: 404, headers: { "content-type": "text/plain" }, body: "" };
  const server = await keep(await startHttps(siteIdentity("site.test"), { "*": missing, ...others, "/": first }));
  const place = ["site", "cdn", "img"].flatMap((name) => ["--connect-to", `${name}.test:443=127.0.0.1:${server.port}`]);
  const options = ["--data", join(folder, "data"), "--ca-file", root, "--allow-cidr", "127.0.0.1", ...place, "-o", "json=-", "--quiet"];
  const { stdout, stderr } = await run(["scan", "https://site.test/", ...options]);
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no report: ${stderr}`);
  }
}

const html = (body: string) => ({
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!doctype html><title>Shop</title>${body}`,
});
const script = (body: string) => ({ headers: { "content-type": "text/javascript" }, body });
const shop: Routes = {
  "/": html(
    `<link rel="stylesheet" href="/shop.css"><style>p { color: red }</style>
     <p style="margin: 1px">text</p><img src="https://img.test/i.svg"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
     <script src="https://cdn.test/lib.js"></script><script>window.cart = []</script><iframe src="/frame"></iframe>
     <form action="https://cdn.test/pay" method="post"></form>`,
  ),
  "/frame": html("frame"),
  "/shop.css": {
    headers: { "content-type": "text/css" },
    body: "h1 { color: blue; background: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=) }",
  },
  "/i.svg": { headers: { "content-type": "image/svg+xml" }, body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
  "/lib.js": script("fetch('https://img.test/api').then(() => document.body.append(document.createElement('hr')))"),
  "/api": { headers: { "access-control-allow-origin": "*", "content-type": "text/plain" }, body: "ok" },
};
const csp = "Content-Security-Policy";

describe("a shop with files of other hosts and inline code", () => {
  test(
    "works with the drafted policy, and then has the score of the lines",
    async () => {
      const bare = await scan(shop);
      const { policyDraft, linesScore, security } = bare;
      expect(policyDraft?.blocks).toEqual({ scripts: 0, handlers: 0, origins: 0 });
      expect(policyDraft?.policy).toContain("script-src 'self' cdn.test 'sha256-");
      expect(policyDraft?.policy).toContain("img-src 'self' data: img.test");
      expect(policyDraft?.policy).toContain("connect-src 'self' img.test");
      expect(policyDraft?.policy).toContain("form-action 'self' cdn.test");
      expect(security.findings.find(({ code }) => code === "security.missing-header.content-security-policy")?.remediation).toContain(
        `nginx: add_header ${csp}-Report-Only "default-src`,
      );
      const others = {
        "strict-transport-security": "max-age=31536000",
        "x-frame-options": "SAMEORIGIN",
        "x-content-type-options": "nosniff",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "cross-origin-opener-policy": "same-origin",
      };
      const reporting = await scan(shop, { ...others, [`${csp}-Report-Only`]: policyDraft?.policy ?? "" });
      const enforced = await scan(shop, { ...others, [csp]: policyDraft?.policy ?? "" });
      const seen = ({ evidence: { requests } }: ScanOutput) => [requests.facts.total, requests.facts.cspViolations];
      expect(seen(enforced)).toEqual([bare.evidence.requests.facts.total, []]);
      expect(seen(reporting)).toEqual(seen(enforced));
      expect(enforced.security.score).toBe(linesScore ?? -1);
      expect(reporting.security.score).toBeLessThan(linesScore ?? 0);
    },
    scanMsMax,
  );

  test(
    "is told what it would block: more inline scripts than hashes fit, and event handlers",
    async () => {
      const inline = Array.from({ length: 30 }, (_, n) => `<script>window.value${n} = ${n}</script>`).join("");
      const handlers = Array.from({ length: 8 }, (_, n) => `<button onclick="value${n}++">b</button>`).join("");
      const { policyDraft, security } = await scan({ "/": html(inline + handlers) });
      expect(policyDraft?.blocks).toEqual({ scripts: 30, handlers: 8, origins: 0 });
      const { remediation = "" } = security.findings.find(({ code }) => code === "security.missing-header.content-security-policy") ?? {};
      expect(remediation).toContain("it would block the inline scripts of the page (30)");
      expect(remediation).toContain("event handlers in attributes (8)");
    },
    scanMsMax,
  );
});
