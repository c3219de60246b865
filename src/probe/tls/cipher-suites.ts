/** Cipher suites that version probes offer, and weak suites by kind. */
import { type TlsVersion, type WeakSuiteKind, weakSuiteKinds } from "../../evidence/limits.ts";

type Suites = readonly (readonly [code: number, name: string])[];

/** RFC 8446 section B.4. */
const tls13Suites: Suites = [
  [0x1301, "TLS_AES_128_GCM_SHA256"],
  [0x1302, "TLS_AES_256_GCM_SHA384"],
  [0x1303, "TLS_CHACHA20_POLY1305_SHA256"],
  [0x1304, "TLS_AES_128_CCM_SHA256"],
  [0x1305, "TLS_AES_128_CCM_8_SHA256"],
];

/** Suites of TLS 1.2 with forward secrecy and authenticated encryption. Names are OpenSSL's. */
const strongSuites: Suites = [
  [0xc02b, "ECDHE-ECDSA-AES128-GCM-SHA256"],
  [0xc02f, "ECDHE-RSA-AES128-GCM-SHA256"],
  [0xc02c, "ECDHE-ECDSA-AES256-GCM-SHA384"],
  [0xc030, "ECDHE-RSA-AES256-GCM-SHA384"],
  [0xcca9, "ECDHE-ECDSA-CHACHA20-POLY1305"],
  [0xcca8, "ECDHE-RSA-CHACHA20-POLY1305"],
  [0x009e, "DHE-RSA-AES128-GCM-SHA256"],
  [0x009f, "DHE-RSA-AES256-GCM-SHA384"],
  [0xccaa, "DHE-RSA-CHACHA20-POLY1305"],
  [0xc0ac, "ECDHE-ECDSA-AES128-CCM"],
  [0xc0ad, "ECDHE-ECDSA-AES256-CCM"],
  [0xc09e, "DHE-RSA-AES128-CCM"],
  [0xc09f, "DHE-RSA-AES256-CCM"],
];

// Weak cipher suites of TLS 1.2 and older by kind. Suites with pre-shared keys, SRP, Kerberos and GOST are left out: no browser offers
// them.

/** Numbers of the IANA registry with OpenSSL's names, or names of the same form for suites that OpenSSL never had. */
const suitesByKind: Readonly<Record<WeakSuiteKind, Suites>> = {
  null: [
    [0x0001, "NULL-MD5"],
    [0x0002, "NULL-SHA"],
    [0x003b, "NULL-SHA256"],
    [0xc001, "ECDH-ECDSA-NULL-SHA"],
    [0xc006, "ECDHE-ECDSA-NULL-SHA"],
    [0xc00b, "ECDH-RSA-NULL-SHA"],
    [0xc010, "ECDHE-RSA-NULL-SHA"],
    [0xc015, "AECDH-NULL-SHA"],
  ],
  anonymous: [
    [0x0018, "ADH-RC4-MD5"],
    [0x001a, "ADH-DES-CBC-SHA"],
    [0x001b, "ADH-DES-CBC3-SHA"],
    [0x0034, "ADH-AES128-SHA"],
    [0x003a, "ADH-AES256-SHA"],
    [0x0046, "ADH-CAMELLIA128-SHA"],
    [0x006c, "ADH-AES128-SHA256"],
    [0x006d, "ADH-AES256-SHA256"],
    [0x0089, "ADH-CAMELLIA256-SHA"],
    [0x009b, "ADH-SEED-SHA"],
    [0x00a6, "ADH-AES128-GCM-SHA256"],
    [0x00a7, "ADH-AES256-GCM-SHA384"],
    [0x00bf, "ADH-CAMELLIA128-SHA256"],
    [0x00c5, "ADH-CAMELLIA256-SHA256"],
    [0xc016, "AECDH-RC4-SHA"],
    [0xc017, "AECDH-DES-CBC3-SHA"],
    [0xc018, "AECDH-AES128-SHA"],
    [0xc019, "AECDH-AES256-SHA"],
    [0xc046, "ADH-ARIA128-SHA256"],
    [0xc047, "ADH-ARIA256-SHA384"],
    [0xc05a, "ADH-ARIA128-GCM-SHA256"],
    [0xc05b, "ADH-ARIA256-GCM-SHA384"],
    [0xc084, "ADH-CAMELLIA128-GCM-SHA256"],
    [0xc085, "ADH-CAMELLIA256-GCM-SHA384"],
  ],
  // RFC 2246 appendix A.5, and draft-ietf-tls-56-bit-ciphersuites for the numbers from 0x0060.
  export: [
    [0x0003, "EXP-RC4-MD5"],
    [0x0006, "EXP-RC2-CBC-MD5"],
    [0x0008, "EXP-DES-CBC-SHA"],
    [0x0009, "DES-CBC-SHA"],
    [0x000b, "EXP-DH-DSS-DES-CBC-SHA"],
    [0x000c, "DH-DSS-DES-CBC-SHA"],
    [0x000e, "EXP-DH-RSA-DES-CBC-SHA"],
    [0x000f, "DH-RSA-DES-CBC-SHA"],
    [0x0011, "EXP-DHE-DSS-DES-CBC-SHA"],
    [0x0012, "DHE-DSS-DES-CBC-SHA"],
    [0x0014, "EXP-DHE-RSA-DES-CBC-SHA"],
    [0x0015, "DHE-RSA-DES-CBC-SHA"],
    [0x0017, "EXP-ADH-RC4-MD5"],
    [0x0019, "EXP-ADH-DES-CBC-SHA"],
    [0x0060, "EXP1024-RC4-MD5"],
    [0x0061, "EXP1024-RC2-CBC-MD5"],
    [0x0062, "EXP1024-DES-CBC-SHA"],
    [0x0063, "EXP1024-DHE-DSS-DES-CBC-SHA"],
    [0x0064, "EXP1024-RC4-SHA"],
    [0x0065, "EXP1024-DHE-DSS-RC4-SHA"],
  ],
  rc4: [
    [0x0004, "RC4-MD5"],
    [0x0005, "RC4-SHA"],
    [0x0066, "DHE-DSS-RC4-SHA"],
    [0xc002, "ECDH-ECDSA-RC4-SHA"],
    [0xc007, "ECDHE-ECDSA-RC4-SHA"],
    [0xc00c, "ECDH-RSA-RC4-SHA"],
    [0xc011, "ECDHE-RSA-RC4-SHA"],
  ],
  smallBlock: [
    [0x0007, "IDEA-CBC-SHA"],
    [0x000a, "DES-CBC3-SHA"],
    [0x000d, "DH-DSS-DES-CBC3-SHA"],
    [0x0010, "DH-RSA-DES-CBC3-SHA"],
    [0x0013, "DHE-DSS-DES-CBC3-SHA"],
    [0x0016, "DHE-RSA-DES-CBC3-SHA"],
    [0xc003, "ECDH-ECDSA-DES-CBC3-SHA"],
    [0xc008, "ECDHE-ECDSA-DES-CBC3-SHA"],
    [0xc00d, "ECDH-RSA-DES-CBC3-SHA"],
    [0xc012, "ECDHE-RSA-DES-CBC3-SHA"],
  ],
  staticKey: [
    [0x002f, "AES128-SHA"],
    [0x0030, "DH-DSS-AES128-SHA"],
    [0x0031, "DH-RSA-AES128-SHA"],
    [0x0035, "AES256-SHA"],
    [0x0036, "DH-DSS-AES256-SHA"],
    [0x0037, "DH-RSA-AES256-SHA"],
    [0x003c, "AES128-SHA256"],
    [0x003d, "AES256-SHA256"],
    [0x003e, "DH-DSS-AES128-SHA256"],
    [0x003f, "DH-RSA-AES128-SHA256"],
    [0x0041, "CAMELLIA128-SHA"],
    [0x0042, "DH-DSS-CAMELLIA128-SHA"],
    [0x0043, "DH-RSA-CAMELLIA128-SHA"],
    [0x0068, "DH-DSS-AES256-SHA256"],
    [0x0069, "DH-RSA-AES256-SHA256"],
    [0x0084, "CAMELLIA256-SHA"],
    [0x0085, "DH-DSS-CAMELLIA256-SHA"],
    [0x0086, "DH-RSA-CAMELLIA256-SHA"],
    [0x0096, "SEED-SHA"],
    [0x0097, "DH-DSS-SEED-SHA"],
    [0x0098, "DH-RSA-SEED-SHA"],
    [0x009c, "AES128-GCM-SHA256"],
    [0x009d, "AES256-GCM-SHA384"],
    [0x00a0, "DH-RSA-AES128-GCM-SHA256"],
    [0x00a1, "DH-RSA-AES256-GCM-SHA384"],
    [0x00a4, "DH-DSS-AES128-GCM-SHA256"],
    [0x00a5, "DH-DSS-AES256-GCM-SHA384"],
    [0x00ba, "CAMELLIA128-SHA256"],
    [0x00bb, "DH-DSS-CAMELLIA128-SHA256"],
    [0x00bc, "DH-RSA-CAMELLIA128-SHA256"],
    [0x00c0, "CAMELLIA256-SHA256"],
    [0x00c1, "DH-DSS-CAMELLIA256-SHA256"],
    [0x00c2, "DH-RSA-CAMELLIA256-SHA256"],
    [0xc004, "ECDH-ECDSA-AES128-SHA"],
    [0xc005, "ECDH-ECDSA-AES256-SHA"],
    [0xc00e, "ECDH-RSA-AES128-SHA"],
    [0xc00f, "ECDH-RSA-AES256-SHA"],
    [0xc025, "ECDH-ECDSA-AES128-SHA256"],
    [0xc026, "ECDH-ECDSA-AES256-SHA384"],
    [0xc029, "ECDH-RSA-AES128-SHA256"],
    [0xc02a, "ECDH-RSA-AES256-SHA384"],
    [0xc02d, "ECDH-ECDSA-AES128-GCM-SHA256"],
    [0xc02e, "ECDH-ECDSA-AES256-GCM-SHA384"],
    [0xc031, "ECDH-RSA-AES128-GCM-SHA256"],
    [0xc032, "ECDH-RSA-AES256-GCM-SHA384"],
    [0xc03c, "ARIA128-SHA256"],
    [0xc03d, "ARIA256-SHA384"],
    [0xc03e, "DH-DSS-ARIA128-SHA256"],
    [0xc03f, "DH-DSS-ARIA256-SHA384"],
    [0xc040, "DH-RSA-ARIA128-SHA256"],
    [0xc041, "DH-RSA-ARIA256-SHA384"],
    [0xc04a, "ECDH-ECDSA-ARIA128-SHA256"],
    [0xc04b, "ECDH-ECDSA-ARIA256-SHA384"],
    [0xc04e, "ECDH-RSA-ARIA128-SHA256"],
    [0xc04f, "ECDH-RSA-ARIA256-SHA384"],
    [0xc050, "ARIA128-GCM-SHA256"],
    [0xc051, "ARIA256-GCM-SHA384"],
    [0xc054, "DH-RSA-ARIA128-GCM-SHA256"],
    [0xc055, "DH-RSA-ARIA256-GCM-SHA384"],
    [0xc058, "DH-DSS-ARIA128-GCM-SHA256"],
    [0xc059, "DH-DSS-ARIA256-GCM-SHA384"],
    [0xc05e, "ECDH-ECDSA-ARIA128-GCM-SHA256"],
    [0xc05f, "ECDH-ECDSA-ARIA256-GCM-SHA384"],
    [0xc062, "ECDH-RSA-ARIA128-GCM-SHA256"],
    [0xc063, "ECDH-RSA-ARIA256-GCM-SHA384"],
    [0xc074, "ECDH-ECDSA-CAMELLIA128-SHA256"],
    [0xc075, "ECDH-ECDSA-CAMELLIA256-SHA384"],
    [0xc078, "ECDH-RSA-CAMELLIA128-SHA256"],
    [0xc079, "ECDH-RSA-CAMELLIA256-SHA384"],
    [0xc07a, "CAMELLIA128-GCM-SHA256"],
    [0xc07b, "CAMELLIA256-GCM-SHA384"],
    [0xc07e, "DH-RSA-CAMELLIA128-GCM-SHA256"],
    [0xc07f, "DH-RSA-CAMELLIA256-GCM-SHA384"],
    [0xc082, "DH-DSS-CAMELLIA128-GCM-SHA256"],
    [0xc083, "DH-DSS-CAMELLIA256-GCM-SHA384"],
    [0xc088, "ECDH-ECDSA-CAMELLIA128-GCM-SHA256"],
    [0xc089, "ECDH-ECDSA-CAMELLIA256-GCM-SHA384"],
    [0xc08c, "ECDH-RSA-CAMELLIA128-GCM-SHA256"],
    [0xc08d, "ECDH-RSA-CAMELLIA256-GCM-SHA384"],
    [0xc09c, "AES128-CCM"],
    [0xc09d, "AES256-CCM"],
    [0xc0a0, "AES128-CCM8"],
    [0xc0a1, "AES256-CCM8"],
  ],
  cbc: [
    [0x0032, "DHE-DSS-AES128-SHA"],
    [0x0033, "DHE-RSA-AES128-SHA"],
    [0x0038, "DHE-DSS-AES256-SHA"],
    [0x0039, "DHE-RSA-AES256-SHA"],
    [0x0040, "DHE-DSS-AES128-SHA256"],
    [0x0044, "DHE-DSS-CAMELLIA128-SHA"],
    [0x0045, "DHE-RSA-CAMELLIA128-SHA"],
    [0x0067, "DHE-RSA-AES128-SHA256"],
    [0x006a, "DHE-DSS-AES256-SHA256"],
    [0x006b, "DHE-RSA-AES256-SHA256"],
    [0x0087, "DHE-DSS-CAMELLIA256-SHA"],
    [0x0088, "DHE-RSA-CAMELLIA256-SHA"],
    [0x0099, "DHE-DSS-SEED-SHA"],
    [0x009a, "DHE-RSA-SEED-SHA"],
    [0x00bd, "DHE-DSS-CAMELLIA128-SHA256"],
    [0x00be, "DHE-RSA-CAMELLIA128-SHA256"],
    [0x00c3, "DHE-DSS-CAMELLIA256-SHA256"],
    [0x00c4, "DHE-RSA-CAMELLIA256-SHA256"],
    [0xc009, "ECDHE-ECDSA-AES128-SHA"],
    [0xc00a, "ECDHE-ECDSA-AES256-SHA"],
    [0xc013, "ECDHE-RSA-AES128-SHA"],
    [0xc014, "ECDHE-RSA-AES256-SHA"],
    [0xc023, "ECDHE-ECDSA-AES128-SHA256"],
    [0xc024, "ECDHE-ECDSA-AES256-SHA384"],
    [0xc027, "ECDHE-RSA-AES128-SHA256"],
    [0xc028, "ECDHE-RSA-AES256-SHA384"],
    [0xc042, "DHE-DSS-ARIA128-SHA256"],
    [0xc043, "DHE-DSS-ARIA256-SHA384"],
    [0xc044, "DHE-RSA-ARIA128-SHA256"],
    [0xc045, "DHE-RSA-ARIA256-SHA384"],
    [0xc048, "ECDHE-ECDSA-ARIA128-SHA256"],
    [0xc049, "ECDHE-ECDSA-ARIA256-SHA384"],
    [0xc04c, "ECDHE-RSA-ARIA128-SHA256"],
    [0xc04d, "ECDHE-RSA-ARIA256-SHA384"],
    [0xc072, "ECDHE-ECDSA-CAMELLIA128-SHA256"],
    [0xc073, "ECDHE-ECDSA-CAMELLIA256-SHA384"],
    [0xc076, "ECDHE-RSA-CAMELLIA128-SHA256"],
    [0xc077, "ECDHE-RSA-CAMELLIA256-SHA384"],
  ],
};

export interface WeakSuite {
  readonly code: number;
  readonly kind: WeakSuiteKind;
  readonly name: string;
}

/** Worst kind first. */
export const weakSuites: readonly WeakSuite[] = weakSuiteKinds.flatMap((kind) =>
  suitesByKind[kind].map(([code, name]) => ({ code, kind, name })),
);

// Cipher suites that version probes offer, in order of preference: all except those without encryption or certificate.

/** AEAD suites and hashes newer than SHA-1: TLS 1.2 only. */
const tls12Suites = suitesNamed(
  "ECDHE-ECDSA-AES128-GCM-SHA256 ECDHE-RSA-AES128-GCM-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-RSA-AES256-GCM-SHA384 " +
    "ECDHE-ECDSA-CHACHA20-POLY1305 ECDHE-RSA-CHACHA20-POLY1305 DHE-RSA-AES128-GCM-SHA256 DHE-RSA-AES256-GCM-SHA384 " +
    "DHE-RSA-CHACHA20-POLY1305 AES128-GCM-SHA256 AES256-GCM-SHA384 ECDHE-ECDSA-AES128-CCM ECDHE-ECDSA-AES256-CCM DHE-RSA-AES128-CCM " +
    "DHE-RSA-AES256-CCM AES128-CCM AES256-CCM ECDHE-ECDSA-AES128-SHA256 ECDHE-RSA-AES128-SHA256 ECDHE-ECDSA-AES256-SHA384 " +
    "ECDHE-RSA-AES256-SHA384 DHE-RSA-AES128-SHA256 DHE-RSA-AES256-SHA256 AES128-SHA256 AES256-SHA256 CAMELLIA128-SHA256 " +
    "CAMELLIA256-SHA256 DHE-RSA-CAMELLIA128-SHA256 DHE-RSA-CAMELLIA256-SHA256",
);

/** All versions up to 1.2. Includes weak suites, so that a server without others still shows its version. */
const olderSuites = suitesNamed(
  "ECDHE-ECDSA-AES128-SHA ECDHE-RSA-AES128-SHA ECDHE-ECDSA-AES256-SHA ECDHE-RSA-AES256-SHA DHE-RSA-AES128-SHA DHE-RSA-AES256-SHA " +
    "DHE-DSS-AES128-SHA DHE-DSS-AES256-SHA AES128-SHA AES256-SHA ECDH-ECDSA-AES128-SHA ECDH-ECDSA-AES256-SHA ECDH-RSA-AES128-SHA " +
    "ECDH-RSA-AES256-SHA CAMELLIA128-SHA CAMELLIA256-SHA DHE-RSA-CAMELLIA128-SHA DHE-RSA-CAMELLIA256-SHA SEED-SHA DHE-RSA-SEED-SHA " +
    "ECDHE-ECDSA-DES-CBC3-SHA ECDHE-RSA-DES-CBC3-SHA DHE-RSA-DES-CBC3-SHA DHE-DSS-DES-CBC3-SHA DES-CBC3-SHA IDEA-CBC-SHA " +
    "ECDHE-ECDSA-RC4-SHA ECDHE-RSA-RC4-SHA RC4-SHA RC4-MD5 DHE-RSA-DES-CBC-SHA DES-CBC-SHA",
);

/** Suites of the names, which spaces separate. */
function suitesNamed(names: string): Suites {
  const suites = [...strongSuites, ...weakSuites.map(({ code, name }) => [code, name] as const)];
  return names.split(" ").flatMap((wanted) => suites.filter(([, name]) => name === wanted));
}

const names = new Map([...tls13Suites, ...tls12Suites, ...olderSuites]);

/** Codes in order of preference. A 1.3 hello includes older suites, so that an older server can answer with its version. */
export function offeredSuites(version: TlsVersion): readonly number[] {
  const suites = [
    ...(version === "1.3" ? tls13Suites : []),
    ...(version === "1.2" || version === "1.3" ? tls12Suites : []),
    ...olderSuites,
  ];
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
export const suitesOfTls13: readonly number[] = tls13Suites.map(([code]) => code);
