/** Policies that block parts of their own page, as the browser reports them. */
import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const enforced = "content-security-policy";
const reported = "content-security-policy-report-only";
const strictDynamic = "script-src 'strict-dynamic' https: 'self'; object-src 'none'; base-uri 'none'";

async function requestsOf(head: string, headers: Readonly<Record<string, string>>) {
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Case</title>${head}</head><body></body></html>`;
  const script = { headers: { "content-type": "text/javascript" }, body: "1" };
  const server = keep(
    await startHttps(siteIdentity("site.test"), {
      "/": { headers: { "content-type": "text/html", ...headers }, body },
      "/app.js": script,
      "/lib.js": script,
      "*": { headers: { "content-type": "image/png" }, body: "" },
    }),
  );
  const egress = egressTo(Object.fromEntries(["site.test", "cdn.other.test"].map((host) => [`${host}:443`, server])));
  return factsOf(await visit(browser, "https://site.test/", { egress, deadlines: patientDeadlines }), "requests");
}

/** Violations of a page with these headers, as `directive blocked`, with "reported" for policies that only report. */
async function violations(head: string, headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { cspViolations = [], cspViolationsDropped } = await requestsOf(head, headers);
  expect(cspViolationsDropped).toBe(0);
  return cspViolations.map(({ directive, blocked, reportOnly }) => `${directive} ${blocked}${reportOnly ? " reported" : ""}`);
}

test.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
  [
    "'strict-dynamic' without nonce or hash",
    '<script src="/app.js"></script>',
    { [enforced]: strictDynamic },
    ["script-src-elem https://site.test/app.js"],
  ],
  ["inline script", "<script>1</script>", { [enforced]: "script-src 'self'" }, ["script-src-elem inline"]],
  ["an event handler", '<script src="/app.js" onload="1"></script>', { [enforced]: "script-src 'self'" }, ["script-src-attr inline"]],
  ["a style attribute", '<base style="color: red">', { [enforced]: "style-src 'self'" }, ["style-src-attr inline"]],
  ["eval", "<script>try { eval('1') } catch {}</script>", { [enforced]: "script-src 'unsafe-inline'" }, ["script-src eval"]],
  [
    "two files of one origin are one violation, named by the first",
    '<script src="/lib.js"></script><script src="/app.js"></script>',
    { [enforced]: "script-src 'none'" },
    ["script-src-elem https://site.test/app.js"],
  ],
  [
    "two origins are two",
    '<script src="/app.js"></script><script src="https://cdn.other.test/lib.js"></script>',
    { [enforced]: "script-src 'none'" },
    ["script-src-elem https://cdn.other.test/lib.js", "script-src-elem https://site.test/app.js"],
  ],
  [
    "a policy that only reports",
    '<script src="/app.js"></script>',
    { [reported]: "script-src 'none'" },
    ["script-src-elem https://site.test/app.js reported"],
  ],
  [
    "a policy in a meta element",
    `<meta http-equiv="${enforced}" content="script-src 'none'"><script src="/app.js"></script>`,
    {},
    ["script-src-elem https://site.test/app.js"],
  ],
  ["a policy that fits its page", '<script src="/app.js"></script>', { [enforced]: "default-src 'none'; script-src 'self'" }, []],
  ["no policy", "<script>eval('1')</script>", {}, []],
])("%s", async (_words, head, headers, expected) => {
  expect(await violations(head, headers)).toEqual(expected);
});

/** SHA-384 of the script `1`. */
const hash = `sha384-${createHash("sha384").update("1").digest("base64")}`;

test.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
  [
    "a script without integrity",
    '<script src="/app.js"></script>',
    { "integrity-policy": "blocked-destinations=(script)" },
    ["https://site.test/app.js"],
  ],
  [
    "an import",
    '<script type="module">import "/lib.js"</script>',
    { "integrity-policy": "blocked-destinations=(script)" },
    ["https://site.test/lib.js"],
  ],
  [
    "a script with integrity",
    `<script src="/app.js" integrity="${hash}" crossorigin></script>`,
    { "integrity-policy": "blocked-destinations=(script)" },
    [],
  ],
  [
    "a script with integrity that is requested without CORS",
    `<script src="/app.js" integrity="${hash}"></script>`,
    { "integrity-policy": "blocked-destinations=(script)" },
    ["https://site.test/app.js"],
  ],
  ["a policy with quotes", '<script src="/app.js"></script>', { "integrity-policy": 'blocked-destinations=("script")' }, []],
  ["a destination without a list", '<script src="/app.js"></script>', { "integrity-policy": "blocked-destinations=script" }, []],
  [
    "a source that no browser knows",
    '<script src="/app.js"></script>',
    { "integrity-policy": "blocked-destinations=(script), sources=(foo)" },
    [],
  ],
  [
    "a policy that only reports",
    '<script src="/app.js"></script>',
    { "integrity-policy-report-only": "blocked-destinations=(script)" },
    [],
  ],
])("an Integrity-Policy blocks: %s", async (_words, head, headers, expected) => {
  expect((await requestsOf(head, headers)).integrityPolicyBlocked).toEqual(expected);
});
