/** A reliable file: current, well-formed, with secure URIs, and fetched from its canonical URL. */
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

const files = "https://files.shop.com/security.txt";
const redirected = (certificate: string | null, body = text(contact, expires)) =>
  served(body, {
    finalUrl: files,
    hops: [
      { url: place, certificate: "accepted" },
      { url: files, certificate },
    ],
  });

testCheck(check, {
  passed: [
    ["contact and expiry", file()],
    ["behind an accepted certificate", redirected("accepted")],
    ["behind the certificate of the reading on TLS", redirected(null)],
    [
      "all fields, comments, empty lines and an unknown field",
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
    ["a distant date, which is only not recommended", served(text(contact, "Expires: 2099-12-31T23:59:59+02:00"))],
    [
      "a canonical URL at the redirect's target",
      served(text(contact, expires, "Canonical: https://shop.com/.well-known/security.txt"), {
        finalUrl: "https://shop.com/.well-known/security.txt",
      }),
    ],
    [
      "a canonical URL among others, in another spelling",
      file("Canonical: https://shop.com/x", "Canonical: https://WWW.shop.com:443/.well-known/security.txt"),
    ],
    ["no contact, which another check reports", served(text(expires))],
  ],
  notApplicable: [
    ["no file", served("", { status: 404 })],
    ["an HTML page for every path", served("<!doctype html><p>Welcome</p>", { contentType: "text/html" })],
    ["behind a refused certificate", redirected("refused")],
    ["behind a refused certificate, with faults", redirected("refused", text(contact))],
    ["an IP address", { url: "https://192.0.2.1/", registrableDomain: null }],
  ],
  notChecked: [
    ["behind a certificate that cannot be read", redirected("unread")],
    ["a cut file", served(text(contact), { truncated: true })],
    ["an inconclusive status", served("", { status: 500 })],
  ],
  violated: {
    "security.security-txt.expires-missing": [
      ["no expiry, behind a certificate that cannot be read", redirected("unread", text(contact))],
      ["no expiry", served(text(contact)), { values: { fileUrl: place, expires: "2027-11-16T00:00:00Z" } }],
    ],
    "security.security-txt.expires-repeated": [["two", file(expires), { values: { total: 2 } }]],
    "security.security-txt.expires-malformed": [
      ["a day alone", served(text(contact, "Expires: 2027-01-01")), { values: { value: "2027-01-01" } }],
      ["no time zone", served(text(contact, "Expires: 2027-01-01T00:00:00"))],
      ["the format of mail", served(text(contact, "Expires: Thu, 31 Dec 2026 18:37:07 -0800"))],
      ["a day that does not exist", served(text(contact, "Expires: 2027-02-30T00:00:00Z"))],
    ],
    "security.security-txt.expires-past": [
      ["one second ago", served(text(contact, "Expires: 2026-11-21T11:59:59Z")), { values: { value: "2026-11-21T11:59:59Z" } }],
      ["another time zone", served(text(contact, "Expires: 2026-11-21T13:00:00+02:00"))],
    ],
    "security.security-txt.line-malformed": [
      ["no colon", file("hello", "world"), { values: { line: 3, text: "hello", total: 2 } }],
      ["no space after the colon", file("Policy:https://shop.com/policy")],
      ["a space before the name", file(" Policy: https://shop.com/policy")],
      ["no value", file("Policy:")],
    ],
    "security.security-txt.line-unended": [
      ["the last line", served(`${contact}\n${expires}`), { values: { line: 2, text: expires } }],
      ["line ends of old systems", served(`${contact}\r${expires}\r`)],
    ],
    "security.security-txt.encoding": [
      ["invalid UTF-8", file("# M\ufffdnchen"), { values: { line: 3 } }],
      ["a byte order mark", served(`\ufeff${text(contact, expires)}`), { values: { line: 1, text: contact } }],
    ],
    "security.security-txt.signature-malformed": [
      ["no end of the signature", served(text(...signed(contact, expires).slice(0, -1))), { values: { line: 1 } }],
      [
        "a dash that is not escaped",
        served(text(...signed(contact, expires, "-# hello"))),
        { also: ["security.security-txt.line-malformed"], values: { line: 6 } },
      ],
      ["text outside the envelope", served(text(...signed(contact, expires), contact)), { values: { line: 10 } }],
    ],
    "security.security-txt.uri-http": [
      ["a policy", file("Policy: http://shop.com/policy", "Contact: HTTP://shop.com"), { values: { line: 3, total: 2 } }],
    ],
    "security.security-txt.uri-invalid": [
      ["a mail address without a scheme", file("Contact: security@shop.com"), { values: { text: "Contact: security@shop.com" } }],
      ["two addresses in one field", file("Contact: mailto:a@shop.com, mailto:b@shop.com")],
      ["no host", file("Policy: https:policy")],
    ],
    "security.security-txt.languages-invalid": [
      ["a semicolon", file("Preferred-Languages: en; de")],
      ["the name of a language", file("Preferred-Languages: English, German")],
      ["the code of a country", file("Preferred-Languages: en, jp")],
      ["a range", file("Preferred-Languages: *")],
    ],
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
      ["not a URL", file("Canonical: /.well-known/security.txt"), { also: ["security.security-txt.uri-invalid"] }],
    ],
  },
});
