/** Laboratory domains for the rules of DMARC: record, tree walk, effective policy and report addresses. */
import type { CaseZone, DnsCase, Outcome } from "./dns-case.ts";

type DmarcStates = readonly [dmarc: Outcome, policy: Outcome, reporting: Outcome];

const allPassed: DmarcStates = ["passed", "passed", "passed"];
const undecided: DmarcStates = ["notChecked", "notChecked", "notChecked"];
const absent = (code: string): DmarcStates => [`security.mail.dmarc-${code}`, "notApplicable", "notApplicable"];
const weakPolicy = (code: string): DmarcStates => ["passed", `security.mail.dmarc-${code}`, "passed"];
const weakReporting = (code: string): DmarcStates => ["passed", "passed", `security.mail.dmarc-${code}`];

function dmarcCase(
  name: string,
  zones: readonly CaseZone[],
  [dmarc, policy, reporting]: DmarcStates,
  more: Partial<DnsCase> = {},
): DnsCase {
  return {
    name: `DMARC: ${name}`,
    ...more,
    zones,
    expected: { "mail-dmarc": dmarc, "mail-dmarc-policy": policy, "mail-dmarc-reporting": reporting },
  };
}

/** `_dmarc.assay-dmarc-<label>.org` with that record; `OWN` in it is replaced by the domain. */
function recordCase(label: string, record: string, states: DmarcStates): DnsCase {
  const name = `assay-dmarc-${label}.org`;
  const text = record.replaceAll("OWN", name);
  return dmarcCase(text, [{ name, records: `_dmarc IN TXT "${text}"` }], states);
}

const own = "rua=mailto:reports@OWN";

export const dmarcCases: readonly DnsCase[] = [
  dmarcCase("no record", [{ name: "assay-dmarc-none.org", records: "@ IN A 127.0.0.1" }], absent("missing")),
  dmarcCase(
    "two records",
    [{ name: "assay-dmarc-several.org", records: '_dmarc IN TXT "v=DMARC1; p=reject"\n_dmarc IN TXT "v=DMARC1; p=none"' }],
    absent("several"),
  ),
  dmarcCase(
    "one record among other texts",
    [
      {
        name: "assay-dmarc-beside.org",
        records: '_dmarc IN TXT "v=spf1 -all"\n_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-dmarc-beside.org"',
      },
    ],
    allPassed,
  ),
  dmarcCase(
    "an alias to the record of a provider",
    [
      { name: "assay-dmarc-alias.org", records: "_dmarc IN CNAME customers.assay-dmarc-provider.net." },
      { name: "assay-dmarc-provider.net", records: 'customers IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-dmarc-alias.org"' },
    ],
    allPassed,
  ),
  recordCase("share", `v=DMARC1; p=reject; pct=0; ${own}`, allPassed),
  recordCase("case", "v=dmarc1; p=reject", absent("version-invalid")),
  recordCase("order", "p=reject; v=DMARC1", absent("version-invalid")),
  recordCase("reject", `v=DMARC1; p=reject; ${own}`, allPassed),
  recordCase("spaces", `v=DMARC1 ;p = reject ; ${own};`, allPassed),
  recordCase("quarantine", `v=DMARC1; p=quarantine; ${own}`, allPassed),
  recordCase("watch", `v=DMARC1; p=none; ${own}`, weakPolicy("policy-none")),
  recordCase("testing", `v=DMARC1; p=quarantine; t=y; ${own}`, weakPolicy("testing")),
  recordCase("no-policy", `v=DMARC1; ${own}`, weakPolicy("policy-missing")),
  recordCase("misspelt", `v=DMARC1; p=rejct; ${own}`, weakPolicy("policy-invalid")),
  recordCase("no-tag", `v=DMARC1; p=reject; nonsense; ${own}`, weakPolicy("syntax")),
  recordCase("twice", `v=DMARC1; p=reject; p=none; ${own}`, weakPolicy("syntax")),
  recordCase("subdomains-misspelt", `v=DMARC1; p=reject; sp=all; ${own}`, weakPolicy("policy-invalid")),
  recordCase("subdomains-open", `v=DMARC1; p=reject; sp=none; ${own}`, weakPolicy("subdomain-policy-none")),
  recordCase("subdomains-weaker", `v=DMARC1; p=reject; np=quarantine; ${own}`, weakPolicy("subdomain-policy-weaker")),
  recordCase("silent", "v=DMARC1; p=reject", weakReporting("rua-missing")),
  recordCase("no-scheme", "v=DMARC1; p=reject; rua=reports@OWN", weakReporting("rua-invalid")),
  recordCase("other-scheme", "v=DMARC1; p=reject; rua=https://OWN/reports", weakReporting("rua-invalid")),
  recordCase("partly", "v=DMARC1; p=reject; rua=mailto:reports@OWN,second@OWN", weakReporting("rua-partly-invalid")),
  recordCase("size", "v=DMARC1; p=reject; rua=mailto:reports@OWN!10m, mailto:second@mail.OWN", allPassed),
  dmarcCase(
    "a scanned subdomain: the sp of the domain's record applies",
    [{ name: "assay-dmarc-sub.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=none; rua=mailto:a@assay-dmarc-sub.org"' }],
    weakPolicy("subdomain-policy-none"),
    { host: "www.assay-dmarc-sub.org" },
  ),
  dmarcCase(
    "a subdomain with its own record",
    [
      {
        name: "assay-dmarc-own.org",
        records: `_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-dmarc-own.org"
          _dmarc.www IN TXT "v=DMARC1; p=none; rua=mailto:a@assay-dmarc-own.org"`,
      },
    ],
    weakPolicy("subdomain-policy-none"),
    { host: "www.assay-dmarc-own.org" },
  ),
  dmarcCase(
    "psd=n of a subdomain ends the walk of the names below it",
    [
      {
        name: "assay-dmarc-department.org",
        records: `_dmarc IN TXT "v=DMARC1; p=none; rua=mailto:a@assay-dmarc-department.org"
          _dmarc.lab IN TXT "v=DMARC1; p=reject; psd=n; rua=mailto:a@assay-dmarc-department.org"`,
      },
    ],
    weakPolicy("policy-none"),
    { host: "www.lab.assay-dmarc-department.org" },
  ),
  dmarcCase(
    "a host of eleven labels: at most eight queries, including one for the domain",
    [{ name: "assay-dmarc-deep.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-dmarc-deep.org"' }],
    allPassed,
    { host: "a.b.c.d.e.f.g.h.i.assay-dmarc-deep.org" },
  ),
  dmarcCase(
    "reports to another domain with authorisation",
    [
      { name: "assay-dmarc-agreed.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-receiver.net"' },
      { name: "assay-receiver.net", records: 'assay-dmarc-agreed.org._report._dmarc IN TXT "v=DMARC1"' },
    ],
    allPassed,
  ),
  dmarcCase(
    "reports to another domain that authorises all domains",
    [
      { name: "assay-dmarc-agreed-all.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-receiver-all.net"' },
      { name: "assay-receiver-all.net", records: '*._report._dmarc IN TXT "v=DMARC1;"' },
    ],
    allPassed,
  ),
  dmarcCase(
    "reports to another domain without authorisation",
    [
      { name: "assay-dmarc-refused.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-receiver-refusing.net"' },
      { name: "assay-receiver-refusing.net", records: "@ IN A 127.0.0.1" },
    ],
    weakReporting("rua-unauthorised"),
  ),
  dmarcCase(
    "reports to another domain with a failing server",
    [
      { name: "assay-dmarc-unheard.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-receiver-broken.net"' },
      { name: "assay-receiver-broken.net", records: "", unloadable: true },
    ],
    ["passed", "passed", "notChecked"],
  ),
  dmarcCase(
    "the record's server fails",
    [
      { name: "assay-dmarc-servfail.org", records: "@ IN A 127.0.0.1" },
      { name: "_dmarc.assay-dmarc-servfail.org", records: "", unloadable: true },
    ],
    undecided,
  ),
  dmarcCase(
    "the walk ends at a public suffix with a policy: sp",
    [
      { name: "assay-dmarc-covered.bank", records: "@ IN A 127.0.0.1" },
      { name: "bank", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=quarantine; np=reject; psd=y; rua=mailto:a@bank"' },
    ],
    allPassed,
  ),
  dmarcCase(
    "a suffix with sp=none: its np does not apply to existing domains",
    [
      { name: "assay-dmarc-watched.insurance", records: "@ IN A 127.0.0.1" },
      { name: "insurance", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=none; np=reject; psd=y; rua=mailto:a@insurance"' },
    ],
    weakPolicy("policy-none"),
  ),
  dmarcCase("a domain that does not exist, below a suffix with np=reject", [], allPassed, {
    host: "assay-dmarc-ghost.insurance",
  }),
];
