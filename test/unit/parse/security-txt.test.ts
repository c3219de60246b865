/** Lines, fields and envelope of RFC 9116 and RFC 9580 section 7. Language tags of RFC 5646. */
import { describe, expect, test } from "vitest";
import {
  isLanguageTag,
  isMeantAsSecurityTxt,
  parseSecurityTxt,
  type SecurityTxtDefect,
  securityTxtValues,
} from "../../../src/parse/security-txt.ts";

/** Signed form of the first example in section 2.3. */
const signed = `-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

# Canonical URI
Canonical: https://example.com/.well-known/security.txt

- --- dashes are escaped
# Our security address
Contact: mailto:security@example.com
Expires: 2027-01-01T00:00:00.000Z
-----BEGIN PGP SIGNATURE-----
Version: GnuPG v2.2

[signature]
-----END PGP SIGNATURE-----
`;
const plain = "Contact: mailto:security@example.com\nExpires: 2027-01-01T00:00:00Z\n";
const kindsOf = (body: string) => parseSecurityTxt(body).defects.map(({ kind, line }) => `${line} ${kind}`);

test("fields with their line numbers", () => {
  expect(parseSecurityTxt(`# hello\r\n\r\nContact: mailto:a@example.com  \r\nX-New: any thing: at all\r\ncontact: tel:+1\r\n`)).toEqual({
    fields: [
      { name: "contact", value: "mailto:a@example.com", line: 3 },
      { name: "x-new", value: "any thing: at all", line: 4 },
      { name: "contact", value: "tel:+1", line: 5 },
    ],
    defects: [],
  });
  expect(securityTxtValues(parseSecurityTxt(plain), "contact")).toEqual(["mailto:security@example.com"]);
  expect(parseSecurityTxt("")).toEqual({ fields: [], defects: [] });
});

describe("signature envelope", () => {
  test("is removed, and lines keep their numbers", () => {
    const file = parseSecurityTxt(signed.replace("- --- dashes are escaped\n", ""));
    expect(file.defects).toEqual([]);
    expect(file.fields.map(({ name, line }) => `${line} ${name}`)).toEqual(["5 canonical", "8 contact", "9 expires"]);
  });
  test("dash escapes are removed", () => {
    expect(parseSecurityTxt(signed).defects).toEqual([{ kind: "line-malformed", line: 7, text: "--- dashes are escaped" }]);
  });
  test.each([
    [
      "no empty line after its headers",
      signed
        .split("\n")
        .filter((line) => line !== "")
        .join("\n")
        .concat("\n"),
    ],
    ["no signature", signed.slice(0, signed.indexOf("-----BEGIN PGP SIGNATURE")).replace("- ---", "# ---")],
    ["no end", signed.replace("-----END PGP SIGNATURE-----\n", "")],
    ["another header", signed.replace("Hash: SHA256", "Comment: hello")],
    ["an unescaped dash", signed.replace("- ---", "---")],
    ["text after it", `${signed}Contact: mailto:b@example.com\n`],
  ])("%s", (_words, body) => {
    expect(parseSecurityTxt(body).defects.map(({ kind }) => kind)).toContain("signature-malformed");
  });
  test("must be at the start of the file", () => {
    expect(kindsOf(`# hello\n${signed}`)).toContain("2 line-malformed");
  });
});

test.each<[string, readonly string[]]>([
  [`${plain}hello\n`, ["3 line-malformed"]],
  [`${plain}Policy:https://x.example/\n`, ["3 line-malformed"]],
  [`${plain}Policy:  https://x.example/\n`, ["3 line-malformed"]],
  [`${plain} Policy: https://x.example/\n`, ["3 line-malformed"]],
  [`${plain}Pol icy: x\n`, ["3 line-malformed"]],
  [`${plain}: x\n`, ["3 line-malformed"]],
  [`${plain}X: a\0b\n`, ["3 line-malformed"]],
  [plain.trimEnd(), ["2 line-unended"]],
  [plain.replace("\n", "\r"), ["1 line-unended"]],
  [plain.replaceAll("\n", "\r"), ["1 line-unended"]],
  [`\ufeff${plain}`, ["1 encoding"]],
  [`${plain}# \ufffd\n# \ufffd\n`, ["3 encoding"]],
  [`${plain}Policy: http://x.example/\n`, ["3 uri-http"]],
  [`${plain}X-Other: http://x.example/\n`, []],
  [`${plain}X-Other:  two blanks\nX-Empty: \n`, []],
  [`${plain}X-Other:no blank\n`, ["3 line-malformed"]],
  [`${plain}Hiring: \n`, ["3 line-malformed"]],
  [`${plain}Preferred-Languages: en, de-AT ,zh-Hant-TW\n`, []],
  [`${plain}Preferred-Languages: *\n`, ["3 languages-invalid"]],
  [`${plain}Preferred-Languages: english language\n`, ["3 languages-invalid"]],
  [`${plain}Preferred-Languages: en,\n`, ["3 languages-invalid"]],
])("%j", (body, kinds) => {
  expect(kindsOf(body)).toEqual([...kinds]);
});

test.each<[string, SecurityTxtDefect["kind"] | null]>([
  ["mailto:a@example.com", null],
  ["mailto:a@example.com?subject=x%20y", null],
  ["MAILTO:a@example.com", null],
  ["tel:+1-201-555-0123", null],
  ["tel:7042;phone-context=example.com", null],
  ["https://example.com/report?x=1#y", null],
  ["openpgp4fpr:5f2de5521c63a801ab59ccb603d49de44b29100f", null],
  ["dns:5d2d37ab76d47d36._openpgpkey.example.com?type=OPENPGPKEY", null],
  ["http://example.com/", "uri-http"],
  ["HTTP://example.com/", "uri-http"],
  ["a@example.com", "uri-invalid"],
  ["+1-201-555-0123", "uri-invalid"],
  ["example.com/report", "uri-invalid"],
  ["mailto:a", "uri-invalid"],
  ["mailto://a", "uri-invalid"],
  ["tel:call us", "uri-invalid"],
  ["https://", "uri-invalid"],
  ["https:example.com", "uri-invalid"],
  ["https://example.com/\u00e4", "uri-invalid"],
  ["https://example.com/ x", "uri-invalid"],
])("%s as a URI: %s", (value, kind) => {
  expect(kindsOf(`Contact: ${value}\n`)).toEqual(kind === null ? [] : [`1 ${kind}`]);
});

test("files are distinguished from HTML pages", () => {
  expect([plain, signed, `# x\ncontact:a`].every(isMeantAsSecurityTxt)).toBe(true);
  expect(["<p>Contact: us</p>", "", " Contact: x", "\n<!doctype html>\n<p>\nContact: us\n"].some(isMeantAsSecurityTxt)).toBe(false);
});

test.each([
  "en",
  "de-AT",
  "zh-Hant-TW",
  "sr-Latn",
  "es-419",
  "sl-rozaj-biske",
  "de-CH-1996",
  "en-a-bbb-x-a",
  "gsw",
  "x-own",
  "i-klingon",
  "EN-us",
])("%s is a tag", (tag) => expect(isLanguageTag(tag)).toBe(true));

test.each(["", "*", "e", "English", "deutsch", "en_US", "jp", "cz", "us", "en-", "-en", "en--us", "en;q=0.8", "de-a", "x", "en us"])(
  "%j is no tag",
  (tag) => expect(isLanguageTag(tag)).toBe(false),
);
