/** Cipher suites that version probes offer: all except those without encryption or certificate. */
import type { TlsVersion } from "../../evidence/limits.ts";

type Suites = readonly (readonly [code: number, name: string])[];

/** RFC 8446 section B.4. */
const ofTls13: Suites = [
  [0x1301, "TLS_AES_128_GCM_SHA256"],
  [0x1302, "TLS_AES_256_GCM_SHA384"],
  [0x1303, "TLS_CHACHA20_POLY1305_SHA256"],
  [0x1304, "TLS_AES_128_CCM_SHA256"],
  [0x1305, "TLS_AES_128_CCM_8_SHA256"],
];

/** AEAD suites and hashes newer than SHA-1: TLS 1.2 only. Names are OpenSSL's. */
const ofTls12: Suites = [
  [0xc02b, "ECDHE-ECDSA-AES128-GCM-SHA256"],
  [0xc02f, "ECDHE-RSA-AES128-GCM-SHA256"],
  [0xc02c, "ECDHE-ECDSA-AES256-GCM-SHA384"],
  [0xc030, "ECDHE-RSA-AES256-GCM-SHA384"],
  [0xcca9, "ECDHE-ECDSA-CHACHA20-POLY1305"],
  [0xcca8, "ECDHE-RSA-CHACHA20-POLY1305"],
  [0x009e, "DHE-RSA-AES128-GCM-SHA256"],
  [0x009f, "DHE-RSA-AES256-GCM-SHA384"],
  [0xccaa, "DHE-RSA-CHACHA20-POLY1305"],
  [0x009c, "AES128-GCM-SHA256"],
  [0x009d, "AES256-GCM-SHA384"],
  [0xc0ac, "ECDHE-ECDSA-AES128-CCM"],
  [0xc0ad, "ECDHE-ECDSA-AES256-CCM"],
  [0xc09e, "DHE-RSA-AES128-CCM"],
  [0xc09f, "DHE-RSA-AES256-CCM"],
  [0xc09c, "AES128-CCM"],
  [0xc09d, "AES256-CCM"],
  [0xc023, "ECDHE-ECDSA-AES128-SHA256"],
  [0xc027, "ECDHE-RSA-AES128-SHA256"],
  [0xc024, "ECDHE-ECDSA-AES256-SHA384"],
  [0xc028, "ECDHE-RSA-AES256-SHA384"],
  [0x0067, "DHE-RSA-AES128-SHA256"],
  [0x006b, "DHE-RSA-AES256-SHA256"],
  [0x003c, "AES128-SHA256"],
  [0x003d, "AES256-SHA256"],
  [0x00ba, "CAMELLIA128-SHA256"],
  [0x00c0, "CAMELLIA256-SHA256"],
  [0x00be, "DHE-RSA-CAMELLIA128-SHA256"],
  [0x00c4, "DHE-RSA-CAMELLIA256-SHA256"],
];

/** All versions up to 1.2. Includes weak suites, so that a server without others still shows its version. */
const ofAllOlder: Suites = [
  [0xc009, "ECDHE-ECDSA-AES128-SHA"],
  [0xc013, "ECDHE-RSA-AES128-SHA"],
  [0xc00a, "ECDHE-ECDSA-AES256-SHA"],
  [0xc014, "ECDHE-RSA-AES256-SHA"],
  [0x0033, "DHE-RSA-AES128-SHA"],
  [0x0039, "DHE-RSA-AES256-SHA"],
  [0x0032, "DHE-DSS-AES128-SHA"],
  [0x0038, "DHE-DSS-AES256-SHA"],
  [0x002f, "AES128-SHA"],
  [0x0035, "AES256-SHA"],
  [0xc004, "ECDH-ECDSA-AES128-SHA"],
  [0xc005, "ECDH-ECDSA-AES256-SHA"],
  [0xc00e, "ECDH-RSA-AES128-SHA"],
  [0xc00f, "ECDH-RSA-AES256-SHA"],
  [0x0041, "CAMELLIA128-SHA"],
  [0x0084, "CAMELLIA256-SHA"],
  [0x0045, "DHE-RSA-CAMELLIA128-SHA"],
  [0x0088, "DHE-RSA-CAMELLIA256-SHA"],
  [0x0096, "SEED-SHA"],
  [0x009a, "DHE-RSA-SEED-SHA"],
  [0xc008, "ECDHE-ECDSA-DES-CBC3-SHA"],
  [0xc012, "ECDHE-RSA-DES-CBC3-SHA"],
  [0x0016, "DHE-RSA-DES-CBC3-SHA"],
  [0x0013, "DHE-DSS-DES-CBC3-SHA"],
  [0x000a, "DES-CBC3-SHA"],
  [0x0007, "IDEA-CBC-SHA"],
  [0xc007, "ECDHE-ECDSA-RC4-SHA"],
  [0xc011, "ECDHE-RSA-RC4-SHA"],
  [0x0005, "RC4-SHA"],
  [0x0004, "RC4-MD5"],
  [0x0015, "DHE-RSA-DES-CBC-SHA"],
  [0x0009, "DES-CBC-SHA"],
];

const names = new Map([...ofTls13, ...ofTls12, ...ofAllOlder]);

/** Codes in order of preference. A 1.3 hello includes older suites, so that an older server can answer with its version. */
export function offeredSuites(version: TlsVersion): readonly number[] {
  const suites = [...(version === "1.3" ? ofTls13 : []), ...(version === "1.2" || version === "1.3" ? ofTls12 : []), ...ofAllOlder];
  return suites.map(([code]) => code);
}

/** OpenSSL's name of a suite, or its number if a server chose one that was not offered. */
export function suiteName(code: number): string {
  return names.get(code) ?? `0x${code.toString(16).padStart(4, "0")}`;
}

/** Codes of the suites whose names start with a key exchange, such as `DHE-`. */
export function suitesWith(keyExchange: "DHE-" | "ECDHE-"): readonly number[] {
  return [...names].filter(([, name]) => name.startsWith(keyExchange)).map(([code]) => code);
}

/** Codes for hellos that ask a server of TLS 1.3 about its groups. */
export const suitesOfTls13: readonly number[] = ofTls13.map(([code]) => code);
