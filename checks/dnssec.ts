/** Can a resolver prove that the domain's DNS answers are genuine? */
import { type DnssecFacts, passed, registerCheck, violated } from "assay/check";
import { minuteOf } from "assay/check/parsers";

/** The domain is unreachable where signatures are checked, and a forged answer cannot be told from a sound one. */
const broken = { severity: "critical", riskLevel: "high", effort: "medium", scoreCap: 60 } as const;

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
    "security.dns.dnssec-missing": { severity: "low", riskLevel: "low", effort: "medium" },
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

/** What anybody can see in the records; a signature that does not fit its records shows in no other way. */
function causeOf({ domain, unchecked }: DnssecFacts, scannedAt: string) {
  const bogus = violated("security.dns.dnssec-bogus", { domain });
  // Without a DS record, what is broken is a zone above.
  if (unchecked === null || unchecked.dsKeyTags.length === 0) return bogus;
  const { dsKeyTags, zoneKeyTags } = unchecked;
  const ends = [lastEndOf("SOA", unchecked), lastEndOf("DNSKEY", unchecked)];
  if (zoneKeyTags.length === 0 || ends.includes(undefined)) return violated("security.dns.dnssec-signature-missing", { domain });
  if (!dsKeyTags.some((tag) => zoneKeyTags.includes(tag)))
    return violated("security.dns.dnssec-key-mismatch", { domain, dsKeyTags: dsKeyTags.join(", "), zoneKeyTags: zoneKeyTags.join(", ") });
  const ended = ends.find((end) => end !== undefined && end < scannedAt);
  return ended === undefined ? bogus : violated("security.dns.dnssec-signature-expired", { domain, validTo: minuteOf(ended) });
}

/** RFC 4035 section 5.3.1: one signature that holds is enough. */
function lastEndOf(type: "SOA" | "DNSKEY", { signatures }: NonNullable<DnssecFacts["unchecked"]>): string | undefined {
  return signatures
    .filter(({ covers }) => covers === type)
    .map(({ validTo }) => validTo)
    .sort()
    .at(-1);
}
