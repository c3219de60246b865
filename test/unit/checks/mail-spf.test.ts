/** A domain needs exactly one SPF record; other texts are ignored. */
import check from "../../../checks/mail-spf.ts";
import { testCheck } from "../../support/check-tester.ts";
import { textRecords } from "../../support/evidence.ts";

const texts = (...records: readonly string[]) => ({ mailSpf: { own: textRecords("site.example", ...records) } });
const dropped = (count: number, word: (at: number) => string) => ({
  mailSpf: { own: { ...textRecords("site.example", ...Array.from({ length: count }, (_, at) => word(at))), recordsDropped: 3 } },
});

testCheck(check, {
  passed: [
    ["one record", texts("v=spf1 -all")],
    ["only the version", texts("v=spf1")],
    ["in capitals", texts("V=SPF1 -ALL")],
    ["among other texts", texts("google-site-verification=abc", "v=spf1 mx -all", "v=spf2.0/pra ?all")],
    ["an invalid record is a record", texts("v=spf1 ipv4:1 -all")],
    [
      "texts without a version were dropped",
      { mailSpf: { own: { ...textRecords("site.example", "v=spf1 -all", "abc"), recordsDropped: 9 } } },
    ],
  ],
  notApplicable: [["not a public name", { registrableDomain: null }]],
  notChecked: [
    ["only texts with a version were kept: the record may have been dropped", dropped(50, (at) => `v=verify${at}`)],
    [
      "only texts with a version were kept: a second record may have been dropped",
      dropped(50, (at) => (at === 49 ? "v=spf1 -all" : "v=a")),
    ],
  ],
  violated: {
    "security.mail.spf-missing": [
      ["no text", texts(), { values: { domain: "site.example" } }],
      ["other texts", texts("google-site-verification=abc", "v=DMARC1; p=reject")],
      ["Sender ID is not SPF", texts("spf2.0/mfrom,pra -all", "v=spf2.0/pra -all")],
      ["the name does not exist", { mailSpf: { own: { ...textRecords("site.example"), nameExists: false } } }],
      ["many texts without a version", dropped(50, (at) => `verification-${at}`)],
    ],
    "security.mail.spf-misspelt": [
      ["an unknown version", texts("v=spf10 -all"), { values: { record: "v=spf10 -all" } }],
      ["a semicolon", texts("v=spf1; mx -all")],
      ["a tab", texts("v=spf1\t-all")],
      ["quoted twice", texts('"v=spf1 -all"')],
      ["without v=", texts("spf1 include:_spf.site.example -all")],
      ["a leading space", texts(" v=spf1 -all")],
      ["spaces around the equals sign", texts("v = spf1 -all")],
    ],
    "security.mail.spf-several": [
      ["two", texts("v=spf1 mx -all", "v=spf1 -all"), { values: { count: 2, records: '"v=spf1 mx -all", "v=spf1 -all"' } }],
      ["the same record twice", texts("v=spf1 -all", "v=spf1 -all")],
      ["in any letter case", texts("v=spf1 -all", "V=SPF1")],
      ["two records, and others were dropped", dropped(50, () => "v=spf1 -all")],
    ],
  },
});
