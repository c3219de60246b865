/**
 * Keys and signatures of certificates of every kind, and of invalid bytes. Usages of certificates of every kind, and of invalid bytes.
 * Hosts that certificate names cover, with real certificates.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { certificateUsagesMax } from "../../../src/evidence/limits.ts";
import {
  alternativeNames,
  certificateKey,
  certificateSignature,
  certificateUsage,
  namesCoverHost,
} from "../../../src/parse/certificate.ts";
import { type CertificateOptions, selfSigned } from "../../support/certificates.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { randomRuns } from "../../support/random-runs.ts";

const tlv = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...parts: readonly Buffer[]) => tlv(0x30, ...parts);
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

const sha256WithRsa = sequence(hex("0609 2a864886f70d01010b"), hex("0500"));
const rsaEncryption = sequence(hex("0609 2a864886f70d010101"), hex("0500"));

interface Parts {
  readonly keyInfo?: Buffer;
  readonly signature?: Buffer;
  /** Algorithm inside the signed part; equal to the outer one by default. */
  readonly signed?: Buffer;
  readonly version?: Buffer;
}

/** Certificate with only the fields that the parser reads. */
function handMade({ keyInfo = Buffer.alloc(0), signature = sha256WithRsa, signed, version = hex("a003020102") }: Parts): Buffer {
  const [serial, name, validity] = [hex("020101"), sequence(), sequence()];
  return sequence(sequence(version, serial, signed ?? signature, name, validity, name, keyInfo), signature, hex("030100"));
}

function rsaKey(modulus: Buffer, exponent: Buffer): Buffer {
  return sequence(rsaEncryption, tlv(3, Buffer.from([0]), sequence(tlv(2, modulus), tlv(2, exponent))));
}

describe("keys", () => {
  test.each([
    ["rsa-1024", { type: "rsa", bits: 1_024, curve: null, rsaExponent: "10001" }],
    ["rsa-2048", { type: "rsa", bits: 2_048, curve: null, rsaExponent: "10001" }],
    ["rsa-4096", { type: "rsa", bits: 4_096, curve: null, rsaExponent: "10001" }],
    ["ec-p224", { type: "ec", bits: 224, curve: "secp224r1", rsaExponent: null }],
    ["ec-p256", { type: "ec", bits: 256, curve: "prime256v1", rsaExponent: null }],
    ["ec-p384", { type: "ec", bits: 384, curve: "secp384r1", rsaExponent: null }],
    ["ed25519", { type: "ed25519", bits: 256, curve: null, rsaExponent: null }],
  ] as const)("%s", (key, expected) => {
    expect(certificateKey(selfSigned({ key }).der)).toEqual(expected);
  });

  test("an exponent of 1, and a modulus that is one bit too short", () => {
    const modulus = Buffer.concat([Buffer.from([0x00, 0x7f]), Buffer.alloc(255, 0xff)]);
    const keyInfo = rsaKey(modulus, Buffer.from([1]));
    expect(certificateKey(handMade({ keyInfo }))).toMatchObject({ type: "rsa", bits: 2_047, rsaExponent: "1" });
  });

  test("a certificate of version 1, without a version field", () => {
    const keyInfo = rsaKey(Buffer.from([0x0f]), Buffer.from([0, 3]));
    expect(certificateKey(handMade({ keyInfo, version: Buffer.alloc(0) }))).toMatchObject({ type: "rsa", bits: 4, rsaExponent: "3" });
  });

  const point = tlv(3, Buffer.alloc(66));
  test.each([
    ["DSA", "0607 2a8648ce380401 3008 0203 00ffff 0201 03", { type: "dsa", bits: 16, curve: null }],
    ["an RSASSA-PSS key", "0609 2a864886f70d01010a", { type: "rsa-pss", bits: null, rsaExponent: null }],
    ["Ed448", "0603 2b6571", { type: "ed448", bits: 456 }],
    ["a curve of Brainpool", "0607 2a8648ce3d0201 0609 2b2403030208010107", { type: "ec", bits: 256, curve: "brainpoolP256r1" }],
    ["an unknown curve", "0607 2a8648ce3d0201 0603 2a0304", { type: "ec", bits: null, curve: "1.2.3.4" }],
    ["explicit curve parameters", "0607 2a8648ce3d0201 3003 020101", { type: "ec", bits: null, curve: null }],
    ["an unknown key type", "0603 2a0304", { type: null, bits: null, curve: null, rsaExponent: null }],
  ])("%s", (_words, algorithm, expected) => {
    expect(certificateKey(handMade({ keyInfo: sequence(sequence(hex(algorithm)), point) }))).toMatchObject(expected);
  });
});

describe("signatures", () => {
  test.each<[CertificateOptions, string, string]>([
    [{ key: "rsa-2048", hash: "md5" }, "md5WithRSAEncryption", "md5"],
    [{ key: "rsa-2048", hash: "sha1" }, "sha1WithRSAEncryption", "sha1"],
    [{ key: "rsa-2048", hash: "sha224" }, "sha224WithRSAEncryption", "sha224"],
    [{ key: "rsa-2048", hash: "sha384" }, "sha384WithRSAEncryption", "sha384"],
    [{ key: "ec-p256", hash: "sha1" }, "ecdsa-with-SHA1", "sha1"],
    [{ key: "ec-p256" }, "ecdsa-with-SHA256", "sha256"],
    [{ key: "ed25519" }, "ED25519", "sha512"],
    [{ key: "rsa-2048", pss: true }, "rsassaPss", "sha256"],
    [{ key: "rsa-2048", pss: true, hash: "sha384" }, "rsassaPss", "sha384"],
    // Empty parameters: SHA-1 is the default.
    [{ key: "rsa-2048", pss: true, hash: "sha1" }, "rsassaPss", "sha1"],
  ])("%o", (request, algorithm, hash) => {
    expect(certificateSignature(selfSigned(request).der)).toEqual({ algorithm, hash });
  });

  const pss = "0609 2a864886f70d01010a";
  test.each([
    ["an unknown identifier", "0603 2a0304", { algorithm: "1.2.3.4", hash: null }],
    ["a long identifier", "0602 8837", { algorithm: "2.999", hash: null }],
    ["RSASSA-PSS without parameters", pss, { algorithm: "rsassaPss", hash: null }],
    ["RSASSA-PSS with an unknown hash", `${pss} 3009 a007 3005 0603 2a0304`, { algorithm: "rsassaPss", hash: null }],
    ["RSASSA-PSS with incomplete parameters", `${pss} 3002 a009`, { algorithm: "rsassaPss", hash: null }],
    ["no identifier", "0500", null],
    ["an identifier without an end", "0602 2a83", null],
  ])("%s", (_words, algorithm, expected) => {
    expect(certificateSignature(handMade({ signature: sequence(hex(algorithm)) }))).toEqual(expected);
  });

  test("different algorithms outside and inside the signed part", () => {
    expect(certificateSignature(handMade({ signed: rsaEncryption }))).toBeNull();
  });
});

test("never throws on any bytes", () => {
  const { der } = selfSigned({ key: "rsa-2048", pss: true });
  const changed = fc.tuple(fc.nat(der.length - 1), fc.nat(255)).map(([at, byte]) => {
    const bytes = Buffer.from(der);
    bytes[at] = byte;
    return bytes;
  });
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 300 })), (bytes) => {
      certificateKey(bytes);
      certificateSignature(bytes);
    }),
    { numRuns: randomRuns(5_000) },
  );
});

test("64 KiB of nested values take little time", () => {
  const nested = Array.from({ length: 16_000 }, () => hex("3000"));
  const identifier = tlv(6, Buffer.alloc(60_000, 0x81));
  const fromMs = cpuMs();
  certificateKey(handMade({ keyInfo: sequence(...nested), signature: sequence(identifier) }));
  certificateSignature(handMade({ keyInfo: sequence(...nested), signature: sequence(identifier) }));
  expect(cpuMs() - fromMs).toBeLessThan(1_000);
});

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

const namesOf = (...names: string[]) => alternativeNames(selfSigned({ commonName: "cn.example", names }).der);
const covers = (names: readonly string[], host: string) => namesCoverHost(namesOf(...names), host);

describe("covered", () => {
  test.each([
    ["the name itself", ["a.example"], "a.example"],
    ["one name of several", ["b.example", "a.example"], "a.example"],
    ["other case", ["A.Example"], "a.example"],
    ["a host with its trailing dot", ["a.example"], "a.example."],
    ["one label by an asterisk", ["*.a.example"], "www.a.example"],
    ["an A-label by an asterisk", ["*.a.example"], "xn--bcher-kva.a.example"],
    ["an IPv4 address", ["192.0.2.1"], "192.0.2.1"],
    ["an IPv6 address in another spelling", ["2001:db8::1"], "2001:db8:0:0:0:0:0:1"],
    ["a name below a private suffix", ["*.user.github.io"], "www.user.github.io"],
  ])("%s", (_words, names, host) => expect(covers(names, host)).toBe(true));
});

describe("not covered", () => {
  test.each([
    ["no names, although the common name matches", [], "cn.example"],
    ["another name", ["b.example"], "a.example"],
    ["a subdomain of the name", ["a.example"], "www.a.example"],
    ["two labels by an asterisk", ["*.a.example"], "x.www.a.example"],
    ["no label by an asterisk", ["*.a.example"], "a.example"],
    ["part of a label", ["w*.a.example"], "www.a.example"],
    ["the end of a label", ["*w.a.example"], "www.a.example"],
    ["an asterisk in another label", ["www.*.example"], "www.a.example"],
    ["two asterisks", ["*.*.example"], "www.a.example"],
    ["only an asterisk", ["*"], "localhost"],
    ["an asterisk above a top-level domain", ["*.com"], "a.com"],
    ["an asterisk above a registry suffix", ["*.co.uk"], "a.co.uk"],
    ["an address as a DNS name", ["*.0.2.1"], "192.0.2.1"],
    ["another address", ["192.0.2.2"], "192.0.2.1"],
    ["an address that starts with the name", ["192.0.2.1"], "192.0.2.1.example"],
    ["an empty label by an asterisk", ["*.a.example"], ".a.example"],
    ["an asterisk inside an A-label", ["xn--*.a.example"], "xn--bcher-kva.a.example"],
    ["two asterisks", ["*.a.*"], "www.a.example"],
    ["an asterisk as the host", ["a.example"], "*.example"],
    ["a name with a zero byte", ["a.example\0.evil.example"], "a.example"],
    ["a name that looks like a list", ["b.example, DNS:a.example"], "a.example"],
  ])("%s", (_words, names, host) => expect(covers(names, host)).toBe(false));
});

describe("reading names", () => {
  test("keeps 10,000 names", () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `host-${index}.example`);
    expect(alternativeNames(selfSigned({ names }).der).map(({ text }) => text)).toEqual(names);
  });

  test("returns no names for bytes that are not a certificate", () => {
    const { der } = selfSigned({ names: ["a.example"] });
    expect(alternativeNames(new Uint8Array())).toEqual([]);
    expect(alternativeNames(Buffer.from("not a certificate"))).toEqual([]);
    for (let cut = 0; cut < der.length; cut += 7) expect(alternativeNames(der.subarray(0, cut))).toEqual([]);
  });

  test("never throws on broken bytes", () => {
    const { der } = selfSigned({ names: ["a.example", "192.0.2.1"] });
    for (let at = 0; at < der.length; at++) {
      const broken = Buffer.from(der);
      broken[at] = 0xff - (broken[at] ?? 0);
      expect(Array.isArray(alternativeNames(broken))).toBe(true);
    }
  });
});
