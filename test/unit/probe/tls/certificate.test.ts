/** Dates of certificates, independent of the runtime's text format. */
import { expect, test } from "vitest";
import { certificateFacts, readCertificate } from "../../../../src/probe/tls/certificate.ts";
import { selfSigned } from "../../../support/certificates.ts";

function datesOf(validFrom: string, validTo: string): readonly string[] {
  const certificate = readCertificate(selfSigned({ validFrom: new Date(validFrom), validTo: new Date(validTo) }).der);
  if (certificate === null) throw new Error("the runtime cannot read that certificate");
  const facts = certificateFacts(certificate, false);
  return [facts.validFrom, facts.validTo];
}

test.each([
  ["the first possible year", "0000-01-01T00:00:00.000Z"],
  ["the year 49, which is not 2049", "0049-12-31T23:59:59.000Z"],
  ["the year 999", "0999-02-28T01:02:03.000Z"],
  ["the last second before two-digit years", "1949-12-31T23:59:59.000Z"],
  ["the first two-digit year", "1950-01-01T00:00:00.000Z"],
  ["the last two-digit year", "2049-12-31T23:59:59.000Z"],
  ["the first year with four digits", "2050-01-01T00:00:00.000Z"],
  ["no expiry, RFC 5280 section 4.1.2.5", "9999-12-31T23:59:59.000Z"],
])("%s", (_words, date) => {
  expect(datesOf("0000-01-01T00:00:00.000Z", date)).toEqual(["0000-01-01T00:00:00.000Z", date]);
});
