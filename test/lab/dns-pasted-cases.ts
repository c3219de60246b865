/** Domains made of nothing but the records and files that our findings tell people to paste. */
import enGb from "../../locales/en-gb.json" with { type: "json" };
import type { CheckTexts, FindingCode } from "../../src/check/check.ts";
import type { DnsCase } from "./dns-case.ts";

const findings = Object.assign({}, ...Object.values<CheckTexts>(enGb.checks).map((texts) => texts.findings)) as CheckTexts["findings"];

const reportReceiver = "assay-pasted-receiver.net";

/** The lines of a finding that begin so, filled in for the domain. @throws Error when it has none. */
function lines(prefix: string, code: FindingCode, domain: string): readonly string[] {
  const values: Readonly<Record<string, string>> = {
    domain,
    registrableDomain: domain,
    foundAt: domain,
    mailHost: `mail.${domain}`,
    receiver: reportReceiver,
  };
  const remediation = findings[code]?.remediation ?? "";
  const found = remediation.split("\n").filter((line) => line.startsWith(`${prefix}: `));
  if (found.length === 0) throw new Error(`${code} has no line for ${prefix}`);
  return found.map((line) => line.slice(prefix.length + 2).replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? `no ${name}`));
}

const mailServer = "@ IN A 127.0.0.1\n@ IN MX 10 mail\nmail IN A 127.0.0.1\n";

/** `pasted` are the records of each code; where it offers several, `nth` says which. */
function pastedCase(
  label: string,
  name: string,
  pasted: readonly { readonly code: FindingCode; readonly nth?: number }[],
  fileOf: FindingCode,
  expected: DnsCase["expected"],
  host = "",
): DnsCase {
  const domain = `assay-pasted-${label}.org`;
  const records = pasted.flatMap(({ code, nth }) => {
    const all = lines("DNS", code, domain);
    return nth === undefined ? all : [all[nth] ?? ""];
  });
  return {
    name: `pasted: ${name}`,
    host: host + domain,
    zones: [{ name: domain, records: mailServer + records.join("\n") }],
    policyHost: { policy: lines("mta-sts.txt", fileOf, domain).join("\n") },
    expected,
  };
}

const sound = {
  dnssec: "passed",
  "dns-caa": "passed",
  "mail-dmarc": "passed",
  "mail-dmarc-policy": "passed",
  "mail-dmarc-reporting": "passed",
  "mail-mta-sts": "passed",
  "mail-spf": "passed",
  "mail-spf-lookups": "passed",
  "mail-spf-policy": "passed",
  "mail-tls-rpt": "passed",
} as const;

export const pastedDnsCases: readonly DnsCase[] = [
  pastedCase(
    "first",
    "what a domain without any of it is told first",
    [
      { code: "security.dns.caa-missing" },
      { code: "security.mail.spf-missing", nth: 0 },
      { code: "security.mail.dmarc-missing", nth: 0 },
      { code: "security.mail.mta-sts-missing" },
      { code: "security.mail.tls-rpt-missing" },
    ],
    "security.mail.mta-sts-missing",
    sound,
  ),
  pastedCase(
    "mended",
    "what a domain with faults is told",
    [
      { code: "security.dns.caa-parameter-invalid" },
      { code: "security.dns.caa-iodef-invalid" },
      { code: "security.mail.spf-missing", nth: 1 },
      { code: "security.mail.dmarc-policy-missing" },
      { code: "security.mail.mta-sts-record-invalid" },
      { code: "security.mail.mta-sts-policy-host-missing" },
      { code: "security.mail.tls-rpt-syntax" },
    ],
    "security.mail.mta-sts-policy-max-age",
    sound,
  ),
  pastedCase(
    "below",
    "what is told of names below a domain",
    [
      { code: "security.dns.caa-issue-missing" },
      { code: "security.mail.spf-missing", nth: 1 },
      { code: "security.mail.dmarc-subdomain-policy-none" },
      { code: "security.mail.mta-sts-several" },
      { code: "security.mail.tls-rpt-several" },
    ],
    "security.mail.mta-sts-testing",
    sound,
    "www.",
  ),
  pastedCase(
    "observing",
    "the DMARC record to begin with observes, and is told to become stricter",
    [
      { code: "security.dns.caa-missing" },
      { code: "security.mail.spf-missing", nth: 0 },
      { code: "security.mail.dmarc-missing", nth: 1 },
      { code: "security.mail.mta-sts-missing" },
      { code: "security.mail.tls-rpt-missing" },
    ],
    "security.mail.mta-sts-switched-off",
    { ...sound, "mail-dmarc-policy": "security.mail.dmarc-policy-none" },
  ),
  {
    name: "pasted: what a receiver of another domain's reports has to publish",
    zones: [
      { name: "assay-pasted-reports.org", records: `_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@${reportReceiver}"` },
      {
        name: reportReceiver,
        records: lines("DNS", "security.mail.dmarc-rua-unauthorised", "assay-pasted-reports.org").join("\n"),
      },
    ],
    expected: { "mail-dmarc-reporting": "passed" },
  },
];
