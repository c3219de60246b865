/** Checks that the domain has valid CAA records that name its certificate authorities. */
import { distinct, type Found, firstOfEachCode, notChecked, registerCheck, violated, violatedBy } from "assay/check";
import { type CaaDefect, parseCaaProperty } from "assay/check/parsers";

type Code =
  | "security.dns.caa-missing"
  | "security.dns.caa-issue-missing"
  | "security.dns.caa-tag-invalid"
  | "security.dns.caa-issuer-invalid"
  | "security.dns.caa-parameter-invalid"
  | "security.dns.caa-iodef-invalid"
  | "security.dns.caa-critical-unknown";

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
    const found: Found<Code>[] = [];
    const report = (code: Code, { critical, tag, value }: (typeof records)[number]) =>
      found.push({ code, values: { foundAt, property: `${critical ? 128 : 0} ${tag} "${value}"`, tag } });
    const properties = records.map((record) => ({ record, ...parseCaaProperty(record.tag, record.value) }));
    for (const { record, known, defect } of properties) {
      if (defect !== null && !record.truncated) report(codesByDefect[defect], record);
      // RFC 8659 section 4.1: authorities must not issue if they do not support a critical property.
      else if (!known && record.critical) report("security.dns.caa-critical-unknown", record);
    }
    const isCut = recordsDropped > 0 || records.some(({ truncated }) => truncated);
    // RFC 8659 section 4.2: without an issue property any authority may issue; issuewild restricts only wildcards.
    if (!properties.some(({ tag }) => tag === "issue") && recordsDropped === 0) {
      found.push({ code: "security.dns.caa-issue-missing", values: { foundAt, tags: distinct(properties.map(({ tag }) => tag)) } });
    }
    return found.length === 0 && isCut ? notChecked() : violatedBy(firstOfEachCode(found));
  },
});

const codesByDefect: Readonly<Record<CaaDefect, Code>> = {
  tag: "security.dns.caa-tag-invalid",
  issuer: "security.dns.caa-issuer-invalid",
  parameter: "security.dns.caa-parameter-invalid",
  url: "security.dns.caa-iodef-invalid",
};
