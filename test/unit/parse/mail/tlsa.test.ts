/** Which TLSA records senders of mail use, and their text. */
import { expect, test } from "vitest";
import type { TlsaRecord } from "../../../../src/evidence/dns-facts.ts";
import { tlsaText, tlsaUseForMail } from "../../../../src/parse/mail/tlsa.ts";

const numbers = [0, 1, 2, 3, 4, 255] as const;

function record(usage: number, selector: number, matchingType: number, data = "ab".repeat(32), dataBytes = data.length / 2): TlsaRecord {
  return { usage, selector, matchingType, data, dataBytes };
}

test("senders use DANE-TA and DANE-EE, with certificate or key", () => {
  const usable = numbers.flatMap((usage) =>
    numbers.flatMap((selector) => (tlsaUseForMail(record(usage, selector, 1)) === "usable" ? [`${usage} ${selector}`] : [])),
  );
  expect(usable).toEqual(["2 0", "2 1", "3 0", "3 1"]);
});

test("an unknown matching type is unusable", () => {
  expect(numbers.map((matchingType) => tlsaUseForMail(record(3, 1, matchingType)))).toEqual([
    "malformed",
    "usable",
    "malformed",
    "unusable",
    "unusable",
    "unusable",
  ]);
});

test.each([
  ["SHA-256 with 32 bytes", 1, "ab".repeat(32), "usable"],
  ["SHA-256 with 20 bytes", 1, "ab".repeat(20), "malformed"],
  ["SHA-256 without data", 1, "", "malformed"],
  ["SHA-512 with 64 bytes", 2, "ab".repeat(64), "usable"],
  ["SHA-512 with 32 bytes", 2, "ab".repeat(32), "malformed"],
  ["full data: a short DER sequence", 0, "3003020101", "usable"],
  ["full data: a DER sequence that is too short", 0, "30030201", "malformed"],
  ["full data: bytes after the DER sequence", 0, "300302010100", "malformed"],
  ["full data: no DER sequence", 0, "ab".repeat(32), "malformed"],
  ["full data: one byte", 0, "30", "malformed"],
  ["full data: the indefinite form", 0, "30800000", "malformed"],
  ["full data: a length that is cut", 0, "3082", "malformed"],
  ["full data: a length of three bytes", 0, "3083000001ff", "malformed"],
] as const)("%s", (_words, matchingType, data, use) => {
  expect(tlsaUseForMail(record(3, 1, matchingType, data))).toBe(use);
});

test("full data that was cut is measured by its own length", () => {
  const data = `30820200${"ab".repeat(60)}`;
  expect(tlsaUseForMail(record(2, 0, 0, data, 516))).toBe("usable");
  expect(tlsaUseForMail(record(2, 0, 0, data, 515))).toBe("malformed");
});

test("the text is that of a zone file", () => {
  expect(tlsaText(record(3, 1, 1, "abcd"))).toBe("3 1 1 abcd");
  expect(tlsaText(record(2, 0, 0, "30820200", 516))).toBe("2 0 0 30820200...");
});
