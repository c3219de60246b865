/** Can a resolver prove that the domain's DNS answers are genuine? */
import { passed, registerCheck, violated } from "assay/check";

/** The domain is unreachable where signatures are checked, and a forged answer cannot be told from a sound one. */
const broken = { severity: "critical", riskLevel: "high", effort: "medium", scoreCap: 60 } as const;

export default registerCheck({
  key: "dnssec",
  weight: 2,
  appliesTo: ["public-name"],
  reads: ["dnssec"],
  findings: {
    "security.dns.dnssec-bogus": broken,
    "security.dns.dnssec-key-mismatch": broken,
    "security.dns.dnssec-signature-expired": broken,
    "security.dns.dnssec-signature-missing": broken,
    "security.dns.dnssec-missing": { severity: "low", riskLevel: "low", effort: "medium" },
  },
  judge({ dnssec: { domain, status, extendedErrors } }) {
    switch (status) {
      case "secure":
        return passed();
      case "insecure":
        return violated("security.dns.dnssec-missing", { domain });
      case "bogus":
        return violated(causes.find(([error]) => extendedErrors.includes(error))?.[1] ?? "security.dns.dnssec-bogus", { domain });
    }
  },
});

/** By extended error, RFC 8914 sections 4.8, 4.10 and 4.11. */
const causes = [
  [7, "security.dns.dnssec-signature-expired"],
  [9, "security.dns.dnssec-key-mismatch"],
  [10, "security.dns.dnssec-signature-missing"],
] as const;
