/** TLSA records of the mail hosts whose zones are signed. */
import check from "../../../checks/mail-dane.ts";
import type { MailHostDane, TlsaRecord } from "../../../src/evidence/dns-facts.ts";
import { failed, read } from "../../../src/evidence/evidence.ts";
import { testCheck } from "../../support/check-tester.ts";

const one = "mx1.site.example";
const two = "mx2.site.example";

function tlsa(usage = 3, changes: Partial<TlsaRecord> = {}): TlsaRecord {
  return { usage, selector: 1, matchingType: 1, data: "ab".repeat(32), dataBytes: 32, ...changes };
}

function signed(...records: readonly TlsaRecord[]): MailHostDane {
  return { zone: "signed", name: `_25._tcp.${one}`, authentic: true, records, recordsDropped: 0 };
}

const unanswered = { name: null, authentic: false, records: [], recordsDropped: 0 } as const;
const unsigned: MailHostDane = { zone: "unsigned", ...unanswered };
const withoutAddress: MailHostDane = { zone: "no-address", ...unanswered };

/** Evidence of up to two mail hosts. */
function hosts(...answers: readonly (MailHostDane | "timeout")[]) {
  const all = answers.map((answer, at) => ({ host: [one, two][at] ?? "", answer: answer === "timeout" ? failed(answer) : read(answer) }));
  return {
    mailMx: { exchangers: all.map(({ host }, at) => ({ preference: at, host })) },
    mailDane: { hosts: all, hostsDropped: 0 },
  };
}

testCheck(check, {
  passed: [
    ["the key of the host", hosts(signed(tlsa(3)))],
    ["its authority", hosts(signed(tlsa(2)))],
    ["SHA-512 of the certificate", hosts(signed(tlsa(3, { selector: 0, matchingType: 2, dataBytes: 64 })))],
    ["a usable record beside one for other protocols", hosts(signed(tlsa(1), tlsa(3)))],
    ["both hosts", hosts(signed(tlsa()), signed(tlsa()))],
    ["a host without an address beside it", hosts(signed(tlsa()), withoutAddress)],
  ],
  notApplicable: [
    ["no mail", { mailMx: { exchangers: [] } }],
    ["the null MX", { mailMx: { exchangers: [{ preference: 0, host: "" }] }, mailDane: "not-asked" }],
    ["no host in a signed zone", hosts(unsigned, unsigned)],
    ["no host with an address", hosts(withoutAddress)],
    ["no public name", { ...hosts(signed()), url: "https://192.0.2.1/", registrableDomain: null }],
  ],
  notChecked: [
    ["a resolver that does not validate", { ...hosts(signed()), mailDane: "unsupported" }],
    ["a host that could not be read", hosts(signed(tlsa()), "timeout")],
    ["no host that could be read", hosts("timeout")],
    ["more hosts than are asked for", { ...hosts(signed(tlsa())), mailDane: { ...hosts(signed(tlsa())).mailDane, hostsDropped: 1 } }],
    ["more records than are kept", hosts({ ...signed(tlsa(0)), recordsDropped: 1 })],
    ["more mail hosts than are kept", { ...hosts(unsigned), mailMx: { ...hosts(unsigned).mailMx, exchangersDropped: 1 } }],
  ],
  violated: {
    "security.mail.dane-missing": [
      ["no records", hosts(signed()), { values: { hosts: one, mailHost: one } }],
      ["records that are not signed", hosts({ ...signed(tlsa()), authentic: false })],
      ["one of two hosts", hosts(signed(tlsa()), signed()), { values: { hosts: two, mailHost: two } }],
      ["beside a host that could not be read", hosts(signed(), "timeout")],
      ["an unsigned host does not matter without any record", hosts(signed(), unsigned)],
    ],
    "security.mail.dane-malformed": [
      ["a short digest", hosts(signed(tlsa(3, { data: "abcd", dataBytes: 2 }))), { values: { record: "3 1 1 abcd" } }],
      ["beside a usable record", hosts(signed(tlsa(), tlsa(3, { dataBytes: 20 })))],
      ["for another usage", hosts(signed(tlsa(1, { dataBytes: 20 })))],
    ],
    "security.mail.dane-unusable": [
      ["PKIX-EE only", hosts(signed(tlsa(1))), { values: { name: `_25._tcp.${one}`, records: `1 1 1 ${"ab".repeat(32)}` } }],
      ["PKIX-TA only", hosts(signed(tlsa(0)))],
      ["a private usage", hosts(signed(tlsa(255)))],
      ["an unknown selector", hosts(signed(tlsa(3, { selector: 2 })))],
      ["an unknown matching type", hosts(signed(tlsa(3, { matchingType: 3 })))],
    ],
    "security.mail.dane-host-unsigned": [["one of two hosts", hosts(signed(tlsa()), unsigned), { values: { unsigned: two, signed: one } }]],
  },
});
