/** Laboratory domains for the rules of MTA-STS and TLS reporting, with real policy hosts. */
import type { CaseZone, DnsCase, Outcome, PolicyHost } from "./dns-case.ts";

interface MtaStsCase {
  /** Label of the domain `assay-sts-<label>.org`, which replaces `OWN` in records and policies. */
  readonly label: string;
  readonly name: string;
  readonly mx?: string;
  readonly record?: string;
  readonly policyHost?: PolicyHost;
  readonly others?: readonly CaseZone[];
  readonly outcome: Outcome;
}

const policyOf = (...lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join("");
const soundPolicy = policyOf("version: STSv1", "mode: enforce", "mx: mail.OWN", "max_age: 604800");

/** A valid configuration, except for the given parts. */
function stsCase({ label, name, mx = "@ IN MX 10 mail", record, policyHost, others = [], outcome }: MtaStsCase): DnsCase {
  const domain = `assay-sts-${label}.org`;
  const records = `${mx}\n${record ?? '_mta-sts IN TXT "v=STSv1; id=20261121T000000"'}`;
  const host = policyHost ?? { policy: soundPolicy };
  return {
    name: `MTA-STS: ${name}`,
    zones: [{ name: domain, records }, ...others],
    policyHost: "policy" in host && typeof host.policy === "string" ? { policy: host.policy.replaceAll("OWN", domain) } : host,
    expected: { "mail-mta-sts": outcome },
  };
}

/** A case with another policy file. */
function policyCase(label: string, name: string, lines: readonly string[], outcome: Outcome, mx?: string): DnsCase {
  return stsCase({ label, name, outcome, policyHost: { policy: policyOf(...lines) }, ...(mx !== undefined && { mx }) });
}

/** The records and an MX. */
function reportCase(label: string, name: string, records: readonly string[], outcome: Outcome, more: Partial<DnsCase> = {}): DnsCase {
  const lines = records.map((record) => `_smtp._tls IN TXT "${record}"`);
  return {
    name: `TLS-RPT: ${name}`,
    ...more,
    zones: [{ name: `assay-rpt-${label}.org`, records: ["@ IN MX 10 mail", ...lines].join("\n") }, ...(more.zones ?? [])],
    expected: { "mail-tls-rpt": outcome },
  };
}

const stsCases: readonly DnsCase[] = [
  stsCase({ label: "sound", name: "record, policy and mail hosts agree", outcome: "passed" }),
  stsCase({ label: "no-mail", name: "no MX", mx: "@ IN A 127.0.0.1", outcome: "notApplicable" }),
  stsCase({ label: "null-mx", name: "null MX", mx: "@ IN MX 0 .", outcome: "notApplicable" }),
  stsCase({ label: "none", name: "no record", record: "", outcome: "security.mail.mta-sts-missing" }),
  stsCase({
    label: "version",
    name: "a version that does not exist",
    record: '_mta-sts IN TXT "v=STSv2; id=1"',
    outcome: "security.mail.mta-sts-version-invalid",
  }),
  stsCase({
    label: "no-id",
    name: "a record without id",
    record: '_mta-sts IN TXT "v=STSv1;"',
    outcome: "security.mail.mta-sts-record-invalid",
  }),
  stsCase({
    label: "bad-id",
    name: "an id with a dash",
    record: '_mta-sts IN TXT "v=STSv1; id=2026-11-21"',
    outcome: "security.mail.mta-sts-record-invalid",
  }),
  stsCase({
    label: "several",
    name: "two records",
    record: '_mta-sts IN TXT "v=STSv1; id=1"\n_mta-sts IN TXT "v=STSv1; id=2"',
    outcome: "security.mail.mta-sts-several",
  }),
  stsCase({
    label: "refused",
    name: "the policy host refuses connections",
    policyHost: { fault: "connection-refused" },
    outcome: "security.mail.mta-sts-policy-host-refused",
  }),
  stsCase({
    label: "expired",
    name: "the policy host's certificate has expired",
    policyHost: { fault: "expired-certificate" },
    outcome: "security.mail.mta-sts-policy-certificate",
  }),
  stsCase({
    label: "other-name",
    name: "the policy host's certificate has another name",
    policyHost: { fault: "certificate-for-another-host" },
    outcome: "security.mail.mta-sts-policy-certificate",
  }),
  stsCase({ label: "slow", name: "the policy host never answers", policyHost: { fault: "never-answers" }, outcome: "notChecked" }),
  stsCase({
    label: "absent",
    name: "no policy file",
    policyHost: { policy: { status: 404 } },
    outcome: "security.mail.mta-sts-policy-status",
  }),
  stsCase({
    label: "moved",
    name: "a redirect, which must not be followed",
    policyHost: { policy: { status: 302, headers: { location: "https://mta-sts.assay-sts-sound.org/.well-known/mta-sts.txt" } } },
    outcome: "security.mail.mta-sts-policy-redirect",
  }),
  stsCase({
    label: "webpage",
    name: "a page instead of the file",
    policyHost: { policy: { headers: { "content-type": "text/html" }, body: "<!doctype html><p>Welcome</p>" } },
    outcome: "security.mail.mta-sts-policy-content-type",
  }),
  stsCase({ label: "broken", name: "the policy host's server fails", policyHost: { policy: { status: 503 } }, outcome: "notChecked" }),
  stsCase({
    label: "lines",
    name: "LF line ends, an unknown key, a content type with charset",
    policyHost: {
      policy: {
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: "version: STSv1\nmode: enforce\nmx: MAIL.assay-sts-lines.ORG\nmax_age: 604800\nfuture: thing\n",
      },
    },
    outcome: "passed",
  }),
  stsCase({
    label: "flood",
    name: "a file longer than the limit",
    policyHost: {
      policy: {
        headers: { "content-type": "text/plain" },
        body: `${soundPolicy.replace("OWN", "assay-sts-flood.org")}${"x: y\r\n".repeat(20_000)}`,
      },
    },
    outcome: "notChecked",
  }),
  policyCase(
    "age-words",
    "a max_age in words",
    ["version: STSv1", "mode: enforce", "mx: mail.OWN", "max_age: one week"],
    "security.mail.mta-sts-policy-max-age",
  ),
  policyCase(
    "age-long",
    "a max_age beyond a year",
    ["version: STSv1", "mode: enforce", "mx: mail.OWN", "max_age: 99999999"],
    "security.mail.mta-sts-policy-max-age",
  ),
  policyCase(
    "testing",
    "mode testing",
    ["version: STSv1", "mode: testing", "mx: mail.OWN", "max_age: 604800"],
    "security.mail.mta-sts-testing",
  ),
  policyCase("mode-none", "mode none", ["version: STSv1", "mode: none", "max_age: 604800"], "security.mail.mta-sts-switched-off"),
  policyCase(
    "bad-mode",
    "a mode that does not exist",
    ["version: STSv1", "mode: strict", "mx: mail.OWN", "max_age: 604800"],
    "security.mail.mta-sts-policy-mode",
  ),
  policyCase("no-version", "no version", ["mode: enforce", "mx: mail.OWN", "max_age: 604800"], "security.mail.mta-sts-policy-version"),
  policyCase("no-age", "no max_age", ["version: STSv1", "mode: enforce", "mx: mail.OWN"], "security.mail.mta-sts-policy-max-age"),
  policyCase(
    "bad-line",
    "a line without a colon",
    ["version: STSv1", "mode: enforce", "mx mail.OWN", "mx: mail.OWN", "max_age: 604800"],
    "security.mail.mta-sts-policy-line",
  ),
  policyCase(
    "bad-mx",
    "a pattern with a wildcard inside",
    ["version: STSv1", "mode: enforce", "mx: mail.*.OWN", "max_age: 604800"],
    "security.mail.mta-sts-policy-mx",
  ),
  policyCase("no-mx", "no mx in the policy", ["version: STSv1", "mode: enforce", "max_age: 604800"], "security.mail.mta-sts-policy-mx"),
  policyCase("wildcard", "a wildcard for one label", ["version: STSv1", "mode: enforce", "mx: *.OWN", "max_age: 604800"], "passed"),
  policyCase(
    "wildcard-deep",
    "a wildcard does not cover two labels",
    ["version: STSv1", "mode: enforce", "mx: *.OWN", "max_age: 604800"],
    "security.mail.mta-sts-mx-not-covered",
    "@ IN MX 10 one.mail",
  ),
  policyCase(
    "unmatched",
    "a mail host that the policy does not cover",
    ["version: STSv1", "mode: enforce", "mx: mail.OWN", "max_age: 604800"],
    "security.mail.mta-sts-mx-not-covered",
    "@ IN MX 10 mail\n@ IN MX 20 backup",
  ),
  {
    name: "MTA-STS: the policy host does not exist",
    zones: [{ name: "assay-sts-no-host.org", records: '@ IN MX 10 mail\n_mta-sts IN TXT "v=STSv1; id=1"' }],
    expected: { "mail-mta-sts": "security.mail.mta-sts-policy-host-missing" },
  },
  {
    name: "MTA-STS: the policy host has no address",
    zones: [{ name: "assay-sts-no-address.org", records: '@ IN MX 10 mail\n_mta-sts IN TXT "v=STSv1; id=1"\nmta-sts IN TXT "later"' }],
    expected: { "mail-mta-sts": "security.mail.mta-sts-policy-host-missing" },
  },
  {
    name: "MTA-STS: the name server of the policy host fails",
    zones: [
      { name: "assay-sts-lost-host.org", records: '@ IN MX 10 mail\n_mta-sts IN TXT "v=STSv1; id=1"' },
      { name: "mta-sts.assay-sts-lost-host.org", records: "", unloadable: true },
    ],
    expected: { "mail-mta-sts": "notChecked" },
  },
  stsCase({
    label: "servfail",
    name: "the record's name server fails",
    record: "",
    others: [{ name: "_mta-sts.assay-sts-servfail.org", records: "", unloadable: true }],
    outcome: "notChecked",
  }),
];

const reportCases: readonly DnsCase[] = [
  reportCase("mail", "reports by mail", ["v=TLSRPTv1; rua=mailto:tls@assay-rpt-mail.org"], "passed"),
  reportCase("https", "reports by https", ["v=TLSRPTv1;rua=https://assay-rpt-https.org/tls,mailto:tls@assay-rpt-https.org"], "passed"),
  reportCase("none", "no record", [], "security.mail.tls-rpt-missing"),
  reportCase("deaf", "a record without rua", ["v=TLSRPTv1;"], "security.mail.tls-rpt-rua-missing"),
  reportCase(
    "scheme",
    "a scheme that senders do not support",
    ["v=TLSRPTv1; rua=http://assay-rpt-scheme.org/tls"],
    "security.mail.tls-rpt-rua-invalid",
  ),
  reportCase(
    "several",
    "two records",
    ["v=TLSRPTv1; rua=mailto:a@x.org", "v=TLSRPTv1; rua=mailto:b@x.org"],
    "security.mail.tls-rpt-several",
  ),
  reportCase(
    "version",
    "a version that does not exist",
    ["v=TLSRPTv2; rua=mailto:tls@assay-rpt-version.org"],
    "security.mail.tls-rpt-version-invalid",
  ),
  reportCase("syntax", "no equals sign", ["v=TLSRPTv1; rua mailto:tls@assay-rpt-syntax.org"], "security.mail.tls-rpt-syntax"),
  reportCase("servfail", "the record's name server fails", [], "notChecked", {
    zones: [{ name: "_smtp._tls.assay-rpt-servfail.org", records: "", unloadable: true }],
  }),
];

export const mailTransportCases: readonly DnsCase[] = [...stsCases, ...reportCases];
