/** Can a resolver prove that the domain's DNS answers are genuine? */
import { passed, registerCheck, violated } from "assay/check";

export default registerCheck({
  key: "dnssec",
  weight: 2,
  appliesTo: ["public-name"],
  reads: ["dnssec"],
  findings: {
    "security.dns.dnssec-bogus": { severity: "critical", riskLevel: "high", effort: "medium", scoreCap: 60 },
    "security.dns.dnssec-missing": { severity: "low", riskLevel: "low", effort: "medium" },
  },
  judge({ dnssec: { domain, status } }) {
    switch (status) {
      case "secure":
        return passed();
      case "insecure":
        return violated("security.dns.dnssec-missing", { domain });
      case "bogus":
        return violated("security.dns.dnssec-bogus", { domain });
    }
  },
});
