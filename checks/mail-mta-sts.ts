/** Checks that an MTA-STS policy makes senders require TLS for every mail host. */
import {
  type FindingCode,
  type FindingValues,
  finding,
  findingIf,
  firstOfEachCode,
  type MailMtaStsPolicyFacts,
  notApplicable,
  notChecked,
  registerCheck,
  serveTextFile,
  type TextRecords,
  violated,
  violatedBy,
} from "assay/check";
import {
  isInconclusiveStatus,
  isMailHostCovered,
  isMeantAsMtaSts,
  isPlainText,
  mailHosts,
  parseMtaStsPolicy,
  parseMtaStsRecord,
  soleRecord,
} from "assay/check/parsers";

const lowEffort = { severity: "low", riskLevel: "low", effort: "low", cwe: 319 } as const;
const mediumEffort = { severity: "low", riskLevel: "low", effort: "medium", cwe: 319 } as const;

export default registerCheck({
  key: "mail-mta-sts",
  weight: 2,
  area: "mail",
  standards: ["RFC 8461 section 3"],
  appliesTo: ["public-name"],
  reads: ["mailMx"],
  consults: ["mailMtaSts", "mailMtaStsPolicy"],
  findings: {
    "security.mail.mta-sts-missing": mediumEffort,
    "security.mail.mta-sts-several": lowEffort,
    "security.mail.mta-sts-version-invalid": lowEffort,
    "security.mail.mta-sts-record-invalid": lowEffort,
    "security.mail.mta-sts-policy-host-missing": mediumEffort,
    "security.mail.mta-sts-policy-host-refused": mediumEffort,
    "security.mail.mta-sts-policy-certificate": lowEffort,
    "security.mail.mta-sts-policy-redirect": lowEffort,
    "security.mail.mta-sts-policy-status": lowEffort,
    "security.mail.mta-sts-policy-content-type": lowEffort,
    "security.mail.mta-sts-policy-line": lowEffort,
    "security.mail.mta-sts-policy-version": lowEffort,
    "security.mail.mta-sts-policy-mode": lowEffort,
    "security.mail.mta-sts-policy-max-age": lowEffort,
    "security.mail.mta-sts-policy-mx": lowEffort,
    "security.mail.mta-sts-testing": mediumEffort,
    "security.mail.mta-sts-switched-off": mediumEffort,
    "security.mail.mta-sts-mx-not-covered": mediumEffort,
  },
  fixes: {
    "security.mail.mta-sts-policy-redirect": [serveTextFile("/.well-known/mta-sts.txt", "/var/www/mta-sts")],
    "security.mail.mta-sts-policy-content-type": [serveTextFile("/.well-known/mta-sts.txt", "/var/www/mta-sts")],
  },
  judge({ mailMx, mailMtaSts, mailMtaStsPolicy }) {
    const hosts = mailHosts(mailMx);
    if (hosts.length === 0) return notApplicable();
    if (mailMtaSts.status === "failed") return notChecked();
    const { domain } = mailMx;
    const record = recordFault(mailMtaSts.facts, domain);
    if (record === "unread") return notChecked();
    const named = { domain, mailHost: hosts.find((host) => /^[a-z0-9._-]+$/.test(host)) ?? `mail.${domain}` };
    if (record !== null) return violated(record.code, { ...record.values, ...named });
    if (mailMtaStsPolicy.status === "failed") return notChecked();
    const policy = policyFaults(mailMtaStsPolicy.facts, hosts);
    if (policy === "unread" || (policy.length === 0 && mailMx.exchangersDropped > 0)) return notChecked();
    return violatedBy(policy.map(({ code, values }) => finding(code, { ...values, ...named })));
  },
});

/** Fault of the record; null for a valid record, `unread` if unknown. */
function recordFault(facts: TextRecords, domain: string) {
  const sole = soleRecord(facts, parseMtaStsRecord, isMeantAsMtaSts);
  switch (sole.found) {
    case "unread":
      return "unread";
    case "several":
      return finding("security.mail.mta-sts-several", { count: sole.count });
    case "none":
      if (sole.meant === null) return finding("security.mail.mta-sts-missing", { domain });
      return finding("security.mail.mta-sts-version-invalid", { record: sole.meant });
    case "one":
      return "defect" in sole.record ? finding("security.mail.mta-sts-record-invalid", { record: sole.text }) : null;
  }
}

function policyFaults(policy: MailMtaStsPolicyFacts, hosts: readonly string[]) {
  const { url, unavailableBecause, status, contentType, body, truncated } = policy;
  const only = <Code extends FindingCode>(code: Code, values: FindingValues = {}) => [finding(code, { ...values, policyUrl: url })];
  if (unavailableBecause !== null) return only(codesByReason[unavailableBecause]);
  if (isInconclusiveStatus(status)) return "unread";
  // RFC 8461 section 3.3: senders must not follow redirects.
  if (status >= 300 && status < 400) return only("security.mail.mta-sts-policy-redirect", { status });
  if (status !== 200) return only("security.mail.mta-sts-policy-status", { status });
  if (!isPlainText(contentType)) return only("security.mail.mta-sts-policy-content-type", { contentType: contentType ?? "-" });
  if (truncated) return "unread";
  const parsed = parseMtaStsPolicy(body);
  if ("defects" in parsed) return firstOfEachCode(parsed.defects.flatMap(({ kind, text }) => only(codesByDefect[kind], { part: text })));
  const uncovered = hosts.filter((host) => !isMailHostCovered(host, parsed.mx));
  if (parsed.mode === "none") return only("security.mail.mta-sts-switched-off");
  const coverage = { uncovered: uncovered.join(", "), mx: parsed.mx.join(", "), policyUrl: url };
  return [
    ...findingIf(parsed.mode === "testing", "security.mail.mta-sts-testing", { policyUrl: url }),
    ...findingIf(uncovered.length > 0, "security.mail.mta-sts-mx-not-covered", coverage),
  ];
}

const codesByReason = {
  "no-host": "security.mail.mta-sts-policy-host-missing",
  refused: "security.mail.mta-sts-policy-host-refused",
  "certificate-not-accepted": "security.mail.mta-sts-policy-certificate",
} as const;

const codesByDefect = {
  "line-malformed": "security.mail.mta-sts-policy-line",
  "version-missing": "security.mail.mta-sts-policy-version",
  "version-unknown": "security.mail.mta-sts-policy-version",
  "mode-missing": "security.mail.mta-sts-policy-mode",
  "mode-unknown": "security.mail.mta-sts-policy-mode",
  "max-age-missing": "security.mail.mta-sts-policy-max-age",
  "max-age-malformed": "security.mail.mta-sts-policy-max-age",
  "max-age-out-of-range": "security.mail.mta-sts-policy-max-age",
  "mx-missing": "security.mail.mta-sts-policy-mx",
  "mx-malformed": "security.mail.mta-sts-policy-mx",
} as const;
