/** Record, policy file and mail hosts must agree, and the policy must be enforced. */
import check from "../../../checks/mail-mta-sts.ts";
import type { MailMtaStsPolicyFacts } from "../../../src/evidence/http-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { textRecords } from "../../support/evidence.ts";

const domain = "shop.com";
const policyUrl = `https://mta-sts.${domain}/.well-known/mta-sts.txt`;
const record = "v=STSv1; id=20261121";
const lines = (...given: string[]) => given.map((line) => `${line}\r\n`).join("");
const sound = ["version: STSv1", "mode: enforce", "mx: mail.shop.com", "max_age: 604800"];
const without = (key: string, ...added: string[]) => [...sound.filter((line) => !line.startsWith(`${key}:`)), ...added];

interface Given {
  readonly hosts?: readonly string[];
  readonly records?: readonly string[];
  readonly body?: string;
  readonly policy?: Partial<MailMtaStsPolicyFacts>;
}

const mail = ({ hosts = ["mail.shop.com"], records = [record], body = lines(...sound), policy = {} }: Given = {}) => ({
  url: `https://${domain}/`,
  registrableDomain: domain,
  mailMx: { domain, exchangers: hosts.map((host) => ({ preference: 10, host })) },
  mailMtaSts: textRecords(`_mta-sts.${domain}`, ...records),
  mailMtaStsPolicy: { status: 200, contentType: "text/plain; charset=utf-8", body, ...policy },
});
const policyOf = (...given: string[]) => mail({ body: lines(...given) });
const unavailable = (because: MailMtaStsPolicyFacts["unavailableBecause"]) =>
  mail({ policy: { unavailableBecause: because, status: 0, contentType: null, body: "" } });
const answers = (status: number, more: Partial<MailMtaStsPolicyFacts> = {}) => mail({ policy: { status, body: "", ...more } });

testCheck(check, {
  passed: [
    ["valid record and policy", mail()],
    ["line feeds only, unknown keys, no line end after the last line", mail({ body: `${sound.join("\n")}\nfuture: yes` })],
    ["the first of repeated keys counts", policyOf(...sound, "mode: none", "version: STSv2", "max_age: x")],
    ["a wildcard for exactly one label", policyOf(...without("mx", "mx: *.shop.com"))],
    ["several hosts, in capitals", mail({ hosts: ["mail.shop.com", "mx.other.net"], body: lines(...sound, "mx: MX.Other.net") })],
    ["a record with an unknown field, among other texts", mail({ records: ["hello", `${record}; x=1;`] })],
    ["the maximum age", policyOf(...without("max_age", "max_age: 31557600"))],
  ],
  notApplicable: [
    ["no MX", mail({ hosts: [], records: [] })],
    ["null MX", mail({ hosts: [""], records: [] })],
    ["null MX, although other readings failed", { ...mail({ hosts: [""] }), mailMtaSts: "timeout", mailMtaStsPolicy: "not-asked" }],
    ["an IP address", { url: "https://192.0.2.1/", registrableDomain: null }],
  ],
  notChecked: [
    ["the record query failed", { ...mail(), mailMtaSts: "timeout", mailMtaStsPolicy: "not-asked" }],
    ["the policy request failed", { ...mail(), mailMtaStsPolicy: "timeout" }],
    ["a server error", answers(503)],
    ["a rate limit", answers(429)],
    ["a cut policy", mail({ policy: { truncated: true } })],
    ["texts were dropped", { ...mail(), mailMtaSts: { ...textRecords("n", record), recordsDropped: 1 } }],
    ["mail hosts were dropped", { ...mail(), mailMx: { ...mail().mailMx, exchangersDropped: 1 } }],
    ["a cut record", { ...mail(), mailMtaSts: { ...textRecords("n"), records: [{ text: record, truncated: true }] } }],
  ],
  violated: {
    "security.mail.mta-sts-missing": [["no record", mail({ records: [] }), { values: { domain, mailHost: "mail.shop.com" } }]],
    "security.mail.mta-sts-several": [["two", mail({ records: [record, "v=STSv1; id=2"] }), { values: { count: 2 } }]],
    "security.mail.mta-sts-version-invalid": [
      ["another version", mail({ records: ["v=STSv2; id=1"] }), { values: { record: "v=STSv2; id=1" } }],
      ["lower case", mail({ records: ["v=stsv1; id=1"] })],
    ],
    "security.mail.mta-sts-record-invalid": [
      ["no id", mail({ records: ["v=STSv1;"] }), { values: { record: "v=STSv1;" } }],
      ["an id with hyphens", mail({ records: ["v=STSv1; id=2026-11-21"] })],
      ["an id of 33 characters", mail({ records: [`v=STSv1; id=${"1".repeat(33)}`] })],
      ["two ids", mail({ records: ["v=STSv1; id=1; id=2"] })],
      ["invalid grammar", mail({ records: ["v=STSv1; id"] })],
      ["a record fault, although the policy failed", { ...mail({ records: ["v=STSv1;"] }), mailMtaStsPolicy: "timeout" }],
    ],
    "security.mail.mta-sts-policy-host-missing": [
      ["no address for the policy host", unavailable("no-host"), { values: { policyUrl, domain } }],
    ],
    "security.mail.mta-sts-policy-host-refused": [["refused", unavailable("refused")]],
    "security.mail.mta-sts-policy-certificate": [["not accepted", unavailable("certificate-not-accepted")]],
    "security.mail.mta-sts-policy-redirect": [
      ["a redirect, which must not be followed", answers(301), { values: { status: 301, policyUrl } }],
    ],
    "security.mail.mta-sts-policy-status": [["not found", answers(404), { values: { status: 404 } }]],
    "security.mail.mta-sts-policy-content-type": [
      ["an HTML page", mail({ policy: { contentType: "text/html" } }), { values: { contentType: "text/html" } }],
      ["none", mail({ policy: { contentType: null } })],
    ],
    "security.mail.mta-sts-policy-line": [["no colon", policyOf(...sound, "hello"), { values: { part: "hello", policyUrl } }]],
    "security.mail.mta-sts-policy-version": [
      ["a well-known tool does not check it", policyOf(...without("version")), { values: { part: "version" } }],
      ["another version", policyOf(...without("version", "version: STSv2")), { values: { part: "STSv2" } }],
    ],
    "security.mail.mta-sts-policy-mode": [
      ["a well-known tool does not check it", policyOf(...without("mode"))],
      ["unknown", policyOf(...without("mode", "mode: strict")), { values: { part: "strict" } }],
      ["in capitals", policyOf(...without("mode", "mode: Enforce"))],
    ],
    "security.mail.mta-sts-policy-max-age": [
      ["a well-known tool does not check it", policyOf(...without("max_age"))],
      ["letters", policyOf(...without("max_age", "max_age: 1w"))],
      ["more than a year", policyOf(...without("max_age", "max_age: 31557601")), { values: { part: "31557601" } }],
      ["zero, which expires at once", policyOf(...without("max_age", "max_age: 0"))],
    ],
    "security.mail.mta-sts-policy-mx": [
      ["a well-known tool does not check it", policyOf(...without("mx"))],
      ["a wildcard in the middle", policyOf(...without("mx", "mx: mail.*.com")), { values: { part: "mail.*.com" } }],
      ["an IP address", policyOf(...sound, "mx: <mail@shop.com>")],
      [
        "an empty file",
        mail({ body: "" }),
        {
          also: ["security.mail.mta-sts-policy-version", "security.mail.mta-sts-policy-mode", "security.mail.mta-sts-policy-max-age"],
        },
      ],
    ],
    "security.mail.mta-sts-testing": [["testing", policyOf(...without("mode", "mode: testing")), { values: { policyUrl } }]],
    "security.mail.mta-sts-switched-off": [
      ["mode none requires no hosts", policyOf("version: STSv1", "mode: none", "max_age: 86400"), { values: { domain } }],
      ["mode none is the only finding", policyOf(...without("mode", "mode: none"), "mx: other.net")],
    ],
    "security.mail.mta-sts-mx-not-covered": [
      [
        "one of two",
        mail({ hosts: ["mail.shop.com", "backup.shop.com"] }),
        { values: { uncovered: "backup.shop.com", mx: "mail.shop.com" } },
      ],
      ["a wildcard does not cover two labels", mail({ hosts: ["a.b.shop.com"], body: lines(...without("mx", "mx: *.shop.com")) })],
      ["a wildcard does not cover its own domain", mail({ hosts: ["shop.com"], body: lines(...without("mx", "mx: *.shop.com")) })],
      [
        "a well-known tool matches only the end of a host: its patterns are unanchored",
        mail({ hosts: ["evil-mail.shop.com.attacker.net"], body: lines(...without("mx", "mx: *.shop.com")) }),
      ],
      [
        "in testing mode",
        mail({ hosts: ["mx.other.net"], body: lines(...without("mode", "mode: testing")) }),
        { also: ["security.mail.mta-sts-testing"] },
      ],
      [
        "uncovered, although hosts were dropped",
        { ...mail({ hosts: ["mx.other.net"] }), mailMx: { ...mail({ hosts: ["mx.other.net"] }).mailMx, exchangersDropped: 2 } },
      ],
    ],
  },
});
