/** Which cookie values are taken for random ones: identifiers of many kinds, but no settings, words, numbers or times. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomBitsOf } from "../../../src/evidence/random-bits.ts";
import { unicodeText } from "../../support/unicode-text.ts";

/** Bytes that are the same in every run, but as irregular as random ones. */
function bytes(seed: string | number, count: number): Buffer {
  return createHash("sha512").update(`seed ${seed}`).digest().subarray(0, count);
}

function drawn(alphabet: string, chars: number, seed: number): string {
  return [...bytes(seed, chars)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";

describe("random", () => {
  test.each([
    ["hexadecimal, 64 bits", bytes(1, 8).toString("hex")],
    ["hexadecimal in capitals", bytes(2, 16).toString("hex").toUpperCase()],
    ["a PHP session", drawn(digits + lower, 26, 3)],
    ["base64 with padding", bytes(4, 24).toString("base64")],
    ["base64, percent-encoded", encodeURIComponent(bytes(5, 24).toString("base64"))],
    ["base64url", bytes(6, 32).toString("base64url")],
    ["in quotes", `"${bytes(7, 16).toString("hex")}"`],
    ["a UUID", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6"],
    ["a UUID in capitals with a prefix", "v1|F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6"],
    ["a signed session of Express", `s%3A${bytes(8, 24).toString("base64url")}.${encodeURIComponent(bytes(9, 32).toString("base64"))}`],
    [
      "a JSON Web Token",
      [`{"alg":"HS256","typ":"JWT"}`, `{"sub":"1"}`].map((part) => Buffer.from(part).toString("base64url")).join(".") +
        `.${bytes(10, 32).toString("base64url")}`,
    ],
    [
      "a cookie that Laravel encrypted",
      Buffer.from(
        `{"iv":"${bytes(11, 16).toString("base64")}","value":"${bytes(12, 48).toString("base64")}","mac":"${bytes(13, 32).toString("hex")}","tag":""}`,
      ).toString("base64"),
    ],
  ])("%s", (_words, value) => {
    expect(randomBitsOf(value)).toBeGreaterThanOrEqual(64);
  });

  test.each([
    ["hexadecimal", "0123456789abcdef", 32],
    ["letters of one case and digits", digits + lower, 26],
    ["both cases and digits", digits + lower + lower.toUpperCase(), 22],
    ["base64url", `${digits}${lower}${lower.toUpperCase()}-_`, 32],
  ])("%s: fewer than 1 of 100 identifiers is missed", (_words, alphabet, chars) => {
    const missed = Array.from({ length: 1_000 }, (_, seed) => drawn(alphabet, chars, seed)).filter((value) => randomBitsOf(value) < 64);
    expect(missed.length).toBeLessThan(10);
  });
});

test.each([
  ["nothing", ""],
  ["a word", "dark"],
  ["words in camel case", "preferredLanguageSetting2024"],
  ["words with hyphens", "theme-dark-compact-v2-sidebar"],
  ["words with underscores and numbers", "exp_checkout_v3_variantB_2026"],
  ["words and numbers", "user1234theme5678dark"],
  ["a locale and a time zone", "en_GB.UTF-8_Europe/Berlin"],
  ["a number", "9007199254740993123456789"],
  ["a time", "2026-11-22T07:33:27.000Z"],
  ["a time without separators", "20261122T073327Z"],
  ["a client id of Google Analytics", "GA1.2.1234567890.1763796807"],
  ["JSON", JSON.stringify({ theme: "dark", id: bytes(1, 16).toString("hex") })],
  ["JSON, percent-encoded", encodeURIComponent(JSON.stringify({ id: bytes(1, 16).toString("hex") }))],
  ["JSON in base64", Buffer.from(JSON.stringify({ theme: "dark", size: "large" })).toString("base64")],
  ["text in base64", Buffer.from("theme=dark&language=de&size=large").toString("base64")],
  ["one character many times", "AAAAAAAAAAAAAAAAAAAAAAAA1b"],
  ["a sequence", "0123456789abcdef0123456789abcdef"],
  ["the empty UUID", "00000000-0000-0000-0000-000000000000"],
  ["fewer than 64 bits", bytes(1, 7).toString("hex")],
  ["a list of short codes", "a1b2;c3d4;e5f6;a7b8;c9d0"],
])("%s is not random", (_words, value) => {
  expect(randomBitsOf(value)).toBeLessThan(64);
});

test("any text gives a whole number of at most 256 bits", () => {
  fc.assert(
    fc.property(unicodeText({ maxLength: 600 }), (text) => {
      const bits = randomBitsOf(text);
      return Number.isInteger(bits) && bits >= 0 && bits <= 256;
    }),
  );
});
