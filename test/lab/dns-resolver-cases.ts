/** Laboratory domains for DNSSEC and failures: secure, insecure and forged zones, failing servers and resolvers. */
import type { Zones } from "../support/dns-server.ts";
import type { CaseZone, DnsCase } from "./dns-case.ts";

/** All records of a domain without mail. */
const soundRecords = `
  @             IN A   127.0.0.1
  @             IN MX  0 .
  @             IN TXT "v=spf1 -all"
  _dmarc        IN TXT "v=DMARC1; p=reject; rua=mailto:reports@assay-secure.org"
  @             IN CAA 0 issue "ca.example"`;

/** A domain with a null MX has no mail transport to protect. */
const soundStates = {
  "dns-caa": "passed",
  "mail-spf": "passed",
  "mail-spf-policy": "passed",
  "mail-spf-lookups": "passed",
  "mail-dmarc": "passed",
  "mail-dmarc-policy": "passed",
  "mail-mta-sts": "notApplicable",
  "mail-tls-rpt": "notApplicable",
} as const;

const allUnread = {
  "dns-caa": "notChecked",
  "mail-spf": "notChecked",
  "mail-spf-policy": "notChecked",
  "mail-spf-lookups": "notChecked",
  "mail-dmarc": "notChecked",
  "mail-dmarc-policy": "notChecked",
  "mail-dmarc-reporting": "notChecked",
  "mail-mta-sts": "notChecked",
  "mail-tls-rpt": "notChecked",
} as const;

function soundZone(name: string, changes: Partial<CaseZone> = {}): CaseZone {
  return { name, records: soundRecords, ...changes };
}

/** A server with an alias at the apex answers every query with it. */
export const apexAliases: Zones = {
  "assay-apex-alias.org": { CNAME: ["www.assay-alias-target.net"] },
  "www.assay-alias-target.net": {},
};

export const resolverCases: readonly DnsCase[] = [
  {
    name: "secure: ECDSA P-256 and NSEC, below RSA and NSEC3",
    zones: [soundZone("assay-secure.org")],
    expected: { dnssec: "passed", ...soundStates, "mail-dmarc-reporting": "passed" },
  },
  {
    name: "secure: RSA and NSEC3, below ECDSA and NSEC3",
    zones: [soundZone("assay-secure-rsa.net", { algorithm: "RSASHA256", denial: "NSEC3" })],
    expected: { dnssec: "passed", ...soundStates },
  },
  {
    name: "secure, below a public suffix of two labels",
    host: "www.assay-secure-shop.co.uk",
    zones: [soundZone("assay-secure-shop.co.uk")],
    expected: { dnssec: "passed", ...soundStates },
  },
  {
    name: "secure with a wildcard, which answers every probe",
    zones: [soundZone("assay-wildcard.org", { records: '@ IN MX 10 mail\n* IN TXT "v=spf1 -all"\n* IN CAA 0 issue "ca.example"' })],
    host: "www.assay-wildcard.org",
    expected: {
      dnssec: "passed",
      "dns-caa": "passed",
      "mail-spf": "security.mail.spf-missing",
      "mail-dmarc": "security.mail.dmarc-missing",
      "mail-tls-rpt": "security.mail.tls-rpt-missing",
    },
  },
  {
    name: "secure with a wildcard below NSEC3",
    zones: [soundZone("assay-wildcard-nsec3.org", { denial: "NSEC3", records: '@ IN MX 10 mail\n* IN TXT "v=DMARC1; p=reject"' })],
    expected: {
      dnssec: "passed",
      "dns-caa": "security.dns.caa-missing",
      "mail-spf": "security.mail.spf-missing",
      "mail-dmarc": "passed",
      "mail-tls-rpt": "security.mail.tls-rpt-missing",
    },
  },
  {
    name: "signed, but without a DS record above: insecure",
    zones: [soundZone("assay-island.org", { delegation: "island" })],
    expected: { dnssec: "security.dns.dnssec-missing", ...soundStates },
  },
  {
    name: "not signed: insecure",
    zones: [soundZone("assay-unsigned.org", { delegation: "unsigned" })],
    expected: { dnssec: "security.dns.dnssec-missing", ...soundStates },
  },
  {
    name: "bogus: records changed after signing",
    zones: [soundZone("assay-tampered.org", { tampered: ["ns.assay-tampered.org.", "intruder.assay-tampered.org."] })],
    expected: { dnssec: "security.dns.dnssec-bogus" },
  },
  {
    name: "one forged record in a sound zone: only that record is not read",
    zones: [soundZone("assay-forged-record.org", { tampered: ['"v=spf1 -all"', '"v=spf1 +all"'] })],
    expected: {
      dnssec: "passed",
      ...soundStates,
      "mail-spf": "notChecked",
      "mail-spf-policy": "notChecked",
      "mail-spf-lookups": "notChecked",
    },
  },
  {
    name: "bogus: all signatures expired",
    zones: [soundZone("assay-expired.org", { delegation: "expired" })],
    expected: { dnssec: "security.dns.dnssec-signature-expired", ...allUnread },
  },
  {
    name: "bogus: all signatures expired except that of the keys",
    zones: [soundZone("assay-expired-records.org", { delegation: "expired-records" })],
    expected: { dnssec: "security.dns.dnssec-signature-expired", ...allUnread },
  },
  {
    name: "bogus: keys without signatures",
    zones: [soundZone("assay-unsigned-record.org", { tampered: ["\nassay-unsigned-record.org.\t60\tIN\tRRSIG\t", "\n;"] })],
    expected: { dnssec: "security.dns.dnssec-signature-missing" },
  },
  {
    name: "bogus: the DS record of another key",
    zones: [soundZone("assay-wrong-ds.org", { delegation: "wrong-ds" })],
    expected: { dnssec: "security.dns.dnssec-key-mismatch", ...allUnread },
  },
  {
    name: "bogus: a DS record without signatures",
    zones: [soundZone("assay-stripped.org", { delegation: "stripped" })],
    expected: { dnssec: "security.dns.dnssec-signature-missing", ...allUnread },
  },
  {
    name: "bogus: a sound zone below a top-level domain with a wrong DS record",
    zones: [soundZone("assay-below-broken.dev"), { name: "dev", records: "", delegation: "wrong-ds" }],
    expected: { dnssec: "security.dns.dnssec-bogus", ...allUnread },
  },
  {
    name: "signed with an unknown algorithm: counts as unsigned (RFC 4035 section 5.2)",
    zones: [
      soundZone("assay-unknown-algorithm.page", { delegation: "unsigned" }),
      { name: "page", records: `@ IN CAA 0 issue "ca.example"\nassay-unknown-algorithm IN DS 4711 250 2 ${"00".repeat(32)}` },
    ],
    expected: { dnssec: "security.dns.dnssec-missing", ...soundStates },
  },
  {
    name: "a forged zone below a sound domain: its records are not read",
    host: "www.assay-forged-below.org",
    zones: [soundZone("assay-forged-below.org"), soundZone("www.assay-forged-below.org", { delegation: "wrong-ds" })],
    expected: { dnssec: "passed", ...soundStates, "dns-caa": "notChecked", "mail-dmarc-policy": "notChecked" },
  },
  {
    name: "a server that cannot load the zone: SERVFAIL",
    zones: [soundZone("assay-unloadable.org", { unloadable: true })],
    expected: { dnssec: "notChecked", ...allUnread },
  },
  {
    name: "a lame delegation: the server refuses the zone",
    zones: [soundZone("assay-lame.org", { servedBy: "refusing" })],
    expected: { dnssec: "notChecked", ...allUnread },
  },
  {
    name: "a name server that never answers",
    zones: [soundZone("assay-silent.org", { servedBy: "silent" })],
    expected: { dnssec: "notChecked", ...allUnread },
  },
  {
    name: "a resolver that never answers",
    zones: [soundZone("assay-silent-resolver.org")],
    resolvers: ["silent"],
    expected: { dnssec: "notChecked", ...allUnread },
  },
  {
    name: "no resolver at all",
    zones: [soundZone("assay-no-resolver.org")],
    resolvers: ["absent"],
    expected: { dnssec: "notChecked", ...allUnread },
  },
  {
    name: "a resolver without validation: only DNSSEC is not checked",
    zones: [soundZone("assay-unvalidated.org")],
    resolvers: ["unvalidating"],
    expected: { dnssec: "notChecked", ...soundStates },
  },
  {
    name: "a resolver without validation accepts a forged zone",
    zones: [soundZone("assay-believed.org", { delegation: "wrong-ds" })],
    resolvers: ["unvalidating"],
    expected: { dnssec: "notChecked", ...soundStates },
  },
  {
    name: "the first of two resolvers is down",
    zones: [soundZone("assay-second-resolver.org")],
    resolvers: ["absent", "validating"],
    expected: { dnssec: "passed", ...soundStates },
  },
  {
    name: "the first of two resolvers does not validate: the second is queried for DNSSEC",
    zones: [soundZone("assay-second-validates.org")],
    resolvers: ["unvalidating", "validating"],
    expected: { dnssec: "passed", ...soundStates },
  },
  {
    name: "bogus, although the second of two resolvers accepts it",
    zones: [soundZone("assay-second-believes.org", { delegation: "wrong-ds" })],
    resolvers: ["validating", "unvalidating"],
    expected: { dnssec: "security.dns.dnssec-key-mismatch", ...soundStates },
  },
  {
    name: "a response too long for UDP: repeated over TCP",
    zones: [soundZone("assay-truncated.org", { records: soundRecords + manyTexts(30) })],
    expected: { dnssec: "passed", ...soundStates },
  },
  {
    name: "more text records than the limit: the relevant ones are kept",
    zones: [soundZone("assay-collector.org", { records: soundRecords + manyTexts(80) })],
    expected: { dnssec: "passed", ...soundStates },
  },
  {
    name: "an alias at the apex: resolvers return the target's records for the domain",
    zones: [
      { name: "assay-apex-alias.org", records: "", delegation: "unsigned", servedBy: "apexAlias" },
      {
        name: "assay-alias-target.net",
        records: 'www IN A 127.0.0.1\nwww IN TXT "v=spf1 -all"\nwww IN CAA 0 issue "ca.example"\nwww IN MX 0 .',
      },
    ],
    expected: {
      dnssec: "security.dns.dnssec-missing",
      "dns-caa": "passed",
      "mail-spf": "passed",
      "mail-dmarc": "security.mail.dmarc-missing",
      "mail-mta-sts": "notApplicable",
    },
  },
  {
    name: "an internationalised domain, its mail host and its report address",
    host: "www.xn--assay-bcher-zhb.org",
    zones: [
      {
        name: "xn--assay-bcher-zhb.org",
        records: `
          @       IN MX  10 xn--pst-sna
          @       IN TXT "v=spf1 mx a:xn--pst-sna.xn--assay-bcher-zhb.org -all"
          xn--pst-sna IN A 127.0.0.1
          _dmarc  IN TXT "v=DMARC1; p=reject; rua=mailto:postm%C3%A4ster@xn--assay-bcher-zhb.org"
          _smtp._tls IN TXT "v=TLSRPTv1; rua=mailto:postm%C3%A4ster@xn--assay-bcher-zhb.org"
          _mta-sts IN TXT "v=STSv1; id=20261121"
          @       IN CAA 0 issue "ca.example"`,
      },
    ],
    policyHost: { policy: "version: STSv1\r\nmode: enforce\r\nmx: xn--pst-sna.xn--assay-bcher-zhb.org\r\nmax_age: 604800\r\n" },
    expected: {
      dnssec: "passed",
      "dns-caa": "passed",
      "mail-spf": "passed",
      "mail-spf-policy": "passed",
      "mail-spf-lookups": "passed",
      "mail-dmarc": "passed",
      "mail-dmarc-policy": "passed",
      "mail-dmarc-reporting": "passed",
      "mail-mta-sts": "passed",
      "mail-tls-rpt": "passed",
    },
  },
  {
    name: "no domain: a name without public suffix has no DNS or mail checks",
    host: "laboratory.test",
    zones: [],
    expected: {
      dnssec: "notApplicable",
      "dns-caa": "notApplicable",
      "mail-spf": "notApplicable",
      "mail-dmarc": "notApplicable",
      "mail-mta-sts": "notApplicable",
      "mail-tls-rpt": "notApplicable",
    },
  },
];

/** Domain verification records of other services. */
function manyTexts(count: number): string {
  return Array.from({ length: count }, (_, at) => `\n@ IN TXT "verification-${at}=${"0123456789abcdef".repeat(3)}"`).join("");
}
