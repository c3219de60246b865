/** The closest CAA records name the authorities, and are valid. */
import check from "../../../checks/dns-caa.ts";
import { testCheck } from "../../support/check-tester.ts";

const site = { url: "https://www.shop.com/", registrableDomain: "shop.com" };
/** Property such as `0 issue ca.example`: flags, tag, value. */
const caa = (...records: string[]) => ({
  ...site,
  dnsCaa: {
    foundAt: "shop.com",
    records: records.map((record) => {
      const [, flags = "", tag = "", value = ""] = /^(\d+) (\S+) ?(.*)$/.exec(record) ?? [];
      return { critical: Number(flags) >= 128, tag, value, truncated: false };
    }),
  },
});
const cut = { critical: false, tag: "issue", value: "ca.example; x", truncated: true };

testCheck(check, {
  passed: [
    ["one authority", caa("0 issue ca.example")],
    ["nobody", caa("0 issue ;")],
    ["no authority, by an empty value", caa("0 issue")],
    ["critical and known", caa("128 issue ca.example")],
    ["tags are case-insensitive", caa("128 ISSUE ca.example")],
    ["parameters of RFC 8657", caa("0 issue ca.example; accounturi=https://ca.example/acct/1; validationmethods=dns-01,http-01")],
    ["spaces where the grammar allows them", caa("0 issue   ca.example ; a = 1 ;b=")],
    [
      "all registered tags",
      caa(
        "0 issue ca.example",
        "0 issuewild ;",
        "128 issuemail ;",
        "0 issuevmc ca.example",
        "0 iodef mailto:a@shop.com",
        "0 iodef https://shop.com/caa",
        "0 contactemail a@shop.com",
      ),
    ],
    ["an unknown tag that is not critical", caa("0 issue ca.example", "0 tbs whatever it means")],
  ],
  notApplicable: [
    ["an IP address", { url: "https://192.0.2.1/", registrableDomain: null }],
    ["a local name", { url: "https://intranet/", registrableDomain: null, dnsCaa: "not-asked" }],
  ],
  notChecked: [
    ["a cut value", { ...site, dnsCaa: { foundAt: "shop.com", records: [cut] } }],
    ["records were dropped", { ...site, dnsCaa: { ...caa("0 iodef mailto:a@shop.com").dnsCaa, recordsDropped: 1 } }],
  ],
  violated: {
    "security.dns.caa-missing": [["no records in the complete tree", site, { values: { registrableDomain: "shop.com" } }]],
    "security.dns.caa-issue-missing": [
      ["only for wildcards", caa("0 issuewild ca.example"), { values: { foundAt: "shop.com", tags: "issuewild" } }],
      ["only a report destination", caa("0 iodef mailto:a@shop.com", "0 issuemail ;"), { values: { tags: "iodef, issuemail" } }],
    ],
    "security.dns.caa-tag-invalid": [
      ["a hyphen", caa("0 issue ca.example", "0 issue-wild ;"), { values: { property: '0 issue-wild ";"' } }],
    ],
    "security.dns.caa-issuer-invalid": [
      ["spaces inside", caa("0 issue ca example"), { values: { property: '0 issue "ca example"' } }],
      ["a URL", caa("0 issue https://ca.example/")],
      ["a label that ends in a hyphen", caa("0 issuewild ca-.example", "0 issue ;")],
      ["a trailing dot", caa("0 issue ca.example.")],
    ],
    "security.dns.caa-parameter-invalid": [
      ["no value", caa("0 issue ca.example; accounturi")],
      ["a comma instead of a semicolon", caa("0 issue ca.example; a=1 b=2")],
      ["an extra semicolon", caa("0 issue ca.example; a=1;")],
    ],
    "security.dns.caa-iodef-invalid": [
      ["no scheme", caa("0 issue ca.example", "0 iodef a@shop.com")],
      ["another scheme", caa("0 issue ca.example", "0 iodef ftp://shop.com/")],
    ],
    "security.dns.caa-critical-unknown": [
      ["beside a valid property", caa("0 issue ca.example", "128 tbs x"), { values: { tag: "tbs", property: '128 tbs "x"' } }],
      ["as the only property", caa("128 tbs x"), { also: ["security.dns.caa-issue-missing"] }],
      [
        "reported although another property was cut",
        { ...site, dnsCaa: { foundAt: "shop.com", records: [cut, { critical: true, tag: "tbs", value: "", truncated: false }] } },
      ],
    ],
  },
});
