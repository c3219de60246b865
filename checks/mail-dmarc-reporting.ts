/** Checks that reports about forged mail reach receivers that agreed to get them. */
import { type Found, type MailDmarcFacts, notApplicable, notChecked, registerCheck, violated, violatedBy } from "assay/check";
import { effectiveDmarc, parseDmarc } from "assay/check/parsers";

type Code =
  | "security.mail.dmarc-rua-missing"
  | "security.mail.dmarc-rua-invalid"
  | "security.mail.dmarc-rua-partly-invalid"
  | "security.mail.dmarc-rua-unauthorised";

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
    const found: Found<Code>[] = [];
    // RFC 9989 section 4.7: receivers skip what is not a URI. An empty part, as after a trailing comma, loses no address.
    const broken = record.rua.filter(({ kind, text: uri }) => kind === "invalid" && uri !== "");
    if (broken.length > 0)
      found.push({ code: "security.mail.dmarc-rua-partly-invalid", values: { ...values, rua: broken.map((uri) => uri.text).join(", ") } });
    const refusing = reportReceivers.filter((receiver) => consentOf(receiver) === "refused").map((receiver) => receiver.domain);
    if (refusing.length > 0) {
      const [receiver = ""] = refusing;
      const receivers = { receiver, receivers: refusing.join(", "), total: refusing.length };
      found.push({ code: "security.mail.dmarc-rua-unauthorised", values: { ...values, ...receivers } });
    }
    const isOpen = reportReceiversDropped > 0 || reportReceivers.some((receiver) => consentOf(receiver) === "unknown");
    return found.length === 0 && isOpen ? notChecked() : violatedBy(found);
  },
});

/** RFC 9990 section 4: a single record with the DMARC version is consent, regardless of other tags. */
function consentOf({ answer }: MailDmarcFacts["reportReceivers"][number]): "agreed" | "refused" | "unknown" {
  if (answer.status === "failed") return "unknown";
  if (answer.facts.records.some(({ text }) => parseDmarc(text) !== null)) return "agreed";
  return answer.facts.recordsDropped > 0 ? "unknown" : "refused";
}
