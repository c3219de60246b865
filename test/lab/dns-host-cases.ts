/** Laboratory domains for DANE of mail hosts, IPv6 addresses and name servers. */
import type { DnsCase } from "./dns-case.ts";

const digest = "ab".repeat(32);
const mail = "@ IN MX 10 mail\nmail IN A 127.0.0.1\n";
const usable = `_25._tcp.mail IN TLSA 3 1 1 ${digest}`;

/** A signed domain with one mail host and these records. */
function daneCase(
  label: string,
  name: string,
  records: string,
  outcome: DnsCase["expected"][string],
  more: Partial<DnsCase> = {},
): DnsCase {
  return {
    name: `DANE: ${name}`,
    ...more,
    zones: [{ name: `assay-dane-${label}.org`, records }, ...(more.zones ?? [])],
    expected: { "mail-dane": outcome, ...more.expected },
  };
}

const daneCases: readonly DnsCase[] = [
  daneCase("key", "the key of the mail host", mail + usable, "passed", { expected: { dnssec: "passed" } }),
  daneCase("authority", "its authority, with SHA-512", `${mail}_25._tcp.mail IN TLSA 2 0 2 ${"ab".repeat(64)}`, "passed"),
  daneCase("whole", "the whole key, shortened in the evidence", `${mail}_25._tcp.mail IN TLSA 3 1 0 30820100${"ab".repeat(256)}`, "passed"),
  daneCase("alias", "records behind an alias", `${mail}_25._tcp.mail IN CNAME dane\ndane IN TLSA 3 1 1 ${digest}`, "passed"),
  daneCase("none", "no records", mail, "security.mail.dane-missing"),
  daneCase("short", "a digest of another length", `${mail}_25._tcp.mail IN TLSA 3 1 1 abcd`, "security.mail.dane-malformed"),
  daneCase("pkix", "usages that mail does not have", `${mail}_25._tcp.mail IN TLSA 1 1 1 ${digest}`, "security.mail.dane-unusable"),
  daneCase("no-mail", "no mail", "@ IN MX 0 .", "notApplicable"),
  daneCase("hidden", "a resolver that does not validate", mail + usable, "notChecked", { resolvers: ["unvalidating"] }),
  daneCase("tampered", "records that were changed after signing", "@ IN MX 10 mail.assay-dane-forged.org.", "notChecked", {
    zones: [{ name: "assay-dane-forged.org", records: mail + usable, tampered: [`3 1 1 ${digest}`, `3 1 1 ${"cd".repeat(32)}`] }],
  }),
  daneCase("split", "records in an unsigned zone below the mail host", mail, "security.mail.dane-missing", {
    zones: [{ name: "_tcp.mail.assay-dane-split.org", records: `_25 IN TLSA 3 1 1 ${digest}`, delegation: "unsigned" }],
  }),
  daneCase(
    "some",
    "one of two mail hosts in an unsigned zone",
    `${mail + usable}\n@ IN MX 20 mail.assay-dane-plain.org.`,
    "security.mail.dane-host-unsigned",
    { zones: [{ name: "assay-dane-plain.org", records: "mail IN A 127.0.0.1", delegation: "unsigned" }] },
  ),
  daneCase(
    "moved",
    "the mail host is a signed alias of an unsigned one",
    `@ IN MX 10 mail\nmail IN CNAME mail.assay-dane-away.org.\n${usable}`,
    "passed",
    {
      zones: [{ name: "assay-dane-away.org", records: "mail IN A 127.0.0.1", delegation: "unsigned" }],
    },
  ),
  {
    name: "DANE: an unsigned domain and mail host",
    zones: [{ name: "assay-dane-unsigned.org", records: mail + usable, delegation: "unsigned" }],
    expected: { dnssec: "security.dns.dnssec-missing", "mail-dane": "notApplicable" },
  },
  {
    name: "DANE: an unsigned domain with a signed mail host",
    zones: [
      { name: "assay-dane-guest.org", records: "@ IN MX 10 mail.assay-dane-provider.org.", delegation: "unsigned" },
      { name: "assay-dane-provider.org", records: `mail IN A 127.0.0.1\n${usable}` },
    ],
    expected: { dnssec: "security.dns.dnssec-missing", "mail-dane": "passed" },
  },
];

/** Every zone has the name server `ns` at 127.53.53.53. */
const hostCases: readonly DnsCase[] = [
  {
    name: "name servers in two networks, and IPv6",
    zones: [
      {
        name: "assay-hosts.org",
        records: "@ IN A 127.0.0.1\n@ IN AAAA 2001:db8::1\n@ IN NS ns2\nns2 IN A 127.99.0.1\nns2 IN AAAA 2001:db8::53",
      },
    ],
    expected: { "dns-name-servers": "passed", ipv6: "passed" },
  },
  {
    name: "one name server, and no IPv6 at the host",
    zones: [{ name: "assay-hosts-single.org", records: "@ IN A 127.0.0.1\nns IN AAAA 2001:db8::53" }],
    expected: { "dns-name-servers": "security.dns.name-server-single", ipv6: "security.dns.ipv6-host-missing" },
  },
  {
    name: "name servers in one network, without IPv6",
    zones: [{ name: "assay-hosts-near.org", records: "@ IN AAAA 2001:db8::1\n@ IN NS ns2\nns2 IN A 127.53.53.54" }],
    expected: { "dns-name-servers": "security.dns.name-servers-one-network", ipv6: "security.dns.ipv6-name-servers-missing" },
  },
  {
    name: "a name server whose addresses cannot be read",
    zones: [
      { name: "assay-hosts-lost.org", records: "@ IN AAAA 2001:db8::1\n@ IN NS ns.assay-hosts-broken.net." },
      { name: "assay-hosts-broken.net", records: "", unloadable: true },
    ],
    expected: { "dns-name-servers": "notChecked", ipv6: "notChecked" },
  },
  {
    name: "a host without a public name has no name servers",
    host: "hosts.laboratory.test",
    zones: [],
    expected: { "dns-name-servers": "notApplicable", ipv6: "notApplicable", "mail-dane": "notApplicable" },
  },
];

export const dnsHostCases: readonly DnsCase[] = [...daneCases, ...hostCases];
