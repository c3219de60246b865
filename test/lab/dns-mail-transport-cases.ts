/** A domain for each rule of MTA-STS and TLS reporting, with real policy hosts. */
import type { State } from "../../src/check/check.ts";
import type { CaseZone, DnsCase, PolicyHost } from "./dns-case.ts";

interface Transport {
  /** `assay-sts-<label>.org`; `OWN` in records and policies stands for it. */
  readonly label: string;
  readonly name: string;
  readonly mx?: string;
  readonly record?: string;
  readonly policyHost?: PolicyHost;
  readonly others?: readonly CaseZone[];
  readonly state: State;
}

const policyOf = (...lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join("");
const soundPolicy = policyOf("version: STSv1", "mode: enforce", "mx: mail.OWN", "max_age: 604800");

/** Says all of it rightly, but for what the case says. */
function stsCase({ label, name, mx = "@ IN MX 10 mail", record, policyHost, others = [], state }: Transport): DnsCase {
  const domain = `assay-sts-${label}.org`;
  const records = `${mx}\n${record ?? '_mta-sts IN TXT "v=STSv1; id=20261121T000000"'}`;
  const host = policyHost ?? { policy: soundPolicy };
  return {
    name: `MTA-STS: ${name}`,
    zones: [{ name: domain, records }, ...others],
    policyHost: "policy" in host && typeof host.policy === "string" ? { policy: host.policy.replaceAll("OWN", domain) } : host,
    expected: { "mail-mta-sts": state },
  };
}

/** A policy file that differs. */
function policyCase(label: string, name: string, lines: readonly string[], state: State, mx?: string): DnsCase {
  return stsCase({ label, name, state, policyHost: { policy: policyOf(...lines) }, ...(mx !== undefined && { mx }) });
}

/** Those records beside an MX. */
function reportCase(label: string, name: string, records: readonly string[], state: State, more: Partial<DnsCase> = {}): DnsCase {
  const lines = records.map((record) => `_smtp._tls IN TXT "${record}"`);
  return {
    name: `TLS-RPT: ${name}`,
    ...more,
    zones: [{ name: `assay-rpt-${label}.org`, records: ["@ IN MX 10 mail", ...lines].join("\n") }, ...(more.zones ?? [])],
    expected: { "mail-tls-rpt": state },
  };
}

const stsCases: readonly DnsCase[] = [
  stsCase({ label: "sound", name: "record, policy and mail hosts agree", state: "passed" }),
  stsCase({ label: "no-mail", name: "no MX", mx: "@ IN A 127.0.0.1", state: "notApplicable" }),
  stsCase({ label: "null-mx", name: "null MX", mx: "@ IN MX 0 .", state: "notApplicable" }),
  stsCase({ label: "none", name: "no record", record: "", state: "violated" }),
  stsCase({ label: "no-id", name: "a record without id", record: '_mta-sts IN TXT "v=STSv1;"', state: "violated" }),
  stsCase({ label: "bad-id", name: "an id with a dash", record: '_mta-sts IN TXT "v=STSv1; id=2026-11-21"', state: "violated" }),
  stsCase({
    label: "several",
    name: "two records",
    record: '_mta-sts IN TXT "v=STSv1; id=1"\n_mta-sts IN TXT "v=STSv1; id=2"',
    state: "violated",
  }),
  stsCase({
    label: "refused",
    name: "the policy host refuses connections",
    policyHost: { fault: "connection-refused" },
    state: "violated",
  }),
  stsCase({
    label: "expired",
    name: "the policy host's certificate ran out",
    policyHost: { fault: "expired-certificate" },
    state: "violated",
  }),
  stsCase({
    label: "other-name",
    name: "the policy host's certificate is another's",
    policyHost: { fault: "certificate-for-another-host" },
    state: "violated",
  }),
  stsCase({ label: "slow", name: "the policy host never answers", policyHost: { fault: "never-answers" }, state: "notChecked" }),
  stsCase({ label: "absent", name: "no such file", policyHost: { policy: { status: 404 } }, state: "violated" }),
  stsCase({
    label: "moved",
    name: "a redirect, which must not be followed",
    policyHost: { policy: { status: 302, headers: { location: "https://mta-sts.assay-sts-sound.org/.well-known/mta-sts.txt" } } },
    state: "violated",
  }),
  stsCase({
    label: "webpage",
    name: "a page in its place",
    policyHost: { policy: { headers: { "content-type": "text/html" }, body: "<!doctype html><p>Welcome</p>" } },
    state: "violated",
  }),
  stsCase({ label: "broken", name: "the policy host's server fails", policyHost: { policy: { status: 503 } }, state: "notChecked" }),
  stsCase({
    label: "lines",
    name: "lines that end as on Unix, keys that nobody knows, a type with a character set",
    policyHost: {
      policy: {
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: "version: STSv1\nmode: enforce\nmx: MAIL.assay-sts-lines.ORG\nmax_age: 604800\nfuture: thing\n",
      },
    },
    state: "passed",
  }),
  stsCase({
    label: "flood",
    name: "a file longer than is read",
    policyHost: {
      policy: {
        headers: { "content-type": "text/plain" },
        body: `${soundPolicy.replace("OWN", "assay-sts-flood.org")}${"x: y\r\n".repeat(20_000)}`,
      },
    },
    state: "notChecked",
  }),
  policyCase("age-words", "a max_age in words", ["version: STSv1", "mode: enforce", "mx: mail.OWN", "max_age: one week"], "violated"),
  policyCase("age-long", "a max_age beyond a year", ["version: STSv1", "mode: enforce", "mx: mail.OWN", "max_age: 99999999"], "violated"),
  policyCase("testing", "mode testing", ["version: STSv1", "mode: testing", "mx: mail.OWN", "max_age: 604800"], "violated"),
  policyCase("mode-none", "mode none", ["version: STSv1", "mode: none", "max_age: 604800"], "violated"),
  policyCase("bad-mode", "a mode that does not exist", ["version: STSv1", "mode: strict", "mx: mail.OWN", "max_age: 604800"], "violated"),
  policyCase("no-version", "no version", ["mode: enforce", "mx: mail.OWN", "max_age: 604800"], "violated"),
  policyCase("no-age", "no max_age", ["version: STSv1", "mode: enforce", "mx: mail.OWN"], "violated"),
  policyCase("no-mx", "no mx in the policy", ["version: STSv1", "mode: enforce", "max_age: 604800"], "violated"),
  policyCase("wildcard", "a wildcard for one label", ["version: STSv1", "mode: enforce", "mx: *.OWN", "max_age: 604800"], "passed"),
  policyCase(
    "wildcard-deep",
    "a wildcard does not cover two labels",
    ["version: STSv1", "mode: enforce", "mx: *.OWN", "max_age: 604800"],
    "violated",
    "@ IN MX 10 one.mail",
  ),
  policyCase(
    "unmatched",
    "a mail host that the policy does not name",
    ["version: STSv1", "mode: enforce", "mx: mail.OWN", "max_age: 604800"],
    "violated",
    "@ IN MX 10 mail\n@ IN MX 20 backup",
  ),
  {
    name: "MTA-STS: the policy host does not exist",
    zones: [{ name: "assay-sts-no-host.org", records: '@ IN MX 10 mail\n_mta-sts IN TXT "v=STSv1; id=1"' }],
    expected: { "mail-mta-sts": "violated" },
  },
  stsCase({
    label: "servfail",
    name: "the record's own server fails",
    record: "",
    others: [{ name: "_mta-sts.assay-sts-servfail.org", records: "", unloadable: true }],
    state: "notChecked",
  }),
];

const reportCases: readonly DnsCase[] = [
  reportCase("mail", "reports by mail", ["v=TLSRPTv1; rua=mailto:tls@assay-rpt-mail.org"], "passed"),
  reportCase("https", "reports by https", ["v=TLSRPTv1;rua=https://assay-rpt-https.org/tls,mailto:tls@assay-rpt-https.org"], "passed"),
  reportCase("none", "no record", [], "violated"),
  reportCase("deaf", "a record without rua", ["v=TLSRPTv1;"], "violated"),
  reportCase("scheme", "a scheme that nobody sends to", ["v=TLSRPTv1; rua=http://assay-rpt-scheme.org/tls"], "violated"),
  reportCase("several", "two records", ["v=TLSRPTv1; rua=mailto:a@x.org", "v=TLSRPTv1; rua=mailto:b@x.org"], "violated"),
  reportCase("version", "a version that does not exist", ["v=TLSRPTv2; rua=mailto:tls@assay-rpt-version.org"], "violated"),
  reportCase("servfail", "the record's own server fails", [], "notChecked", {
    zones: [{ name: "_smtp._tls.assay-rpt-servfail.org", records: "", unloadable: true }],
  }),
];

export const mailTransportCases: readonly DnsCase[] = [...stsCases, ...reportCases];
