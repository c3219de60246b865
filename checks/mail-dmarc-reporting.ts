/** Checks that reports about forged mail reach receivers that agreed to get them. */
import { findingIf, type MailDmarcFacts, notApplicable, notChecked, registerCheck, violated, violatedBy } from "assay/check";
import { effectiveDmarc, parseDmarc } from "assay/check/parsers";

export default registerCheck({
  key: "mail-dmarc-reporting",
  weight: 1,
  area: "mail",
  standards: ["RFC 9989 section 4.7", "RFC 9990 section 4"],
  appliesTo: ["public-name"],
  reads: ["mailDmarc"],
  findings: {
    "security.mail.dmarc-rua-missing": { severity: "low", riskLevel: "low", effort: "low", cwe: 778 },
    "security.mail.dmarc-rua-invalid": { severity: "low", riskLevel: "low", effort: "low", cwe: 778 },
    "security.mail.dmarc-rua-partly-invalid": { severity: "low", riskLevel: "low", effort: "low", cwe: 778 },
    "security.mail.dmarc-rua-unauthorised": { severity: "low", riskLevel: "low", effort: "medium", cwe: 778 },
  },
  judge({ mailDmarc: { domain, walk, reportReceivers, reportReceiversDropped } }) {
    const published = effectiveDmarc(walk, domain);
    if (walk.some(({ recordsDropped }) => recordsDropped > 0)) return notChecked();
    if (published === null) return notApplicable();
    if (published.truncated) return notChecked();
    const { record, text } = published;
    const values = { domain: published.domain, record: text };
    if (record.rua === null) return violated("security.mail.dmarc-rua-missing", values);
    // RFC 9989 section 4.7: receivers must support mailto only, and ignore unknown schemes.
    if (!record.rua.some(({ kind }) => kind === "mailto")) {
      return violated("security.mail.dmarc-rua-invalid", { ...values, rua: record.rua.map((uri) => uri.text).join(", ") });
    }
    // RFC 9989 section 4.7: receivers skip what is not a URI. An empty part, as after a trailing comma, loses no address.
    const broken = record.rua.filter(({ kind, text: uri }) => kind === "invalid" && uri !== "");
    const refusing = reportReceivers.filter((receiver) => consentOf(receiver) === "refused").map((receiver) => receiver.domain);
    const [receiver = ""] = refusing;
    const receivers = { receiver, receivers: refusing.join(", "), total: refusing.length };
    const rua = broken.map((uri) => uri.text).join(", ");
    const found = [
      ...findingIf(broken.length > 0, "security.mail.dmarc-rua-partly-invalid", { ...values, rua }),
      ...findingIf(refusing.length > 0, "security.mail.dmarc-rua-unauthorised", { ...values, ...receivers }),
    ];
    const isOpen = reportReceiversDropped > 0 || reportReceivers.some((receiver) => consentOf(receiver) === "unknown");
    return violatedBy(found, !isOpen);
  },
});

/** RFC 9990 section 4: a single record with the DMARC version is consent, regardless of other tags. */
function consentOf({ answer }: MailDmarcFacts["reportReceivers"][number]): "agreed" | "refused" | "unknown" {
  if (answer.status === "failed") return "unknown";
  if (answer.facts.records.some(({ text }) => parseDmarc(text) !== null)) return "agreed";
  return answer.facts.recordsDropped > 0 ? "unknown" : "refused";
}
