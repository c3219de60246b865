/** Results for unlisted senders, through redirects and includes, and each fault that invalidates the record. */
import check from "../../../checks/mail-spf-policy.ts";
import { testCheck } from "../../support/check-tester.ts";
import { textRecords } from "../../support/evidence.ts";
import { spfEvidence as spf, truncatedSpf } from "../../support/spf.ts";

testCheck(check, {
  passed: [
    ["fail", spf("v=spf1 -all")],
    ["soft fail", spf("v=spf1 mx a/24//64 ip4:192.0.2.0/24 ip6:2001:db8::/32 ~all")],
    ["in capitals", spf("V=SPF1 IP4:192.0.2.1 -ALL")],
    ["spaces in between and at the end", spf("v=spf1  mx   -all  ")],
    ["through a redirect", spf("v=spf1 redirect=_spf.site.example", { "TXT _spf.site.example": ["v=spf1 -all"] })],
    [
      "through two redirects",
      spf("v=spf1 redirect=a.example.org", {
        "TXT a.example.org": ["v=spf1 redirect=b.example.org"],
        "TXT b.example.org": ["v=spf1 ~all"],
      }),
    ],
    ["a redirect beside all is ignored", spf("v=spf1 redirect=_spf.site.example -all")],
    ["terms after all are not evaluated", spf("v=spf1 -all include:lost.example.org ptr +all")],
    ["an include that ends in ?all does not match", spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 mx ?all"] })],
    [
      "an include that rejects every sender does not match",
      spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 -all"] }),
    ],
    ["an include in a loop does not match", spf("v=spf1 include:site.example -all")],
    [
      "an include that passes every sender, with a minus qualifier",
      spf("v=spf1 -include:x.example.org -all", { "TXT x.example.org": ["v=spf1 +all"] }),
    ],
    ["unknown modifiers are ignored", spf("v=spf1 exp=why.site.example future=%{i}.x v=spf1 -all")],
    ["a macro that only affects the match", spf("v=spf1 exists:%{ir}.%{v}._spf.%{d2} -all")],
    ["a macro of the domain is followed", spf("v=spf1 include:_spf.%{d} -all", { "TXT _spf.site.example": ["v=spf1 -all"] })],
    ["a name with a failed address query", spf("v=spf1 a:mail.site.example -all", { "A mail.site.example": "timeout" })],
    ["a/0 of a name without addresses matches nothing", spf("v=spf1 a:x.site.example/0 -all", { "A x.site.example": [] })],
    ["a/0 of a name with addresses of the other family", spf("v=spf1 a/0 -all", { "A site.example": ["2001:db8::1"] })],
    ["mx/0 of a domain that gets no mail", spf("v=spf1 mx/0 -all", { "MX site.example": ["."] })],
    ["a network as wide as the largest of one sender", spf("v=spf1 ip4:17.0.0.0/8 ip4:192.0.2.0/24 ip6:2001:db8::/16 -all")],
    ["private networks", spf("v=spf1 ip4:10.0.0.0/8 ip4:127.0.0.0/8 ip4:224.0.0.0/3 ip6:fc00::/7 ip6:ff00::/8 -all")],
    ["two halves without a plus qualifier", spf("v=spf1 -ip4:0.0.0.0/1 ?ip4:128.0.0.0/1 ~ip6:::/1 -all")],
    ["a half that an earlier term takes out", spf("v=spf1 -ip4:0.0.0.0/1 ip4:0.0.0.0/1 -all")],
    ["all addresses that earlier terms take out", spf("v=spf1 -ip4:0.0.0.0/0 -ip6:::/1 -ip6:8000::/1 +all")],
    [
      "halves that an include takes out",
      spf("v=spf1 -include:x.example.org ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all", { "TXT x.example.org": ["v=spf1 ip4:0.0.0.0/0 -all"] }),
    ],
    [
      "halves that an included record takes out",
      spf("v=spf1 include:x.example.org -all", {
        "TXT x.example.org": ["v=spf1 -ip4:0.0.0.0/0 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -ip6:::/0 all"],
      }),
    ],
    ["terms after all", spf("v=spf1 ip4:0.0.0.0/8 -all ip4:0.0.0.0/1 ip4:128.0.0.0/1")],
    ["a redirect beside all", spf("v=spf1 -all redirect=x.example.org", { "TXT x.example.org": ["v=spf1 ip4:0.0.0.0/0 -all"] })],
  ],
  notApplicable: [
    ["no record", { mailSpf: { own: textRecords("site.example") } }],
    ["several", { mailSpf: { own: textRecords("site.example", "v=spf1 -all", "v=spf1 +all") } }],
    ["not a public name", { registrableDomain: null }],
  ],
  notChecked: [
    ["an include with a failed query", spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": "timeout" })],
    ["a redirect with a failed query", spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": "timeout" })],
    ["an include without a query", spf("v=spf1 include:x.example.org -all", {}, { followedDropped: 1 })],
    ["an include whose name depends on the sender", spf("v=spf1 include:%{ir}.x.example.org -all")],
    ["a redirect whose name depends on the sender", spf("v=spf1 redirect=%{l}.x.example.org")],
    ["redirects in a loop", spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": ["v=spf1 redirect=site.example"] })],
    ["a cut record", spf("", {}, truncatedSpf("v=spf1 ip4:192.0.2.1 ip4:192.0.2.2"))],
    ["a cut term is not a fault", spf("", {}, truncatedSpf("v=spf1 mx -all ip4:192.0"))],
    ["an unread name around which every address passes", spf("v=spf1 a:x.example.org/0 -all", { "A x.example.org": "timeout" })],
    ["an unread name around which a half passes", spf("v=spf1 a:x.example.org/1 -all", { "A x.example.org": "timeout" })],
    ["unread mail servers", spf("v=spf1 mx/2 -all", { "MX site.example": "timeout" })],
    ["an unread name that may exist", spf("v=spf1 exists:x.example.org -all", { "A x.example.org": "timeout" })],
    [
      "two halves that an unread include may take out",
      spf("v=spf1 -include:x.example.org ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all", { "TXT x.example.org": "timeout" }),
    ],
    ["the rest that an unread include may take out", spf("v=spf1 -include:x.example.org +all", { "TXT x.example.org": "timeout" })],
    [
      "a half around a mail server, perhaps the one that was taken out",
      spf("v=spf1 -ip4:0.0.0.0/1 mx/1 -all", { "MX site.example": ["mail.site.example"] }),
    ],
    [
      "a cut record that may take a half out before its redirect",
      spf(
        "",
        {
          "TXT x.example.org": ["v=spf1 ip4:0.0.0.0/0 -all"],
        },
        truncatedSpf("v=spf1 redirect=x.example.org mx ip4:192.0"),
      ),
    ],
    ["records may have been dropped", { mailSpf: { own: { ...textRecords("site.example", "v=spf1 -all"), recordsDropped: 1 } } }],
  ],
  violated: {
    "security.mail.spf-all-pass": [
      ["+all", spf("v=spf1 mx +all"), { values: { term: "+all", recordDomain: "site.example" } }],
      ["plus is the default", spf("v=spf1 all")],
      [
        "through a redirect",
        spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": ["v=spf1 all"] }),
        { values: { recordDomain: "x.example.org", record: "v=spf1 all" } },
      ],
      ["with a failed query for an include", spf("v=spf1 include:x.example.org +all", { "TXT x.example.org": "timeout" })],
    ],
    "security.mail.spf-all-neutral": [
      ["?all", spf("v=spf1 mx ?all"), { values: { term: "?all" } }],
      ["through a redirect", spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": ["v=spf1 ?all"] })],
    ],
    "security.mail.spf-all-missing": [
      ["only the version", spf("v=spf1"), { values: { record: "v=spf1" } }],
      ["no all", spf("v=spf1 mx ip4:192.0.2.1")],
      [
        "at the end of a redirect",
        spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": ["v=spf1 mx"] }),
        { values: { recordDomain: "x.example.org" } },
      ],
      ["the all of an include does not end the record", spf("v=spf1 include:x.example.org", { "TXT x.example.org": ["v=spf1 -all"] })],
      ["a modifier is not a mechanism", spf("v=spf1 all=-all")],
    ],
    "security.mail.spf-passes-everybody": [
      ["every IPv4 address", spf("v=spf1 ip4:0.0.0.0/0 -all"), { values: { term: "ip4:0.0.0.0/0" } }],
      ["every IPv6 address", spf("v=spf1 ip6:::/0 -all")],
      ["around any address of a name", spf("v=spf1 a/0 -all", { "A site.example": ["192.0.2.1"] })],
      ["around any address of a mail server", spf("v=spf1 mx//0 -all", { "MX site.example": ["mail.site.example"] })],
      ["an include that passes every sender", spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 +all"] })],
      [
        "an include that redirects to a record for every sender",
        spf("v=spf1 include:x.example.org -all", {
          "TXT x.example.org": ["v=spf1 redirect=y.example.org"],
          "TXT y.example.org": ["v=spf1 all"],
        }),
      ],
      [
        "an include that includes a record for every sender",
        spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 ip4:0.0.0.0/0 ~all"] }),
      ],
      [
        "two halves",
        spf("v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all"),
        { values: { term: "ip4:0.0.0.0/1 ip4:128.0.0.0/1", recordDomain: "site.example" } },
      ],
      [
        "two halves in another order, with terms in between",
        spf("v=spf1 ip4:200.0.0.0/1 ip4:192.0.2.1 mx ?ip4:192.0.2.7 +ip4:0.0.0.0/2 ip4:64.0.0.0/2 ~all"),
      ],
      ["the halves of IPv6", spf("v=spf1 ip6:::/1 ip6:8000::/1 -all")],
      ["the assigned part of IPv6", spf("v=spf1 ip6:2000::/3 -all"), { values: { term: "ip6:2000::/3" } }],
      ["every address but private and reserved ones", spf("v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/2 ip4:192.0.0.0/3 -all")],
      [
        "a half around an address, and the other half",
        spf("v=spf1 a/1 ip4:0.0.0.0/1 -all", { "A site.example": ["192.0.2.1", "2001:db8::1"] }),
        { values: { term: "a/1 ip4:0.0.0.0/1" } },
      ],
      ["a half around each of two addresses", spf("v=spf1 a/1 -all", { "A site.example": ["100.0.0.1", "192.0.2.1"] })],
      ["around any address of a mail server, by IPv4", spf("v=spf1 mx/0 -all", { "MX site.example": ["mail.site.example"] })],
      [
        "a half, and the other half in an included record",
        spf("v=spf1 ip4:0.0.0.0/1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 ip4:128.0.0.0/1 -all"] }),
        { values: { term: "ip4:0.0.0.0/1 include:x.example.org" } },
      ],
      [
        "halves in two included records",
        spf("v=spf1 include:x.example.org include:y.example.org -all", {
          "TXT x.example.org": ["v=spf1 ip6:::/1 -all"],
          "TXT y.example.org": ["v=spf1 ip6:8000::/1 ?all"],
        }),
      ],
      [
        "a half, and the other half behind a redirect",
        spf("v=spf1 ip4:0.0.0.0/1 redirect=x.example.org", { "TXT x.example.org": ["v=spf1 ip4:128.0.0.0/1 -all"] }),
        { values: { term: "ip4:0.0.0.0/1 redirect=x.example.org", recordDomain: "site.example" } },
      ],
      [
        "two halves behind a redirect",
        spf("v=spf1 mx redirect=x.example.org", { "TXT x.example.org": ["v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all"] }),
        { values: { term: "ip4:0.0.0.0/1 ip4:128.0.0.0/1", recordDomain: "x.example.org" } },
      ],
      [
        "what an include takes out passes before",
        spf("v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -include:x.example.org ~all", { "TXT x.example.org": ["v=spf1 all"] }),
      ],
      [
        "with a failed query for an include that can only allow more",
        spf("v=spf1 include:x.example.org ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all", { "TXT x.example.org": "timeout" }),
      ],
      [
        "many parts",
        spf(`v=spf1 ${Array.from({ length: 16 }, (_, at) => `ip4:${16 * at}.0.0.0/4`).join(" ")} -all`),
        { values: { term: `${Array.from({ length: 8 }, (_, at) => `ip4:${16 * at}.0.0.0/4`).join(" ")} ...` } },
      ],
      ["a name that always exists", spf("v=spf1 exists:site.example -all", { "A site.example": ["192.0.2.1"] })],
    ],
    "security.mail.spf-addresses-too-many": [
      ["a half", spf("v=spf1 ip4:0.0.0.0/1 -all"), { values: { term: "ip4:0.0.0.0/1", record: "v=spf1 ip4:0.0.0.0/1 -all" } }],
      ["another half", spf("v=spf1 mx ip4:192.0.2.0/24 ip4:200.0.0.0/1 ~all"), { values: { term: "ip4:200.0.0.0/1" } }],
      ["the narrowest of the wide networks", spf("v=spf1 ip4:0.0.0.0/7 -all")],
      ["with a private part", spf("v=spf1 ip4:192.0.0.0/7 -all")],
      ["every address but one network", spf("v=spf1 -ip4:192.0.2.0/24 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all")],
      ["a half of IPv6", spf("v=spf1 ip6:8000::/1 -all")],
      ["all addresses of a registry", spf("v=spf1 ip6:2a00::/12 -all"), { values: { term: "ip6:2a00::/12" } }],
      ["around an address of a name", spf("v=spf1 a:x.example.org/1 -all", { "A x.example.org": ["192.0.2.1"] })],
      [
        "around a mail server, wherever it is",
        spf("v=spf1 mx/1 -all", { "MX site.example": ["mail.site.example"] }),
        { values: { term: "mx/1" } },
      ],
      [
        "around a mail server, in a record behind a redirect",
        spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": ["v=spf1 mx/2 -all"], "MX x.example.org": ["mail.site.example"] }),
        { values: { term: "mx/2", recordDomain: "x.example.org" } },
      ],
      [
        "in an included record",
        spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 ip4:64.0.0.0/2 -all"] }),
        { values: { term: "include:x.example.org", recordDomain: "site.example" } },
      ],
      [
        "many networks, each of a sender",
        spf(`v=spf1 ${Array.from({ length: 10 }, (_, at) => `ip4:${20 + 2 * at}.0.0.0/8`).join(" ")} -all`),
        { values: { term: "ip4:20.0.0.0/8 ip4:22.0.0.0/8" } },
      ],
      ["beside a neutral end", spf("v=spf1 ip4:0.0.0.0/1 ?all"), { also: ["security.mail.spf-all-neutral"] }],
      [
        "with a failed query for an include that may allow more",
        spf("v=spf1 include:x.example.org ip4:0.0.0.0/1 -all", { "TXT x.example.org": "timeout" }),
      ],
      ["in front of the cut", spf("", {}, truncatedSpf("v=spf1 ip4:0.0.0.0/3 ip4:192.0"))],
      ["what an earlier term leaves of all", spf("v=spf1 -ip4:0.0.0.0/1 ip4:0.0.0.0/0 -all"), { values: { term: "ip4:0.0.0.0/0" } }],
    ],
    "security.mail.spf-ptr": [
      ["ptr of the domain", spf("v=spf1 ptr -all"), { values: { term: "ptr" } }],
      ["ptr of another name", spf("v=spf1 ptr:example.org -all")],
      [
        "in an included record",
        spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 ptr -all"] }),
        { values: { recordDomain: "x.example.org" } },
      ],
    ],
    "security.mail.spf-mechanism-unknown": [
      ["ipv4", spf("v=spf1 ipv4:192.0.2.1 -all"), { values: { term: "ipv4:192.0.2.1" } }],
      ["a dash that is not a hyphen, instead of the end", spf("v=spf1 mx \u2013all"), { values: { term: "\u2013all" } }],
      ["a full stop", spf("v=spf1 mx -all.")],
      ["a comma", spf("v=spf1 mx, -all")],
      ["redirect with a colon", spf("v=spf1 redirect:x.example.org")],
      ["a modifier with a sign", spf("v=spf1 +redirect=x.example.org -all")],
      ["after all: receivers parse the complete record first", spf("v=spf1 -all nonsense")],
      ["in an included record", spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 spf -all"] })],
    ],
    "security.mail.spf-address-invalid": [
      ["a byte above 255", spf("v=spf1 ip4:192.0.2.400 -all")],
      ["a prefix that is too long", spf("v=spf1 ip4:192.0.2.0/33 -all")],
      ["a prefix that is too long for both families", spf("v=spf1 mx/129 -all")],
    ],
    "security.mail.spf-name-invalid": [
      ["missing", spf("v=spf1 include: -all"), { values: { term: "include:" } }],
      ["without a colon", spf("v=spf1 include -all")],
      ["an IP address", spf("v=spf1 a:192.0.2.1 -all")],
      ["a single label", spf("v=spf1 include:google -all")],
      ["with a port", spf("v=spf1 a:mail.example.org:25 -all")],
      ["an empty redirect", spf("v=spf1 redirect=")],
    ],
    "security.mail.spf-macro-invalid": [
      ["an unknown macro letter", spf("v=spf1 exists:%{q}.x.example.org -all")],
      ["a macro letter for explanations only", spf("v=spf1 exists:%{c}.x.example.org -all")],
      ["a stray percent sign, even in an unknown modifier", spf("v=spf1 future=100% -all")],
    ],
    "security.mail.spf-argument-invalid": [
      ["all with an argument", spf("v=spf1 -all:example.org")],
      ["an include with a prefix", spf("v=spf1 include/24 -all")],
    ],
    "security.mail.spf-modifier-repeated": [
      ["redirect", spf("v=spf1 redirect=x.example.org redirect=x.example.org", { "TXT x.example.org": ["v=spf1 -all"] })],
      ["exp", spf("v=spf1 exp=a.example.org -all exp=b.example.org")],
    ],
    "security.mail.spf-include-without-record": [
      [
        "a name that does not exist",
        spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": "absent" }),
        { values: { term: "include:x.example.org" } },
      ],
      ["a name without SPF", spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["verification"] })],
      ["a name with two SPF records", spf("v=spf1 include:x.example.org -all", { "TXT x.example.org": ["v=spf1 -all", "v=spf1 mx -all"] })],
      [
        "deeper",
        spf("v=spf1 include:x.example.org -all", {
          "TXT x.example.org": ["v=spf1 include:y.example.org -all"],
          "TXT y.example.org": "absent",
        }),
        { values: { recordDomain: "x.example.org" } },
      ],
    ],
    "security.mail.spf-redirect-without-record": [
      [
        "a name without SPF, whose missing end is not reported too",
        spf("v=spf1 redirect=x.example.org", { "TXT x.example.org": "absent" }),
      ],
    ],
  },
});
