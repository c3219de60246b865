/** Evidence of a flawless site, and the cases of every check's table. */
import { join } from "node:path";
import { builtInChecks } from "../../../checks/index.ts";
import type { MailHostDane } from "../../../src/evidence/dns-facts.ts";
import { type Evidence, read } from "../../../src/evidence/evidence.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { collectTables } from "../../support/check-tester.ts";
import { cookieLine } from "../../support/cookies.ts";
import { type EvidenceGiven, evidence, headerFields, textRecords } from "../../support/evidence.ts";

const soundHeaders = {
  "content-type": "text/html; charset=utf-8",
  "strict-transport-security": "max-age=63072000; includeSubDomains; preload",
  "content-security-policy":
    "default-src 'none'; script-src 'nonce-c2Vjb25kMTIzNDU2'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; report-to a",
  "reporting-endpoints": 'a="https://site.example/reports"',
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=()",
  "cross-origin-opener-policy": "same-origin",
};
export const securityTxt = {
  url: "https://site.example/.well-known/security.txt",
  finalUrl: "https://site.example/.well-known/security.txt",
  status: 200,
  contentType: "text/plain; charset=utf-8",
  body: "Contact: mailto:security@site.example\nExpires: 2027-01-31T00:00:00Z\n",
  truncated: false,
};
export const mailHost = { preference: 10, host: "mail.site.example" };
const daneHost: MailHostDane = {
  zone: "signed",
  name: `_25._tcp.${mailHost.host}`,
  authentic: true,
  records: [{ usage: 3, selector: 1, matchingType: 1, data: "ab".repeat(32), dataBytes: 32 }],
  recordsDropped: 0,
};
const nonces = headerFields({ "content-security-policy": soundHeaders["content-security-policy"].replace("c2Vj", "dGhp") });

const flawless: EvidenceGiven = {
  headers: soundHeaders,
  page: { setCookies: [cookieLine("__Host-sid=<redacted>; Secure; HttpOnly; SameSite=Lax; Path=/")] },
  crossOrigin: { headers: nonces },
  dnsCaa: { foundAt: "site.example", records: [{ critical: false, tag: "issue", value: "ca.example", truncated: false }] },
  dnssec: { status: "secure" },
  mailMx: { exchangers: [mailHost] },
  mailSpf: { own: textRecords("site.example", "v=spf1 ip4:192.0.2.1 -all") },
  mailDmarc: { walk: [textRecords("_dmarc.site.example", "v=DMARC1; p=reject; rua=mailto:dmarc@site.example")] },
  mailMtaSts: textRecords("_mta-sts.site.example", "v=STSv1; id=20260101"),
  mailMtaStsPolicy: {
    status: 200,
    contentType: "text/plain",
    body: "version: STSv1\r\nmode: enforce\r\nmx: mail.site.example\r\nmax_age: 604800\r\n",
  },
  mailTlsRpt: textRecords("_smtp._tls.site.example", "v=TLSRPTv1; rua=mailto:tls@site.example"),
  mailDane: { hosts: [{ host: mailHost.host, answer: read(daneHost) }], hostsDropped: 0 },
  securityTxt: { attempts: [securityTxt] },
};

// reaches: test/unit/checks/
const tables = await collectTables(builtInChecks.map(({ key }) => join(import.meta.dirname, `../checks/${key}.test.ts`)));

/** The cases of every check's table: a new check brings the evidence that violates it. */
export const tableCases = tables.flatMap(({ passed, others }) => [...passed, ...others]);

/** First passed cases of the new checks that the flawless site would violate. */
const additions = tables.flatMap(({ check, passed }) => {
  const { ledger } = judgeEvidence(evidence(flawless), { checks: [check], version: "test" }, () => {});
  return ledger[0]?.state === "violated" ? passed.slice(0, 1) : [];
});

export const sound: EvidenceGiven = Object.assign({}, flawless, ...additions, {
  headers: Object.assign({}, soundHeaders, ...additions.map(({ headers }) => headers)),
});

/** Evidence on which every applicable check passes. */
export const soundSite: Evidence = evidence(sound);
