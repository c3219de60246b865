/** A domain with mail needs exactly one record with a usable report address. */
import check from "../../../checks/mail-tls-rpt.ts";
import { testCheck } from "../../support/check-tester.ts";
import { textRecords } from "../../support/evidence.ts";

const domain = "shop.com";
const mailMx = { domain, exchangers: [{ preference: 10, host: "mail.shop.com" }] };
const site = { url: `https://${domain}/`, registrableDomain: domain, mailMx };
const answers = (...texts: string[]) => ({ ...site, mailTlsRpt: textRecords(`_smtp._tls.${domain}`, ...texts) });

testCheck(check, {
  passed: [
    ["by mail", answers("v=TLSRPTv1; rua=mailto:tls@shop.com")],
    ["by https", answers("v=TLSRPTv1;rua=https://shop.com/tls")],
    ["both, and an unknown field", answers("v=TLSRPTv1; rua=mailto:tls@shop.com , https://shop.com/tls; x-new=1;")],
    ["one valid address is sufficient", answers("v=TLSRPTv1; rua=tls@shop.com,mailto:tls@shop.com")],
    ["among other texts", answers("hello", "v=TLSRPTv1; rua=mailto:tls@shop.com", "v=TLSRPTv2; rua=mailto:x@y")],
  ],
  notApplicable: [
    ["no MX", { ...site, mailMx: { domain, exchangers: [] } }],
    ["null MX", { ...site, mailMx: { domain, exchangers: [{ preference: 0, host: "" }] }, mailTlsRpt: "timeout" }],
    ["an IP address", { url: "https://192.0.2.1/", registrableDomain: null }],
  ],
  notChecked: [
    ["the query failed", { ...site, mailTlsRpt: "timeout" }],
    ["texts were dropped", { ...site, mailTlsRpt: { ...textRecords("n"), recordsDropped: 1 } }],
    ["a cut record", { ...site, mailTlsRpt: { ...textRecords("n"), records: [{ text: "v=TLSRPTv1; rua=x", truncated: true }] } }],
  ],
  violated: {
    "security.mail.tls-rpt-missing": [
      ["no text", answers(), { values: { domain } }],
      ["another text", answers("v=spf1 -all")],
    ],
    "security.mail.tls-rpt-several": [
      ["two", answers("v=TLSRPTv1; rua=mailto:a@shop.com", "v=TLSRPTv1; rua=mailto:b@shop.com"), { values: { count: 2 } }],
    ],
    "security.mail.tls-rpt-version-invalid": [
      ["another version", answers("v=TLSRPTv2; rua=mailto:a@shop.com"), { values: { record: "v=TLSRPTv2; rua=mailto:a@shop.com" } }],
      ["lower case", answers("v=tlsrptv1; rua=mailto:a@shop.com")],
      ["spaces in the version", answers("v = TLSRPTv1; rua=mailto:a@shop.com")],
    ],
    "security.mail.tls-rpt-syntax": [
      ["a field without a value", answers("v=TLSRPTv1; rua=")],
      ["spaces around the equals sign", answers("v=TLSRPTv1; rua = mailto:a@shop.com")],
      ["rua twice", answers("v=TLSRPTv1; rua=mailto:a@shop.com; rua=mailto:b@shop.com")],
      ["an empty field", answers("v=TLSRPTv1;; rua=mailto:a@shop.com")],
    ],
    "security.mail.tls-rpt-rua-missing": [
      ["only the version", answers("v=TLSRPTv1;")],
      ["only another field", answers("v=TLSRPTv1; ruf=mailto:a@shop.com")],
    ],
    "security.mail.tls-rpt-rua-invalid": [
      ["http", answers("v=TLSRPTv1; rua=http://shop.com/tls")],
      ["no scheme", answers("v=TLSRPTv1; rua=tls@shop.com")],
    ],
  },
});
