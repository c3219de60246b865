/** Usages of certificates of every kind, and of invalid bytes. */
import { expect, test } from "vitest";
import { certificateUsagesMax } from "../../../src/evidence/limits.ts";
import { certificateUsage } from "../../../src/parse/certificate-usage.ts";
import { type CertificateOptions, selfSigned } from "../../support/certificates.ts";

const usageOf = (options: CertificateOptions) => certificateUsage(selfSigned(options).der);
const bits = (...bytes: readonly number[]) => Buffer.from([0x03, bytes.length + 1, 0, ...bytes]);

test("an authority, and a certificate that is none", () => {
  expect(usageOf({ authority: true }).authority).toBe(true);
  expect(usageOf({}).authority).toBe(false);
  expect(certificateUsage(Buffer.from("no certificate"))).toEqual({ authority: false, keyUsage: null, extendedKeyUsage: null });
});

test.each<[string, Buffer | null, readonly string[] | null]>([
  ["absent", null, null],
  ["no bit", bits(), []],
  ["the first and the last bit", bits(0x80, 0x80), ["digitalSignature", "decipherOnly"]],
  [
    "all bits",
    bits(0xff, 0x80),
    [
      "digitalSignature",
      "contentCommitment",
      "keyEncipherment",
      "dataEncipherment",
      "keyAgreement",
      "keyCertSign",
      "cRLSign",
      "encipherOnly",
      "decipherOnly",
    ],
  ],
  ["of another type", Buffer.from([0x02, 0x01, 0x01]), null],
  ["cut", Buffer.from([0x03, 0x05, 0x00]), null],
])("key usage: %s", (_words, keyUsage, expected) => {
  expect(usageOf({ keyUsage }).keyUsage).toEqual(expected);
});

test.each<[string, readonly string[] | null, readonly string[] | null]>([
  ["absent", null, null],
  ["empty", [], []],
  ["known and unknown ones", ["1.2.3", "1.3.6.1.5.5.7.3.1", "2.5.29.37.0"], ["anyExtendedKeyUsage", "serverAuth", "1.2.3"]],
  ["repeated", ["1.2.3", "1.2.3"], ["1.2.3"]],
])("extended key usage: %s", (_words, extendedKeyUsage, expected) => {
  expect(usageOf({ extendedKeyUsage }).extendedKeyUsage).toEqual(expected);
});

test("of a long list, the known ones are kept", () => {
  const unknown = Array.from({ length: 100 }, (_, at) => `1.2.${at}`);
  const { extendedKeyUsage } = usageOf({ extendedKeyUsage: [...unknown, "1.3.6.1.5.5.7.3.1"] });
  expect(extendedKeyUsage).toHaveLength(certificateUsagesMax);
  expect(extendedKeyUsage).toContain("serverAuth");
});
