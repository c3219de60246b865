/** Known errors of other tools, by their numbers, judged through the ledger. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import type { State } from "../../../src/check/check.ts";
import { type Evidence, failed } from "../../../src/evidence/evidence.ts";
import type { MetaElement } from "../../../src/evidence/page-facts.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import { alternativeNames, certificateKey, certificateSignature } from "../../../src/parse/certificate.ts";
import { selfSigned, siteIdentity } from "../../support/certificates.ts";
import { cookieLines } from "../../support/cookies.ts";
import { certificate, type EvidenceGiven, evidence, textRecords } from "../../support/evidence.ts";
import { egressTo, startHttps } from "../../support/servers.ts";
import { browserIsMissing, browserNote, openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { visit } from "../../support/visits.ts";

function judged(given: Evidence, ...keys: readonly string[]): StoredResult {
  const checks = builtInChecks.filter(({ key }) => keys.length === 0 || keys.includes(key));
  expect(checks.map(({ key }) => key).sort()).toEqual(keys.length === 0 ? expect.anything() : [...keys].sort());
  const faults: string[] = [];
  const result = judgeEvidence(given, { checks, version: "test" }, (key, fault) => faults.push(`${key}: ${fault}`));
  expect(faults).toEqual([]);
  return result;
}

/** State and finding codes of a check. */
function verdict(key: string, given: EvidenceGiven): readonly [State | undefined, ...string[]] {
  const { ledger, findings } = judged(evidence(given), key);
  return [ledger[0]?.state, ...findings.map(({ code }) => code)];
}

const csp = (...policies: readonly string[]): EvidenceGiven => ({ headers: { "content-security-policy": policies } });
const cspMeta = (content: string): MetaElement => ({ httpEquiv: "content-security-policy", name: null, content, truncated: false });

describe("1. `max-age=abc` passes in the HTTP Observatory", () => {
  test.each(["max-age=abc", "max-age=31536000s", "max-age=NaN", "max-age=", "max-age=1e9", "max-age=-1"])("%s is unparseable", (value) => {
    expect(verdict("hsts-effective", { headers: { "strict-transport-security": value } })).toEqual([
      "violated",
      "security.hsts.unparseable",
    ]);
  });
});

describe("2. Several policies: the HTTP Observatory reads a directive that only the second has as 'none'", () => {
  const open = "script-src 'unsafe-inline' https:";
  test("a directive of the second policy only is judged by the second, as in a browser", () => {
    for (const given of [csp("img-src 'self'", open), csp(`img-src 'self', ${open}`)]) {
      expect(verdict("csp-script-inline", given)[0]).toBe("violated");
      expect(verdict("csp-script-sources", given)[0]).toBe("violated");
    }
  });
  test("a resource must pass all policies, so one strict policy is enough", () => {
    for (const given of [csp("default-src 'self'; object-src 'none'", open), csp(`${open}, default-src 'self'`)]) {
      expect(verdict("csp-script-inline", given)).toEqual(["passed"]);
      expect(verdict("csp-script-sources", given)).toEqual(["passed"]);
    }
  });
  test("policies of a header and of a meta element are combined as well", () => {
    const given = { ...csp(open), dom: { metas: [cspMeta("script-src 'self'")] } };
    expect(verdict("csp-script-inline", given)).toEqual(["passed"]);
  });
});

describe("3. The HTTP Observatory and Lighthouse accept any frame-ancestors", () => {
  test.each(["*", "http:", "https:", "https://*", "'self' *", "*.com"])("%s does not protect", (sources) => {
    expect(verdict("x-frame-options", csp(`frame-ancestors ${sources}`))[0]).toBe("violated");
  });
  test.each(["'none'", "'self'", "https://partner.example"])("%s protects", (sources) => {
    expect(verdict("x-frame-options", csp(`frame-ancestors ${sources}`))).toEqual(["passed"]);
  });
});

test("4. A frame-ancestors that exists only in a meta element protects nothing", () => {
  const given = { dom: { metas: [cspMeta("default-src 'self'; frame-ancestors 'none'")] } };
  expect(verdict("x-frame-options", given)).toEqual(["violated", "security.missing-header.x-frame-options"]);
  expect(verdict("csp-meta-delivery", given)).toContain("security.csp.meta-ignored-directives");
});

describe("5. checkdmarc never requires the keys of MTA-STS, and its patterns for mail hosts are not anchored", () => {
  const whole = ["version: STSv1", "mode: enforce", "mx: *.mail.example", "max_age: 604800"];
  const withPolicy = (lines: readonly string[], ...hosts: readonly string[]): EvidenceGiven => ({
    mailMx: { exchangers: hosts.map((host, at) => ({ preference: at, host })) },
    mailMtaSts: textRecords("_mta-sts.site.example", "v=STSv1; id=20260101"),
    mailMtaStsPolicy: { status: 200, contentType: "text/plain", body: `${lines.join("\r\n")}\r\n` },
  });
  const state = (lines: readonly string[], ...hosts: readonly string[]) => verdict("mail-mta-sts", withPolicy(lines, ...hosts))[0];

  test("a policy with all of its keys passes", () => expect(state(whole, "mx1.mail.example")).toBe("passed"));
  test.each(whole)("a policy without %s does not", (line) => {
    expect(
      state(
        whole.filter((other) => other !== line),
        "mx1.mail.example",
      ),
    ).toBe("violated");
  });
  test.each(["a.b.mail.example", "mail.example", "mx1.mail.example.evil.example", "mx1.notmail.example", "mx1xmail.example"])(
    "an asterisk is exactly one left-most label: %s is not covered",
    (host) => {
      expect(verdict("mail-mta-sts", withPolicy(whole, host))).toContain("security.mail.mta-sts-mx-not-covered");
    },
  );
});

describe("6. checkdmarc reports DNSSEC without looking at DS; Internet.nl counts only a bare `a` as a lookup of SPF", () => {
  test("a zone that is signed without a DS above it is insecure", () => {
    expect(verdict("dnssec", { dnssec: { domain: "site.example", status: "insecure" } })[0]).toBe("violated");
  });
  test.each(["a", "a:host.example", "a/24", "a:host.example/24//64", "+a", "A:HOST.EXAMPLE", "mx/24", "exists:%{i}.x.example"])(
    "eleven of %s are too many",
    (mechanism) => {
      const terms = (count: number) => Array.from({ length: count }, () => mechanism).join(" ");
      const withSpf = (count: number): EvidenceGiven => ({
        mailSpf: {
          own: textRecords("site.example", `v=spf1 ${terms(count)} -all`),
          followed: ["site.example", "host.example"].flatMap((name) => [
            {
              name,
              type: "A",
              answer: { status: "read", facts: { nameExists: true, records: [{ text: "1", truncated: false }] } },
            } as const,
            {
              name,
              type: "MX",
              answer: { status: "read", facts: { nameExists: true, records: [{ text: "host.example", truncated: false }] } },
            } as const,
          ]),
        },
      });
      expect(verdict("mail-spf-lookups", withSpf(11))[0]).toBe("violated");
      // Names with macros depend on the mail, and so does the number of void lookups.
      expect(verdict("mail-spf-lookups", withSpf(10))[0]).toBe(mechanism.includes("%") ? "notChecked" : "passed");
    },
  );
});

describe("7. testssl searches a whole cookie line for `secure`", () => {
  test.each([
    "sid=<redacted>; Path=/secure",
    "secure=<redacted>; HttpOnly",
    "sid=<redacted>; Comment=Secure; HttpOnly",
    "Secure-sid=<redacted>; Path=/",
    "sid=<redacted>; Domain=secure.site.example",
    "sid=<redacted>; SecureX",
  ])("%s is not Secure", (line) => {
    expect(verdict("cookie-secure", cookieLines(line))).toEqual(["violated", "security.cookie.missing-secure"]);
  });
  test("nor is a cookie named __Secure-, which browsers refuse", () => {
    const line = cookieLines("__Secure-sid=<redacted>; Path=/");
    expect(verdict("cookie-secure", line)).toEqual(["notApplicable"]);
    expect(verdict("cookie-prefix", line)).toEqual(["violated", "security.cookie.prefix-without-secure"]);
  });
  test("the attribute itself is found, in any case", () => {
    expect(verdict("cookie-secure", cookieLines("sid=<redacted>;SECURE"))).toEqual(["passed"]);
  });
});

describe("8. Internet.nl fails 'unsafe-inline' beside a nonce, which every browser of CSP2 ignores", () => {
  test.each(["'nonce-c2Vjb25kMTIz'", "'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc='", "'strict-dynamic' 'nonce-c2Vjb25kMTIz'"])(
    "'unsafe-inline' beside %s passes",
    (source) => expect(verdict("csp-script-inline", csp(`script-src 'unsafe-inline' ${source}`))).toEqual(["passed"]),
  );
});

describe("9. Internet.nl's list of signatures lacks RSASSA-PSS", () => {
  const authority = selfSigned({ commonName: "PSS authority", key: "rsa-2048", authority: true });
  test.each([
    ["sha256", "passed"],
    ["sha384", "passed"],
    ["sha1", "violated"],
  ] as const)("a real certificate that was signed by RSASSA-PSS with %s: %s", (hash, state) => {
    const { der } = authority.issue({ names: ["site.example"], hash, pss: true });
    const { algorithm, hash: signatureHash } = certificateSignature(der) ?? {};
    expect(algorithm).toBe("rsassaPss");
    const { type: keyType, bits: keyBits } = certificateKey(der);
    const names = alternativeNames(der).map(({ text }) => text);
    const leaf = certificate({ signatureAlgorithm: algorithm ?? null, signatureHash: signatureHash ?? null, keyType, keyBits, names });
    expect(verdict("tls-signature-algorithm", { tls: { chain: [leaf] } })[0]).toBe(state);
  });
});

describe('10. Lighthouse calls a pass "not applicable"', () => {
  test.each([
    ["deprecated-headers", {}],
    ["x-xss-protection", {}],
    ["information-disclosure", {}],
    ["mixed-content", {}],
    ["https-redirect", { plainHttp: { outcome: "refused", answers: [] } }],
    ["hsts-preload-eligible", { hstsPreload: { hostPreloaded: true, registrableDomainPreloaded: true } }],
    ["strict-transport-security", { hstsPreload: { hostPreloaded: true, registrableDomainPreloaded: true } }],
    ["tls-legacy-protocols", {}],
    ["csp-script-inline", csp("script-src 'nonce-c2Vjb25kMTIz' 'unsafe-inline'")],
  ] as [string, EvidenceGiven][])("%s passes where nothing is wrong", (key, given) => {
    expect(verdict(key, given)).toEqual(["passed"]);
  });
});

const challenges11 = `11. A challenge of a firewall graded as the site is the field's most common false verdict${browserNote}`;
describe.skipIf(browserIsMissing)(challenges11, () => {
  let browser: TestBrowser;
  beforeAll(() => {
    browser = openTestBrowser();
  });
  afterAll(() => browser.stop());

  /** Answers of each vendor, without any security header of the page. */
  const challenges: readonly (readonly [vendor: string, status: number, headers: Record<string, string>, title: string])[] = [
    ["Cloudflare, managed challenge", 403, { server: "cloudflare", "cf-mitigated": "challenge", "cf-ray": "8c1-FRA" }, "Just a moment..."],
    ["Cloudflare, block", 403, { server: "cloudflare" }, "Attention Required! | Cloudflare"],
    ["AWS WAF, captcha", 405, { "x-amzn-waf-action": "captcha" }, "Human Verification"],
    ["AWS WAF, silent challenge", 202, { "x-amzn-waf-action": "challenge" }, ""],
    ["Vercel", 429, { "x-vercel-mitigated": "challenge" }, "Vercel Security Checkpoint"],
    ["SiteGround", 202, { "sg-captcha": "challenge" }, "Robot Challenge Screen"],
    ["DDoS-Guard", 403, { server: "ddos-guard" }, "DDoS-Guard"],
    ["DataDome", 403, { server: "DataDome", "x-datadome": "protected" }, "site.test"],
    ["Imperva", 403, {}, "Pardon Our Interruption"],
    ["HUMAN", 403, {}, "Access to this page has been denied"],
    ["Anubis", 200, {}, "Making sure you're not a bot!"],
    ["go-away", 200, {}, "Checking you are not a bot"],
    ["a rate limit", 429, {}, "Too many requests"],
    ["an overloaded firewall", 503, { "retry-after": "5" }, "Please wait"],
  ];

  test.each(challenges)("%s: nothing of the page is judged", async (_vendor, status, headers, title) => {
    const body = `<!doctype html><html><head><title>${title}</title></head><body><form action="http://site.test/"></form></body></html>`;
    const given = { ...headers, "set-cookie": "sid=1", "x-powered-by": "PHP/5.2", "content-security-policy": "script-src *" };
    const server = await startHttps(siteIdentity("site.test"), { "*": { status, headers: given, body } });
    try {
      const readings = await visit(browser, "https://site.test/", { egress: egressTo({ "site.test:443": server }) });
      expect(readings.page.status).toBe("failed");
      const result = judged({ ...evidence({ url: "https://site.test/" }), ...readings });
      const ofThePage = builtInChecks.filter(({ reads }) => reads.some((name) => ["page", "dom", "requests"].includes(name)));
      const states = new Map(result.ledger.map(({ key, state }) => [key, state]));
      expect(ofThePage.map(({ key }) => [key, states.get(key)])).toEqual(ofThePage.map(({ key }) => [key, "notChecked"]));
      expect([result.measured, result.score, result.rank]).toEqual([false, null, "unknown"]);
    } finally {
      await server.stop();
    }
  });

  test("the site's own 403 page is an error page, not a challenge", async () => {
    const server = await startHttps(siteIdentity("site.test"), { "*": { status: 403, body: "<title>Members only</title>" } });
    try {
      const readings = await visit(browser, "https://site.test/", { egress: egressTo({ "site.test:443": server }) });
      expect(readings.page).toEqual(failed("client-error"));
    } finally {
      await server.stop();
    }
  });
});
