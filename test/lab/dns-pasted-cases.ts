/** Laboratory domains with only the records and files from the remediations of our findings. */
import enGb from "../../locales/en-gb.json" with { type: "json" };
import type { CheckTexts, FindingCode } from "../../src/check/check.ts";
import type { DnsCase } from "./dns-case.ts";

const findings = Object.assign({}, ...Object.values<CheckTexts>(enGb.checks).map((texts) => texts.findings)) as CheckTexts["findings"];

const reportReceiver = "assay-pasted-receiver.net";

/** Lines of a finding with that prefix, with the domain's values. @throws Error if it has none. */
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

/** `pasted` lists findings with their records; `nth` selects one of several records. */
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
    "the first advice for a domain without records",
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
    "faulty",
    "the advice for a domain with faulty records",
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
    "the advice for subdomains",
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
    "the first DMARC record, which has the policy none",
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
    name: "pasted: the authorisation record of a report receiver",
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
