/** One DMARC record must apply: of the domain itself, or of a public suffix above it. */
import check from "../../../checks/mail-dmarc.ts";
import type { TextRecords } from "../../../src/evidence/dns-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { textRecords } from "../../support/evidence.ts";

const domain = "shop.bank";
const site = { url: `https://${domain}/`, registrableDomain: domain };
const own = (...texts: string[]) => textRecords(`_dmarc.${domain}`, ...texts);
const suffix = (...texts: string[]) => textRecords("_dmarc.bank", ...texts);
const walk = (...answers: TextRecords[]) => ({ ...site, mailDmarc: { domain, walk: answers } });
const crowded = { ...own("v=DMARC1; p=reject"), recordsDropped: 1 };

testCheck(check, {
  passed: [
    ["its own record", walk(own("v=DMARC1; p=none"))],
    ["spaces where the grammar allows them", walk(own("v = DMARC1 ; p = reject"))],
    ["among other texts", walk(own("v=spf1 -all", "hello", "v=DMARC1; p=reject"))],
    ["the walk of the scanned name failed", { ...site, mailDmarc: { domain, walk: [own("v=DMARC1; p=none")], hostUnread: "timeout" } }],
    ["the record of a public suffix", walk(own(), suffix("v=DMARC1; p=reject; psd=y"))],
    ["the record of a parent name without psd", walk(own(), suffix("v=DMARC1; p=reject"))],
  ],
  notApplicable: [
    ["an IP address", { url: "https://192.0.2.1/", registrableDomain: null, mailDmarc: "not-asked" }],
    ["a local name, queried or not", { url: "https://intranet/", registrableDomain: null }],
  ],
  notChecked: [
    ["texts were dropped, possibly a second record", walk(crowded)],
    ["texts were dropped, possibly the record", walk({ ...own("hello"), recordsDropped: 3 })],
  ],
  violated: {
    "security.mail.dmarc-missing": [
      ["no text", walk(own()), { values: { domain } }],
      ["the name does not exist", walk({ ...own(), nameExists: false }, suffix())],
      ["another text", walk(own("v=spf1 -all"))],
      ["a suffix with two records", walk(own(), suffix("v=DMARC1; psd=y", "v=DMARC1; p=none; psd=y"))],
    ],
    "security.mail.dmarc-several": [
      ["two", walk(own("v=DMARC1; p=reject", "v=DMARC1; p=none")), { values: { domain, count: 2 } }],
      ["two records, although a suffix has one", walk(own("v=DMARC1; p=reject", "v=DMARC1; p=reject"), suffix("v=DMARC1; psd=y"))],
      ["two records, although texts were dropped", walk({ ...own("v=DMARC1", "v=DMARC1"), recordsDropped: 1 })],
    ],
    "security.mail.dmarc-version-invalid": [
      ["lower case", walk(own("v=dmarc1; p=reject")), { values: { domain, record: "v=dmarc1; p=reject" } }],
      ["the version is not first", walk(own("p=reject; v=DMARC1"))],
      ["another version", walk(own("v=DMARC2; p=reject"))],
      ["no semicolon", walk(own("v=DMARC1 p=reject"))],
      ["an extra quote", walk(own('"v=DMARC1; p=reject"'))],
    ],
  },
});
