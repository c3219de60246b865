/** A file that its readers can rely on: dated, well-formed line by line, with safe addresses, and fetched from where it belongs. */
import check from "../../../checks/security-txt-valid.ts";
import { testCheck } from "../../support/check-tester.ts";

const place = "https://www.shop.com/.well-known/security.txt";
const contact = "Contact: mailto:security@shop.com";
const expires = "Expires: 2027-01-01T00:00:00Z";
const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
const served = (body: string, given = {}) => ({
  url: "https://www.shop.com/",
  registrableDomain: "shop.com",
  securityTxt: {
    attempts: [{ url: place, finalUrl: place, status: 200, contentType: "text/plain", body, truncated: false, ...given }],
  },
});
const file = (...lines: string[]) => served(text(contact, expires, ...lines));
const signed = (...lines: string[]) => [
  "-----BEGIN PGP SIGNED MESSAGE-----",
  "Hash: SHA512",
  "",
  ...lines,
  "-----BEGIN PGP SIGNATURE-----",
  "",
  "iQIzBAEBCgAdFiEE",
  "-----END PGP SIGNATURE-----",
];

testCheck(check, {
  passed: [
    ["contact and date", file()],
    [
      "every field, comments, empty lines and one that nobody knows",
      file(
        "# hello",
        "",
        "Acknowledgments: https://shop.com/thanks",
        "Canonical: https://www.shop.com/.well-known/security.txt",
        "Contact: tel:+1-201-555-0123",
        "Contact: https://shop.com/report",
        "CSAF: https://shop.com/.well-known/csaf/provider-metadata.json",
        "Encryption: openpgp4fpr:5f2de5521c63a801ab59ccb603d49de44b29100f",
        "Hiring: https://shop.com/jobs",
        "Policy: https://shop.com/policy",
        "Preferred-Languages: en, de-AT,fr",
        "Future: whatever it means",
      ),
    ],
    ["line ends of Windows", served(`${contact}\r\n${expires}\r\n`)],
    ["signed", served(text(...signed(contact, expires, "# fine")))],
    ["a date far ahead is only against a recommendation", served(text(contact, "Expires: 2099-12-31T23:59:59+02:00"))],
    [
      "canonical where redirects led",
      served(text(contact, expires, "Canonical: https://shop.com/.well-known/security.txt"), {
        finalUrl: "https://shop.com/.well-known/security.txt",
      }),
    ],
    [
      "canonical among others, spelt another way",
      file("Canonical: https://shop.com/x", "Canonical: https://WWW.shop.com:443/.well-known/security.txt"),
    ],
    ["no contact, which is another row's business", served(text(expires))],
  ],
  notApplicable: [
    ["no file", served("", { status: 404 })],
    ["a page for everything", served("<!doctype html><p>Welcome</p>", { contentType: "text/html" })],
    ["an address", { url: "https://192.0.2.1/", registrableDomain: null }],
  ],
  notChecked: [
    ["longer than is read", served(text(contact), { truncated: true })],
    ["a status that says nothing", served("", { status: 500 })],
  ],
  violated: {
    "security.security-txt.expires-missing": [
      ["no date", served(text(contact)), { values: { fileUrl: place, expires: "2027-11-16T00:00:00Z" } }],
    ],
    "security.security-txt.expires-repeated": [["two", file(expires), { values: { total: 2 } }]],
    "security.security-txt.expires-malformed": [
      ["a day alone", served(text(contact, "Expires: 2027-01-01")), { values: { value: "2027-01-01" } }],
      ["no zone", served(text(contact, "Expires: 2027-01-01T00:00:00"))],
      ["as in mail", served(text(contact, "Expires: Thu, 31 Dec 2026 18:37:07 -0800"))],
      ["a day that does not exist", served(text(contact, "Expires: 2027-02-30T00:00:00Z"))],
    ],
    "security.security-txt.expires-past": [
      ["a second ago", served(text(contact, "Expires: 2026-11-21T11:59:59Z")), { values: { value: "2026-11-21T11:59:59Z" } }],
      ["another zone", served(text(contact, "Expires: 2026-11-21T13:00:00+02:00"))],
    ],
    "security.security-txt.line-malformed": [
      ["no colon", file("hello", "world"), { values: { line: 3, text: "hello", total: 2 } }],
      ["no blank behind the colon", file("Policy:https://shop.com/policy")],
      ["a blank before the name", file(" Policy: https://shop.com/policy")],
      ["no value", file("Policy:")],
    ],
    "security.security-txt.line-unended": [
      ["the last line", served(`${contact}\n${expires}`), { values: { line: 2, text: expires } }],
      ["line ends of old", served(`${contact}\r${expires}\r`)],
    ],
    "security.security-txt.encoding": [
      ["no UTF-8", file("# M\ufffdnchen"), { values: { line: 3 } }],
      ["a byte order mark", served(`\ufeff${text(contact, expires)}`), { values: { line: 1, text: contact } }],
    ],
    "security.security-txt.signature-malformed": [
      ["no end", served(text(...signed(contact, expires).slice(0, -1))), { values: { line: 1 } }],
      [
        "a dash that is not escaped",
        served(text(...signed(contact, expires, "-# hello"))),
        { also: ["security.security-txt.line-malformed"], values: { line: 6 } },
      ],
      ["text outside", served(text(...signed(contact, expires), contact)), { values: { line: 10 } }],
    ],
    "security.security-txt.uri-http": [
      ["a policy", file("Policy: http://shop.com/policy", "Contact: HTTP://shop.com"), { values: { line: 3, total: 2 } }],
    ],
    "security.security-txt.uri-invalid": [
      ["a mail address without scheme", file("Contact: security@shop.com"), { values: { text: "Contact: security@shop.com" } }],
      ["two addresses in one field", file("Contact: mailto:a@shop.com, mailto:b@shop.com")],
      ["no host", file("Policy: https:policy")],
    ],
    "security.security-txt.languages-invalid": [["a semicolon", file("Preferred-Languages: en; de")]],
    "security.security-txt.languages-repeated": [
      ["two", file("Preferred-Languages: en", "preferred-languages: de"), { values: { total: 2 } }],
    ],
    "security.security-txt.canonical-mismatch": [
      [
        "another host",
        file("Canonical: https://shop.com/.well-known/security.txt"),
        { values: { canonical: "https://shop.com/.well-known/security.txt" } },
      ],
      ["another path", file("Canonical: https://www.shop.com/security.txt")],
      ["no URL", file("Canonical: /.well-known/security.txt"), { also: ["security.security-txt.uri-invalid"] }],
    ],
  },
});
