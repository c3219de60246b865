/** Integrity attributes as browsers read them, and hostile input. Addresses whose content can stay the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  hasSignatureKey,
  hasUsableHash,
  type IntegrityHash,
  isPinnableUrl,
  parseIntegrity,
  strongestHashes,
  withoutFragment,
} from "../../../src/parse/integrity.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

const sha256 = `sha256-${"A".repeat(43)}=`;
const sha384 = `sha384-${"b".repeat(64)}`;
const sha512 = `sha512-${"9".repeat(86)}==`;
const sound = (algorithm: IntegrityHash["algorithm"]): IntegrityHash => ({ algorithm, wellFormed: true });
const broken = (algorithm: IntegrityHash["algorithm"]): IntegrityHash => ({ algorithm, wellFormed: false });

test.each<[string, string, readonly IntegrityHash[], readonly string[]]>([
  ["one hash", sha384, [sound("sha384")], []],
  ["several hashes", ` ${sha256}\n${sha384}\t${sha512} `, [sound("sha256"), sound("sha384"), sound("sha512")], []],
  ["options", `${sha256}?ct=text/javascript?x`, [sound("sha256")], []],
  ["the URL-safe alphabet", `sha256-${"-_".repeat(21)}A=`, [sound("sha256")], []],
  ["no padding", `sha256-${"A".repeat(43)}`, [sound("sha256")], []],
  [
    "weak algorithms",
    "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= md5-1B2M2Y8AsgTpgAmY7PhCfg==",
    [],
    ["sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "md5-1B2M2Y8AsgTpgAmY7PhCfg=="],
  ],
  ["capitals", sha384.replace("sha", "SHA"), [], [sha384.replace("sha", "SHA")]],
  ["no algorithm", "b".repeat(64), [], ["b".repeat(64)]],
  ["too short", "sha384-abc", [broken("sha384")], []],
  ["hexadecimal", `sha256-${"0f".repeat(32)}`, [broken("sha256")], []],
  ["the length of another algorithm", `sha512-${"b".repeat(64)}`, [broken("sha512")], []],
  ["not Base64", `sha256-${"!".repeat(43)}=`, [broken("sha256")], []],
  ["nothing after the dash", "sha256-", [broken("sha256")], []],
  ["only a dash", "-", [], ["-"]],
  ["nothing", " ", [], []],
])("%s", (_words, text, hashes, skipped) => {
  expect(parseIntegrity(text)).toEqual({ hashes, skipped });
});

test.each([
  ["ed25519-JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=", true],
  [`${sha384} ed25519-JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs?x`, true],
  ["ed25519-JrQLj5P=", false],
  ["ED448-JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=", false],
  [sha384, false],
  ["", false],
])("%s has a key of signatures: %s", (text, expected) => {
  expect(hasSignatureKey(parseIntegrity(text))).toBe(expected);
});

test.each([
  [sha384, true],
  [`md5-x ${sha256}`, true],
  [`${sha256} sha512-x`, false],
  ["sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", false],
  ["", false],
  [null, false],
])("%s has a hash that a file can match: %s", (attribute, expected) => {
  expect(hasUsableHash(attribute)).toBe(expected);
});

test("a browser requests no fragment", () => {
  expect(["https://a.example/x#y#z", "https://a.example/", "#"].map(withoutFragment)).toEqual([
    "https://a.example/x",
    "https://a.example/",
    "",
  ]);
});

test("only hashes of the strongest algorithm are compared", () => {
  expect(strongestHashes(parseIntegrity(`${sha512} ${sha256} sha512-x`))).toEqual([sound("sha512"), broken("sha512")]);
  expect(strongestHashes(parseIntegrity("md5-x"))).toEqual([]);
});

test("never throws", () => {
  const pieces = fc.constantFrom("sha256", "sha384-", "-", "?", "=", "+/", "aaaaaaaaaaaaaaaaaaaaa", " ", "\n", "\0");
  fc.assert(fc.property(unicodeText(), (text) => void strongestHashes(parseIntegrity(text))));
  fc.assert(fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => void strongestHashes(parseIntegrity(parts.join("")))));
});

test.each(["a", " ", "-", "?", "=", "sha256-", "sha256- ", "a=", "\n"])("64 KiB of %j in linear time", (piece) => {
  const fromMs = cpuMs();
  const text = piece.repeat(65_536 / piece.length);
  for (const head of ["", "sha256-"]) for (const tail of ["", "!"]) strongestHashes(parseIntegrity(`${head}${text}${tail}`));
  // A quadratic algorithm would take minutes.
  expect(cpuMs() - fromMs).toBeLessThan(3_000);
});

test.each([
  "https://cdn.example/jquery-3.7.1.min.js",
  "https://cdn.example/lib@1.2/x.js",
  "https://cdn.example/x.js?ver=6.4",
  "https://cdn.example/main.3f2a91bc.js",
  "https://unpkg.com/react",
  "https://cdn.jsdelivr.net/npm/bootstrap@5/dist/js/bootstrap.js",
])("%s", (url) => expect(isPinnableUrl(url)).toBe(true));

test.each([
  "https://tags.example/gtag/js?id=G-ABC123DEF4",
  "https://js.pay.example/v3/",
  "https://social.example/en_US/sdk.js",
  "https://chat.example/12345678.js",
  "https://consent.example/4a5b6c7d-0123-4567-89ab-0123456789ab/stub.js",
  "https://cdn.example/decadefaced.js",
  "not a url",
])("%s cannot be pinned", (url) => expect(isPinnableUrl(url)).toBe(false));
