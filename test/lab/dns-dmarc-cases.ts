/** A domain for each rule of DMARC: the record, the tree walk, the policy that comes of it, and where reports go. */
import type { CaseZone, DnsCase } from "./dns-case.ts";
import type { States } from "./laboratory.ts";

type DmarcStates = readonly [dmarc: States[string], policy: States[string], reporting: States[string]];

const sound: DmarcStates = ["passed", "passed", "passed"];
const weakPolicy: DmarcStates = ["passed", "violated", "passed"];
const deaf: DmarcStates = ["passed", "passed", "violated"];
const absent: DmarcStates = ["violated", "notApplicable", "notApplicable"];

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
  dmarcCase("no record", [{ name: "assay-dmarc-none.org", records: "@ IN A 127.0.0.1" }], absent),
  dmarcCase(
    "two records",
    [{ name: "assay-dmarc-several.org", records: '_dmarc IN TXT "v=DMARC1; p=reject"\n_dmarc IN TXT "v=DMARC1; p=none"' }],
    absent,
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
  recordCase("case", "v=dmarc1; p=reject", absent),
  recordCase("order", "p=reject; v=DMARC1", absent),
  recordCase("reject", `v=DMARC1; p=reject; ${own}`, sound),
  recordCase("spaces", `v=DMARC1 ;p = reject ; ${own};`, sound),
  recordCase("quarantine", `v=DMARC1; p=quarantine; ${own}`, sound),
  recordCase("watch", `v=DMARC1; p=none; ${own}`, weakPolicy),
  recordCase("testing", `v=DMARC1; p=quarantine; t=y; ${own}`, weakPolicy),
  recordCase("no-policy", `v=DMARC1; ${own}`, weakPolicy),
  recordCase("misspelt", `v=DMARC1; p=rejct; ${own}`, weakPolicy),
  recordCase("subdomains-open", `v=DMARC1; p=reject; sp=none; ${own}`, ["passed", "passed", "passed"]),
  recordCase("silent", "v=DMARC1; p=reject", deaf),
  recordCase("no-scheme", "v=DMARC1; p=reject; rua=reports@OWN", deaf),
  recordCase("other-scheme", "v=DMARC1; p=reject; rua=https://OWN/reports", deaf),
  recordCase("size", "v=DMARC1; p=reject; rua=mailto:reports@OWN!10m, mailto:second@mail.OWN", sound),
  dmarcCase(
    "a subdomain is scanned: the domain's record holds, and so does its sp",
    [{ name: "assay-dmarc-sub.org", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=none; rua=mailto:a@assay-dmarc-sub.org"' }],
    ["passed", "violated", "passed"],
    { host: "www.assay-dmarc-sub.org" },
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
    deaf,
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
    ["notChecked", "notChecked", "notChecked"],
  ),
  dmarcCase(
    "the walk ends at a public suffix that speaks for its domains: sp",
    [
      { name: "assay-dmarc-covered.bank", records: "@ IN A 127.0.0.1" },
      { name: "bank", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=quarantine; np=reject; psd=y; rua=mailto:a@bank"' },
    ],
    ["passed", "passed", "passed"],
  ),
  dmarcCase(
    "a suffix that only watches: its np does not help a domain that exists",
    [
      { name: "assay-dmarc-watched.insurance", records: "@ IN A 127.0.0.1" },
      { name: "insurance", records: '_dmarc IN TXT "v=DMARC1; p=reject; sp=none; np=reject; psd=y; rua=mailto:a@insurance"' },
    ],
    ["passed", "violated", "passed"],
  ),
  dmarcCase("a domain that does not exist, below a suffix that rejects what does not exist: np", [], ["passed", "passed", "passed"], {
    host: "assay-dmarc-ghost.insurance",
  }),
];
