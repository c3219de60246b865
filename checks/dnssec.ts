/** Checks that DNSSEC protects the domain's DNS answers. */
import { type DnssecFacts, passed, registerCheck, violated } from "assay/check";
import { minuteOf } from "assay/check/parsers";

/**
 * Validating resolvers cannot reach the domain, and forged answers look the same. Rows that
 * cannot be read because of it charge nothing. It therefore charges at least as much as all rows of DNS and mail together.
 */
const broken = { severity: "critical", riskLevel: "high", effort: "medium", cwe: 345, weight: 24, scoreCap: 60 } as const;
/** A signed zone makes `mail-dane` apply, so its absence charges more than that check. */
const missing = { severity: "low", riskLevel: "low", effort: "medium", cwe: 345, weight: 3 } as const;

export default registerCheck({
  key: "dnssec",
  weight: 2,
  area: "dns",
  standards: ["RFC 4033", "RFC 4035 section 5"],
  appliesTo: ["public-name"],
  reads: ["dnssec"],
  findings: {
    "security.dns.dnssec-bogus": broken,
    "security.dns.dnssec-key-mismatch": broken,
    "security.dns.dnssec-signature-expired": broken,
    "security.dns.dnssec-signature-missing": broken,
    "security.dns.dnssec-missing": missing,
  },
  judge({ subject, dnssec }) {
    const { domain, status } = dnssec;
    switch (status) {
      case "secure":
        return passed();
      case "insecure":
        return violated("security.dns.dnssec-missing", { domain });
      case "bogus":
        return causeOf(dnssec, subject.scannedAt);
    }
  },
});

/** Cause of a bogus status, as far as the records show it. A signature that does not match its records has no visible cause. */
function causeOf({ domain, unchecked }: DnssecFacts, scannedAt: string) {
  const bogus = violated("security.dns.dnssec-bogus", { domain });
  // Without a DS record, the fault is in a parent zone.
  if (unchecked === null || unchecked.dsKeyTags.length === 0) return bogus;
  const { dsKeyTags, zoneKeyTags } = unchecked;
  const ends = [lastEndOf("SOA", unchecked), lastEndOf("DNSKEY", unchecked)];
  if (zoneKeyTags.length === 0 || ends.includes(undefined)) return violated("security.dns.dnssec-signature-missing", { domain });
  if (!dsKeyTags.some((tag) => zoneKeyTags.includes(tag)))
    return violated("security.dns.dnssec-key-mismatch", { domain, dsKeyTags: dsKeyTags.join(", "), zoneKeyTags: zoneKeyTags.join(", ") });
  const ended = ends.find((end) => end !== undefined && end < scannedAt);
  return ended === undefined ? bogus : violated("security.dns.dnssec-signature-expired", { domain, validTo: minuteOf(ended) });
}

/** RFC 4035 section 5.3.1: one valid signature is enough. */
function lastEndOf(type: "SOA" | "DNSKEY", { signatures }: NonNullable<DnssecFacts["unchecked"]>): string | undefined {
  return signatures
    .filter(({ covers }) => covers === type)
    .map(({ validTo }) => validTo)
    .sort()
    .at(-1);
}
