/** Checks that mail hosts in signed zones have TLSA records that senders can use. */
import { finding, findingIf, firstOfEachCode, type MailHostDane, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { mailHosts, tlsaText, tlsaUseForMail } from "assay/check/parsers";

const definition = { severity: "low", riskLevel: "low", effort: "medium", cwe: 319 } as const;

export default registerCheck({
  key: "mail-dane",
  weight: 1,
  area: "mail",
  standards: ["RFC 7672 sections 2.2 and 3.1", "RFC 6698 section 2.1"],
  appliesTo: ["public-name"],
  reads: ["mailMx"],
  consults: ["mailDane"],
  findings: {
    "security.mail.dane-missing": definition,
    "security.mail.dane-malformed": definition,
    "security.mail.dane-unusable": definition,
    "security.mail.dane-host-unsigned": definition,
  },
  judge({ mailMx, mailDane }) {
    if (mailHosts(mailMx).length === 0) return notApplicable();
    if (mailDane.status === "failed") return notChecked();
    const hosts = mailDane.facts.hosts.flatMap(({ host, answer }) => (answer.status === "read" ? [{ host, ...answer.facts }] : []));
    const signed = hosts.filter(({ zone }) => zone === "signed");
    const unsigned = hosts.filter(({ zone }) => zone === "unsigned");
    const found = faultsOf(signed, unsigned);
    const dropped = mailDane.facts.hostsDropped + mailMx.exchangersDropped + signed.reduce((sum, host) => sum + host.recordsDropped, 0);
    const complete = hosts.length === mailDane.facts.hosts.length && dropped === 0;
    return signed.length === 0 && complete ? notApplicable() : violatedBy(firstOfEachCode(found), complete);
  },
});

type AnsweredHost = MailHostDane & { readonly host: string };

function faultsOf(signed: readonly AnsweredHost[], unsigned: readonly AnsweredHost[]) {
  const missing = signed.filter(({ authentic, records }) => !authentic || records.length === 0);
  const published = signed.filter((host) => !missing.includes(host));
  const [mailHost = "mail"] = [...missing, ...signed].map(({ host }) => host).filter((host) => /^[a-z0-9.-]+$/.test(host));
  const recordFaults = published.map(recordFault).filter((fault) => fault !== null);
  // Without any usable record, nothing is protected that an unsigned host could undo.
  const isUndone = unsigned.length > 0 && published.length > recordFaults.length;
  return [
    ...findingIf(missing.length > 0, "security.mail.dane-missing", { hosts: hostList(missing), mailHost }),
    ...recordFaults,
    ...findingIf(isUndone, "security.mail.dane-host-unsigned", { unsigned: hostList(unsigned), signed: hostList(published) }),
  ];
}

function hostList(hosts: readonly AnsweredHost[]): string {
  return hosts.map(({ host }) => host).join(", ");
}

/** Null for a host with a usable record and no malformed one. RFC 7672 section 3.1: senders skip records that they cannot use. */
function recordFault({ name, records, recordsDropped }: AnsweredHost) {
  const malformed = records.find((record) => tlsaUseForMail(record) === "malformed");
  if (malformed !== undefined) return finding("security.mail.dane-malformed", { name: name ?? "", record: tlsaText(malformed) });
  if (recordsDropped > 0 || records.some((record) => tlsaUseForMail(record) === "usable")) return null;
  return finding("security.mail.dane-unusable", { name: name ?? "", records: records.map(tlsaText).join("; ") });
}
