/** Terms that count as lookups, records that contain them, and void lookups. */
import check from "../../../checks/mail-spf-lookups.ts";
import { testCheck } from "../../support/check-tester.ts";
import { textRecords } from "../../support/evidence.ts";
import { type SpfDnsAnswers, spfEvidence as spf, truncatedSpf } from "../../support/spf.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
/** Terms of one kind with distinct names, and an answer for each. */
const terms = (count: number, word: string) =>
  numbers(count)
    .map((at) => word.replace("#", `n${at}.example.org`))
    .join(" ");
const answers = (count: number, type: string, answer: SpfDnsAnswers[string], prefix = "n"): SpfDnsAnswers =>
  Object.fromEntries(numbers(count).map((at) => [`${type} ${prefix}${at}.example.org`, answer]));
const addresses = answers(12, "A", ["192.0.2.1"]);
const here: SpfDnsAnswers = { "A site.example": ["192.0.2.1"], "MX site.example": ["mail.site.example"] };
const record = (text: string) => [text];

testCheck(check, {
  passed: [
    ["no lookups", spf("v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 -all")],
    ["ten", spf(`v=spf1 ${terms(10, "a:#")} -all`, addresses)],
    ["ten lookups, and exp", spf(`v=spf1 ${terms(10, "a:#")} -all exp=why.example.org`, addresses)],
    ["terms after all do not count", spf(`v=spf1 -all ${terms(12, "a:#")}`)],
    ["a redirect beside all does not count", spf(`v=spf1 ${terms(10, "a:#")} redirect=x.example.org -all`, addresses)],
    ["two void lookups", spf("v=spf1 a:n1.example.org mx:n2.example.org -all", { "A n1.example.org": "absent", "MX n2.example.org": [] })],
    ["one lookup depends on the sender", spf("v=spf1 exists:%{ir}.x.example.org -all")],
    ["ten mail servers", spf("v=spf1 mx -all", { "MX site.example": numbers(10).map((at) => `mx${at}.example.org`) })],
    ["a name with a failed address query", spf("v=spf1 a:n1.example.org -all", { "A n1.example.org": "timeout" })],
    [
      "an include of a name without a record, which another check reports",
      spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["text"] }),
    ],
  ],
  notApplicable: [
    ["no record", { mailSpf: { own: textRecords("site.example") } }],
    ["several", { mailSpf: { own: textRecords("site.example", "v=spf1 -all", "v=spf1 +all") } }],
    ["not a public name", { registrableDomain: null }],
  ],
  notChecked: [
    ["an include with a failed query", spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": "timeout" })],
    ["a redirect with a failed query", spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": "timeout" })],
    ["an include whose name depends on the sender", spf("v=spf1 include:%{i}.x.example.org -all")],
    ["a cut record", spf("", {}, truncatedSpf("v=spf1 mx mx:x.exam"))],
    ["three names with failed queries", spf(`v=spf1 ${terms(3, "a:#")} -all`, answers(3, "A", "timeout"))],
    ["three names that depend on the sender", spf("v=spf1 exists:%{i}.a.org exists:%{i}.b.org exists:%{i}.c.org -all")],
    ["records may have been dropped", { mailSpf: { own: { ...textRecords("site.example", "v=spf1 -all"), recordsDropped: 1 } } }],
  ],
  violated: {
    "security.mail.spf-lookups-too-many": [
      [
        "eleven times a name's addresses, which a well-known tool does not count",
        spf(`v=spf1 ${terms(11, "a:#")} -all`, addresses),
        { values: { lookups: 11 } },
      ],
      [
        "mechanism a with a prefix counts too",
        spf(`v=spf1 a/24 ${terms(10, "a:#/24//64")} -all`, { ...addresses, ...here }),
        { values: { lookups: 11 } },
      ],
      ["the same term eleven times", spf(`v=spf1 ${"a ".repeat(11)}-all`, here)],
      ["mx", spf(`v=spf1 mx ${terms(10, "mx:#")} -all`, { ...here, ...answers(10, "MX", ["mail.example.org"]) })],
      ["ptr", spf(`v=spf1 ptr ${terms(10, "a:#")} -all`, addresses), { values: { lookups: 11 } }],
      ["exists, with any name", spf(`v=spf1 ${terms(11, "exists:%{i}.#")} -all`)],
      [
        "a redirect",
        spf(`v=spf1 ${terms(10, "a:#")} redirect=x.example.org`, { ...addresses, "TXT x.example.org": record("v=spf1 -all") }),
      ],
      [
        "lookups of included records",
        spf("v=spf1 include:x.example.org include:y.example.org mx a:n1.example.org a -all", {
          ...here,
          ...addresses,
          "TXT x.example.org": record(`v=spf1 ${terms(3, "a:#")} -all`),
          "TXT y.example.org": record(`v=spf1 ${terms(3, "a:#")} -all`),
        }),
        { values: { lookups: 11 } },
      ],
      [
        "a record that is included twice counts twice",
        spf("v=spf1 include:x.example.org include:x.example.org -all", {
          ...addresses,
          "TXT x.example.org": record(`v=spf1 ${terms(5, "a:#")} -all`),
        }),
        { values: { lookups: 12 } },
      ],
      [
        "with a failed query for an include",
        spf(`v=spf1 include:x.example.org ${terms(10, "a:#")} -all`, { ...addresses, "TXT x.example.org": "timeout" }),
      ],
      ["in the kept part of the record", spf("", addresses, truncatedSpf(`v=spf1 ${terms(11, "a:#")} ip4:19`))],
      ["with an invalid term in the record", spf(`v=spf1 nonsense ${terms(11, "a:#")} -all`, addresses)],
    ],
    "security.mail.spf-void-lookups-too-many": [
      [
        "names that do not exist",
        spf(`v=spf1 ${terms(3, "a:#")} -all`, answers(3, "A", "absent")),
        { values: { voids: 3, terms: "a:n1.example.org a:n2.example.org a:n3.example.org" } },
      ],
      [
        "no addresses, no mail servers, no name",
        spf("v=spf1 a mx exists:n1.example.org -all", { "A site.example": [], "MX site.example": [], "A n1.example.org": "absent" }),
      ],
      [
        "in an included record",
        spf("v=spf1 include:x.example.org -all", {
          "TXT x.example.org": record(`v=spf1 ${terms(3, "mx:#")} -all`),
          ...answers(3, "MX", []),
        }),
      ],
      ["one name three times", spf("v=spf1 a a/24 a//64 -all", { "A site.example": [] }), { values: { voids: 3 } }],
    ],
    "security.mail.spf-loop": [
      ["a record includes itself", spf("v=spf1 include:site.example -all"), { values: { term: "include:site.example" } }],
      [
        "an include that leads back",
        spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": record("v=spf1 include:x.example.org -all") }),
      ],
      ["a redirect that leads back", spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": record("v=spf1 redirect=site.example") })],
      [
        "two includes that lead back",
        spf("v=spf1 include:x.example.org -all", {
          "TXT x.example.org": record("v=spf1 include:y.example.org -all"),
          "TXT y.example.org": record("v=spf1 include:x.example.org -all"),
        }),
      ],
    ],
    "security.mail.spf-mx-hosts-too-many": [
      [
        "eleven",
        spf("v=spf1 mx -all", { "MX site.example": numbers(11).map((at) => `mx${at}.example.org`) }),
        { values: { count: 11, term: "mx" } },
      ],
    ],
  },
});
