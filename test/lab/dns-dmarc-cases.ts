/** A domain for each rule of DMARC: the record, the tree walk, the policy that comes of it, and where reports go. */
import type { CaseZone, DnsCase, Outcome } from "./dns-case.ts";

type DmarcStates = readonly [dmarc: Outcome, policy: Outcome, reporting: Outcome];

const sound: DmarcStates = ["passed", "passed", "passed"];
const unread: DmarcStates = ["notChecked", "notChecked", "notChecked"];
const absent = (code: string): DmarcStates => [`security.mail.dmarc-${code}`, "notApplicable", "notApplicable"];
const weakPolicy = (code: string): DmarcStates => ["passed", `security.mail.dmarc-${code}`, "passed"];
const deaf = (code: string): DmarcStates => ["passed", "passed", `security.mail.dmarc-${code}`];

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

/** `_dmarc.assay-dmarc-<label>.org` with that record; `OWN` in it stands for the domain. */
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
    sound,
  ),
  dmarcCase(
    "an alias to the record of a provider",
    [
      { name: "assay-dmarc-alias.org", records: "_dmarc IN CNAME customers.assay-dmarc-provider.net." },
      { name: "assay-dmarc-provider.net", records: 'customers IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-dmarc-alias.org"' },
    ],
    sound,
  ),
  recordCase("share", `v=DMARC1; p=reject; pct=0; ${own}`, sound),
  recordCase("case", "v=dmarc1; p=reject", absent("version-invalid")),
  recordCase("order", "p=reject; v=DMARC1", absent("version-invalid")),
  recordCase("reject", `v=DMARC1; p=reject; ${own}`, sound),
  recordCase("spaces", `v=DMARC1 ;p = reject ; ${own};`, sound),
  recordCase("quarantine", `v=DMARC1; p=quarantine; ${own}`, sound),
  recordCase("watch", `v=DMARC1; p=none; ${own}`, weakPolicy("policy-none")),
  recordCase("testing", `v=DMARC1; p=quarantine; t=y; ${own}`, weakPolicy("testing")),
  recordCase("no-policy", `v=DMARC1; ${own}`, weakPolicy("policy-missing")),
  recordCase("misspelt", `v=DMARC1; p=rejct; ${own}`, weakPolicy("policy-invalid")),
  recordCase("no-tag", `v=DMARC1; p=reject; nonsense; ${own}`, weakPolicy("syntax")),
  recordCase("twice", `v=DMARC1; p=reject; p=none; ${own}`, weakPolicy("syntax")),
  recordCase("subdomains-misspelt", `v=DMARC1; p=reject; sp=all; ${own}`, weakPolicy("policy-invalid")),
  recordCase("subdomains-open", `v=DMARC1; p=reject; sp=none; ${own}`, sound),
  recordCase("silent", "v=DMARC1; p=reject", deaf("rua-missing")),
  recordCase("no-scheme", "v=DMARC1; p=reject; rua=reports@OWN", deaf("rua-invalid")),
  recordCase("other-scheme", "v=DMARC1; p=reject; rua=https://OWN/reports", deaf("rua-invalid")),
  recordCase("size", "v=DMARC1; p=reject; rua=mailto:reports@OWN!10m, mailto:second@mail.OWN", sound),
  dmarcCase(
    "a subdomain is scanned: the domain's record holds, and so does its sp",
    [{ name: "assay-dmarc-sub.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=none; rua=mailto:a@assay-dmarc-sub.org"' }],
    weakPolicy("subdomain-policy-none"),
    { host: "www.assay-dmarc-sub.org" },
  ),
  dmarcCase(
    "a subdomain with a record of its own",
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
    "a department that says it is an organisation (psd=n) ends the walk of the names below it",
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
    "a host of eleven labels: eight names are asked at most, and the domain's is among them",
    [{ name: "assay-dmarc-deep.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-dmarc-deep.org"' }],
    sound,
    { host: "a.b.c.d.e.f.g.h.i.assay-dmarc-deep.org" },
  ),
  dmarcCase(
    "reports to another domain that agrees",
    [
      { name: "assay-dmarc-agreed.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-receiver.net"' },
      { name: "assay-receiver.net", records: 'assay-dmarc-agreed.org._report._dmarc IN TXT "v=DMARC1"' },
    ],
    sound,
  ),
  dmarcCase(
    "reports to another domain that agrees to everybody's",
    [
      { name: "assay-dmarc-agreed-all.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-receiver-all.net"' },
      { name: "assay-receiver-all.net", records: '*._report._dmarc IN TXT "v=DMARC1;"' },
    ],
    sound,
  ),
  dmarcCase(
    "reports to another domain that never agreed",
    [
      { name: "assay-dmarc-refused.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-receiver-deaf.net"' },
      { name: "assay-receiver-deaf.net", records: "@ IN A 127.0.0.1" },
    ],
    deaf("rua-unauthorised"),
  ),
  dmarcCase(
    "reports to another domain whose server fails",
    [
      { name: "assay-dmarc-unheard.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:a@assay-receiver-broken.net"' },
      { name: "assay-receiver-broken.net", records: "", unloadable: true },
    ],
    ["passed", "passed", "notChecked"],
  ),
  dmarcCase(
    "the record's own server fails",
    [
      { name: "assay-dmarc-servfail.org", records: "@ IN A 127.0.0.1" },
      { name: "_dmarc.assay-dmarc-servfail.org", records: "", unloadable: true },
    ],
    unread,
  ),
  dmarcCase(
    "the walk ends at a public suffix that speaks for its domains: sp",
    [
      { name: "assay-dmarc-covered.bank", records: "@ IN A 127.0.0.1" },
      { name: "bank", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=quarantine; np=reject; psd=y; rua=mailto:a@bank"' },
    ],
    sound,
  ),
  dmarcCase(
    "a suffix that only watches: its np does not help a domain that exists",
    [
      { name: "assay-dmarc-watched.insurance", records: "@ IN A 127.0.0.1" },
      { name: "insurance", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=none; np=reject; psd=y; rua=mailto:a@insurance"' },
    ],
    weakPolicy("policy-none"),
  ),
  dmarcCase("a domain that does not exist, below a suffix that rejects what does not exist: np", [], sound, {
    host: "assay-dmarc-ghost.insurance",
  }),
];
