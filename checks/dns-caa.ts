/** Checks that the domain has valid CAA records that name its certificate authorities. */
import { distinct, findingIf, firstOfEachCode, registerCheck, violated, violatedBy } from "assay/check";
import { type CaaDefect, parseCaaProperty } from "assay/check/parsers";

const lowEffort = { severity: "low", riskLevel: "low", effort: "low", cwe: 693 } as const;
const mediumEffort = { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 } as const;

export default registerCheck({
  key: "dns-caa",
  weight: 2,
  area: "dns",
  standards: ["RFC 8659", "CA/Browser Forum Baseline Requirements 3.2.2.8"],
  appliesTo: ["public-name"],
  reads: ["dnsCaa"],
  findings: {
    "security.dns.caa-missing": mediumEffort,
    "security.dns.caa-issue-missing": mediumEffort,
    "security.dns.caa-tag-invalid": lowEffort,
    "security.dns.caa-issuer-invalid": lowEffort,
    "security.dns.caa-parameter-invalid": lowEffort,
    "security.dns.caa-iodef-invalid": lowEffort,
    "security.dns.caa-critical-unknown": lowEffort,
  },
  judge({ subject, dnsCaa: { foundAt, records, recordsDropped } }) {
    const registrableDomain = subject.registrableDomain ?? subject.host;
    if (foundAt === null) return violated("security.dns.caa-missing", { registrableDomain });
    const properties = records.map((record) => ({ record, ...parseCaaProperty(record.tag, record.value) }));
    const faults = properties.flatMap(({ record: { critical, tag, value, truncated }, known, defect }) => {
      const values = { foundAt, property: `${critical ? 128 : 0} ${tag} "${value}"`, tag };
      const code = defect === null || truncated ? null : codesByDefect[defect];
      // RFC 8659 section 4.1: authorities must not issue if they do not support a critical property.
      return findingIf(code !== null || (!known && critical), code ?? "security.dns.caa-critical-unknown", values);
    });
    // RFC 8659 section 4.2: without an issue property any authority may issue; issuewild restricts only wildcards.
    const isOpen = !properties.some(({ tag }) => tag === "issue") && recordsDropped === 0;
    const missing = findingIf(isOpen, "security.dns.caa-issue-missing", { foundAt, tags: distinct(properties.map(({ tag }) => tag)) });
    const isCut = recordsDropped > 0 || records.some(({ truncated }) => truncated);
    return violatedBy(firstOfEachCode([...faults, ...missing]), !isCut);
  },
});

const codesByDefect = {
  tag: "security.dns.caa-tag-invalid",
  issuer: "security.dns.caa-issuer-invalid",
  parameter: "security.dns.caa-parameter-invalid",
  url: "security.dns.caa-iodef-invalid",
} as const satisfies Readonly<Record<CaaDefect, string>>;
