/** Reports must go to a mail address of the same organization, or of one that agreed. */
import check from "../../../checks/mail-dmarc-reporting.ts";
import type { MailDmarcFacts } from "../../../src/evidence/dns-facts.ts";
import type { ProbeFailure } from "../../../src/evidence/evidence.ts";
import { failed, read } from "../../../src/evidence/evidence.ts";
import { testCheck } from "../../support/check-tester.ts";
import { textRecords } from "../../support/evidence.ts";

const domain = "shop.com";
const site = { url: `https://${domain}/`, registrableDomain: domain };
type Receivers = MailDmarcFacts["reportReceivers"];
const receiver = (host: string, ...texts: string[]): Receivers[number] => ({
  domain: host,
  answer: read(textRecords(`${domain}._report._dmarc.${host}`, ...texts)),
});
const unheard = (host: string, because: ProbeFailure): Receivers[number] => ({ domain: host, answer: failed(because) });
const reporting = (rua: string, reportReceivers: Receivers = [], more: Partial<MailDmarcFacts> = {}) => ({
  ...site,
  mailDmarc: { domain, walk: [textRecords(`_dmarc.${domain}`, `v=DMARC1; p=reject${rua}`)], reportReceivers, ...more },
});
const own = "mailto:reports@shop.com";
const external = "mailto:shop@reports.net";

testCheck(check, {
  passed: [
    ["an address of the same domain", reporting(`; rua=${own}`)],
    ["with the size suffix of RFC 7489", reporting(`; rua=${own}!10m`)],
    ["a valid address beside others", reporting(`; rua=https://shop.com/reports, ${own}`)],
    ["a comma at the end loses no address", reporting(`; rua=${own},`)],
    ["another domain that agreed", reporting(`; rua=${external}`, [receiver("reports.net", "v=DMARC1")])],
    [
      "consent with another address, among other texts",
      reporting(`; rua=${external}`, [receiver("reports.net", "x", "v=DMARC1; rua=mailto:b@reports.net")]),
    ],
    [
      "consent, although texts were dropped",
      reporting(`; rua=${external}`, [{ domain: "reports.net", answer: read({ ...textRecords("n", "v=DMARC1"), recordsDropped: 9 }) }]),
    ],
  ],
  notApplicable: [
    ["no record", { ...site, mailDmarc: { domain, walk: [textRecords(`_dmarc.${domain}`)] } }],
    ["an IP address", { url: "https://192.0.2.1/", registrableDomain: null }],
  ],
  notChecked: [
    ["a receiver whose consent could not be queried", reporting(`; rua=${own},${external}`, [unheard("reports.net", "timeout")])],
    ["receivers were dropped", reporting(`; rua=${external}`, [receiver("reports.net", "v=DMARC1")], { reportReceiversDropped: 1 })],
    [
      "texts of a receiver were dropped",
      reporting(`; rua=${external}`, [{ domain: "reports.net", answer: read({ ...textRecords("n", "x"), recordsDropped: 1 }) }]),
    ],
    [
      "a cut record",
      {
        ...site,
        mailDmarc: { domain, walk: [{ ...textRecords(`_dmarc.${domain}`), records: [{ text: "v=DMARC1; p=none", truncated: true }] }] },
      },
    ],
    ["texts were dropped", { ...site, mailDmarc: { domain, walk: [{ ...textRecords(`_dmarc.${domain}`), recordsDropped: 1 }] } }],
  ],
  violated: {
    "security.mail.dmarc-rua-missing": [
      ["none", reporting(""), { values: { domain, record: "v=DMARC1; p=reject" } }],
      ["only for failure reports", reporting(`; ruf=${own}`)],
    ],
    "security.mail.dmarc-rua-invalid": [
      ["no scheme", reporting("; rua=reports@shop.com"), { values: { rua: "reports@shop.com" } }],
      ["an unsupported scheme", reporting("; rua=https://shop.com/reports")],
      ["no host", reporting("; rua=mailto:reports")],
      ["only commas", reporting("; rua=,")],
    ],
    "security.mail.dmarc-rua-partly-invalid": [
      ["no scheme, beside a valid address", reporting(`; rua=reports@shop.com, ${own}`), { values: { domain, rua: "reports@shop.com" } }],
      ["no host, beside a valid address", reporting(`; rua=${own},mailto:reports`), { values: { rua: "mailto:reports" } }],
      [
        "beside an address without consent",
        reporting(`; rua=${external},x@y.net`, [receiver("reports.net")]),
        { also: ["security.mail.dmarc-rua-unauthorised"] },
      ],
      ["beside a receiver that was not read", reporting(`; rua=${external},x@y.net`, [unheard("reports.net", "timeout")])],
    ],
    "security.mail.dmarc-rua-unauthorised": [
      [
        "no consent",
        reporting(`; rua=${own},${external}`, [receiver("reports.net")]),
        { values: { domain, receiver: "reports.net", receivers: "reports.net", total: 1 } },
      ],
      ["another text is not consent", reporting(`; rua=${external}`, [receiver("reports.net", "v=spf1 -all")])],
      [
        "one of two refused, the other unknown",
        reporting(`; rua=${external}`, [unheard("a.net", "timeout"), receiver("reports.net")]),
        { values: { total: 1 } },
      ],
    ],
  },
});
