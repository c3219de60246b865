/** Checks that mail hosts in signed zones have TLSA records that senders can use. */
import { type Found, firstOfEachCode, type MailHostDane, notApplicable, notChecked, passed, registerCheck, violatedBy } from "assay/check";
import { mailHosts, tlsaText, tlsaUseForMail } from "assay/check/parsers";

type Code =
  | "security.mail.dane-missing"
  | "security.mail.dane-malformed"
  | "security.mail.dane-unusable"
  | "security.mail.dane-host-unsigned";

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
    const found = faultsOf(
      signed,
      hosts.filter(({ zone }) => zone === "unsigned").map(({ host }) => host),
    );
    if (found.length > 0) return violatedBy(firstOfEachCode(found));
    const dropped = mailDane.facts.hostsDropped + mailMx.exchangersDropped + signed.reduce((sum, host) => sum + host.recordsDropped, 0);
    if (hosts.length < mailDane.facts.hosts.length || dropped > 0) return notChecked();
    return signed.length === 0 ? notApplicable() : passed();
  },
});

type SignedHost = MailHostDane & { readonly host: string };

function faultsOf(signed: readonly SignedHost[], unsigned: readonly string[]): readonly Found<Code>[] {
  const missing = signed.filter(({ authentic, records }) => !authentic || records.length === 0);
  const published = signed.filter((host) => !missing.includes(host));
  const [mailHost] = [...missing, ...signed].map(({ host }) => host).filter((host) => /^[a-z0-9.-]+$/.test(host));
  const named = { mailHost: mailHost ?? "mail" };
  const recordFaults = published.flatMap((host) => recordFault(host) ?? []);
  return [
    ...(missing.length > 0 ? [{ code: "security.mail.dane-missing" as const, values: { hosts: hostList(missing), ...named } }] : []),
    ...recordFaults,
    // Without any usable record, nothing is protected that an unsigned host could undo.
    ...(unsigned.length > 0 && published.length > recordFaults.length
      ? [{ code: "security.mail.dane-host-unsigned" as const, values: { unsigned: unsigned.join(", "), signed: hostList(published) } }]
      : []),
  ];
}

function hostList(hosts: readonly SignedHost[]): string {
  return hosts.map(({ host }) => host).join(", ");
}

/** Null for a host with a usable record and no malformed one. RFC 7672 section 3.1: senders skip records that they cannot use. */
function recordFault({ name, records, recordsDropped }: SignedHost): Found<Code> | null {
  const malformed = records.find((record) => tlsaUseForMail(record) === "malformed");
  if (malformed !== undefined) return { code: "security.mail.dane-malformed", values: { name: name ?? "", record: tlsaText(malformed) } };
  if (recordsDropped > 0 || records.some((record) => tlsaUseForMail(record) === "usable")) return null;
  return { code: "security.mail.dane-unusable", values: { name: name ?? "", records: records.map(tlsaText).join("; ") } };
}
