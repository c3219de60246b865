/** Was the certificate issued for no longer than public authorities may issue one? */
import { notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";
import { dayMs, lifetimeMs, minuteOf } from "assay/check/parsers";

/** CA/Browser Forum, Baseline Requirements section 6.3.2 with ballot SC-081v3: newest first, by the start of validity. */
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
    // A private authority makes its own rules.
    if (tls.trustedBy !== "public") return notApplicable();
    const [leaf] = tls.chain;
    const lifetime = leaf === undefined ? null : lifetimeMs(leaf);
    if (leaf === undefined || lifetime === null) return notChecked();
    const begun = Date.parse(leaf.validFrom);
    const daysMax = limits.find(({ from }) => begun >= Date.parse(from))?.days ?? daysMaxBefore;
    // Section 1.6.1 has both ends belong to the period, and 6.3.2 a second beyond a day be another day.
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
