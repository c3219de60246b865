/** The DNS and mail cases cover every finding and every state of their checks. The laboratory runs the cases themselves. */
import { expect, test } from "vitest";
import dnsCaa from "../../checks/dns-caa.ts";
import dnsNameServers from "../../checks/dns-name-servers.ts";
import dnssec from "../../checks/dnssec.ts";
import ipv6 from "../../checks/ipv6.ts";
import mailDane from "../../checks/mail-dane.ts";
import mailDmarc from "../../checks/mail-dmarc.ts";
import mailDmarcPolicy from "../../checks/mail-dmarc-policy.ts";
import mailDmarcReporting from "../../checks/mail-dmarc-reporting.ts";
import mailMtaSts from "../../checks/mail-mta-sts.ts";
import mailSpf from "../../checks/mail-spf.ts";
import mailSpfLookups from "../../checks/mail-spf-lookups.ts";
import mailSpfPolicy from "../../checks/mail-spf-policy.ts";
import mailTlsRpt from "../../checks/mail-tls-rpt.ts";
import { dnsCases } from "./dns.ts";

const checks = [
  dnsCaa,
  dnsNameServers,
  dnssec,
  ipv6,
  mailDane,
  mailDmarc,
  mailDmarcPolicy,
  mailDmarcReporting,
  mailMtaSts,
  mailSpf,
  mailSpfLookups,
  mailSpfPolicy,
  mailTlsRpt,
];

test.each(checks.map(({ key, findings }) => [key, Object.keys(findings)] as const))("%s: a domain for each finding", (_key, codes) => {
  const covered = new Set(dnsCases.flatMap((dnsCase) => dnsCase.codes ?? []));
  expect(codes.filter((code) => !covered.has(code))).toEqual([]);
});

test.each(checks.map(({ key }) => key))("%s: a domain for each state", (key) => {
  const states = new Set(dnsCases.map(({ expected }) => expected[key]));
  expect([...states].filter((state) => state !== undefined).sort()).toEqual(["notApplicable", "notChecked", "passed", "violated"]);
});

test("every case name is unique", () => {
  const names = dnsCases.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
