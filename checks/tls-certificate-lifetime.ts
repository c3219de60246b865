/** Checks that the certificate's validity period is within the limit for public authorities. */
import { notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";
import { dayMs, lifetimeMs, minuteOf } from "assay/check/parsers";

/** CA/Browser Forum, Baseline Requirements section 6.3.2 with ballot SC-081v3; newest first, by start of validity. */
const limits: readonly { readonly from: string; readonly days: number }[] = [
  { from: "2029-03-15T00:00:00Z", days: 47 },
  { from: "2027-03-15T00:00:00Z", days: 100 },
  { from: "2026-03-15T00:00:00Z", days: 200 },
  { from: "2020-09-01T00:00:00Z", days: 398 },
];
const daysMaxBefore = 825;

export default registerCheck({
  key: "tls-certificate-lifetime",
  weight: 1,
  area: "transport",
  standards: ["CA/Browser Forum Baseline Requirements 6.3.2", "CA/Browser Forum Ballot SC-081v3"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.certificate-lifetime-too-long": { severity: "low", riskLevel: "low", effort: "medium" },
  },
  judge({ tls }) {
    const [leaf] = tls.chain;
    // Private authorities have no limit.
    if (leaf !== undefined && tls.trustedBy !== "public") return notApplicable();
    const lifetime = leaf === undefined ? null : lifetimeMs(leaf);
    if (leaf === undefined || lifetime === null) return notChecked();
    const validFromMs = Date.parse(leaf.validFrom);
    const daysMax = limits.find(({ from }) => validFromMs >= Date.parse(from))?.days ?? daysMaxBefore;
    // Baseline Requirements section 1.6.1: both ends belong to the period. Section 6.3.2: a second beyond a day counts as another day.
    if (lifetime <= daysMax * dayMs) return passed();
    return violated("security.tls.certificate-lifetime-too-long", {
      tlsHost: tls.host,
      issuer: leaf.issuer,
      validFrom: minuteOf(leaf.validFrom),
      days: Math.ceil(lifetime / dayMs),
      daysMax,
    });
  },
});
