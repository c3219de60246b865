/** Validity of certificates at the instant of a scan, and browser warnings. */
import { expect, test } from "vitest";
import { isCertificateAccepted, validityAt } from "../../../src/check/tls.ts";
import type { TlsFacts } from "../../../src/evidence/tls-facts.ts";
import { certificate, evidence } from "../../support/evidence.ts";

const from = "2026-10-01T00:00:00.000Z";
const to = "2026-12-30T00:00:00.000Z";

test.each([
  ["2026-09-30T23:59:59.999Z", "not-yet-valid"],
  [from, "valid"],
  [to, "valid"],
  ["2026-12-30T00:00:00.001Z", "expired"],
] as const)("at %s: %s", (at, expected) => {
  expect(validityAt(certificate({ validFrom: from, validTo: to }), at)).toBe(expected);
});

test("an unreadable date gives null", () => {
  expect(validityAt(certificate({ validFrom: "" }), from)).toBeNull();
});

test.each<[string, Partial<TlsFacts>, boolean]>([
  ["in order", {}, true],
  ["not trusted", { trusted: false }, false],
  ["another name", { hostMatches: false }, false],
  ["expired", { chain: [certificate({ validTo: from })] }, false],
  ["below an expired issuer", { path: [certificate({ validTo: from })] }, false],
  ["below an issuer in order", { path: [certificate()] }, true],
  ["for clients", { chain: [certificate({ usage: { authority: false, keyUsage: null, extendedKeyUsage: ["clientAuth"] } })] }, false],
  ["not read", { chain: [], trusted: false, hostMatches: false }, true],
])("a certificate that is %s is accepted: %s", (_words, given, expected) => {
  const { tls, subject } = evidence({ tls: given });
  if (tls.status === "failed") throw new Error("the evidence has no TLS");
  expect(isCertificateAccepted(tls.facts, subject.scannedAt)).toBe(expected);
});
