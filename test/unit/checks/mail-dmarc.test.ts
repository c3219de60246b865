/** One DMARC record holds: of the domain itself, or of a public suffix above it. */
import check from "../../../checks/mail-dmarc.ts";
import type { TextRecords } from "../../../src/evidence/facts.ts";
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
    ["blanks where the grammar lets them be", walk(own("v = DMARC1 ; p = reject"))],
    ["among texts that are none", walk(own("v=spf1 -all", "hello", "v=DMARC1; p=reject"))],
    [
      "the scanned name could not be asked about",
      { ...site, mailDmarc: { domain, walk: [own("v=DMARC1; p=none")], hostUnread: "timeout" } },
    ],
    ["that of a public suffix", walk(own(), suffix("v=DMARC1; p=reject; psd=y"))],
    ["that of a name above without psd", walk(own(), suffix("v=DMARC1; p=reject"))],
  ],
  notApplicable: [
    ["an address", { url: "https://192.0.2.1/", registrableDomain: null, mailDmarc: "not-asked" }],
    ["a local name, asked or not", { url: "https://intranet/", registrableDomain: null }],
  ],
  notChecked: [
    ["more texts than were kept: there may be a second record", walk(crowded)],
    ["more texts than were kept: there may be a first one", walk({ ...own("hello"), recordsDropped: 3 })],
  ],
  violated: {
    "security.mail.dmarc-missing": [
      ["no text", walk(own()), { values: { domain } }],
      ["no such name", walk({ ...own(), nameExists: false }, suffix())],
      ["another text", walk(own("v=spf1 -all"))],
      ["a suffix with two records has none", walk(own(), suffix("v=DMARC1; psd=y", "v=DMARC1; p=none; psd=y"))],
    ],
    "security.mail.dmarc-several": [
      ["two", walk(own("v=DMARC1; p=reject", "v=DMARC1; p=none")), { values: { domain, count: 2 } }],
      ["two, although a suffix has one", walk(own("v=DMARC1; p=reject", "v=DMARC1; p=reject"), suffix("v=DMARC1; psd=y"))],
      ["two are two, whatever else there is", walk({ ...own("v=DMARC1", "v=DMARC1"), recordsDropped: 1 })],
    ],
    "security.mail.dmarc-version-invalid": [
      ["small letters", walk(own("v=dmarc1; p=reject")), { values: { domain, record: "v=dmarc1; p=reject" } }],
      ["not first", walk(own("p=reject; v=DMARC1"))],
      ["another version", walk(own("v=DMARC2; p=reject"))],
      ["no semicolon", walk(own("v=DMARC1 p=reject"))],
      ["a quote too many", walk(own('"v=DMARC1; p=reject"'))],
    ],
  },
});
