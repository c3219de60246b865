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

// Cipher suites of TLS 1.2 and older. Suites with pre-shared keys, SRP, Kerberos and GOST are left out: no browser offers them.

/**
 * Numbers of the IANA registry by cipher and key exchange. OpenSSL's name of a suite is made of both; RSA is not part of a name. `-`: no such
 * suite, or a strong one that no probe offers.
 */
const suiteTable = `
  cipher                 RSA  DH-DSS DH-RSA DHE-DSS DHE-RSA ADH  ECDH-ECDSA ECDH-RSA ECDHE-ECDSA ECDHE-RSA AECDH
  NULL-MD5               0001
  NULL-SHA               0002 -      -      -       -       -    c001       c00b     c006        c010      c015
  NULL-SHA256            003b
  RC4-MD5                0004 -      -      -       -       0018
  RC4-SHA                0005 -      -      0066    -       -    c002       c00c     c007        c011      c016
  IDEA-CBC-SHA           0007
  DES-CBC-SHA            0009 000c   000f   0012    0015    001a
  DES-CBC3-SHA           000a 000d   0010   0013    0016    001b c003       c00d     c008        c012      c017
  SEED-SHA               0096 0097   0098   0099    009a    009b
  AES128-SHA             002f 0030   0031   0032    0033    0034 c004       c00e     c009        c013      c018
  AES256-SHA             0035 0036   0037   0038    0039    003a c005       c00f     c00a        c014      c019
  AES128-SHA256          003c 003e   003f   0040    0067    006c c025       c029     c023        c027
  AES256-SHA256          003d 0068   0069   006a    006b    006d
  AES256-SHA384          -    -      -      -       -       -    c026       c02a     c024        c028
  CAMELLIA128-SHA        0041 0042   0043   0044    0045    0046
  CAMELLIA256-SHA        0084 0085   0086   0087    0088    0089
  CAMELLIA128-SHA256     00ba 00bb   00bc   00bd    00be    00bf c074       c078     c072        c076
  CAMELLIA256-SHA256     00c0 00c1   00c2   00c3    00c4    00c5
  CAMELLIA256-SHA384     -    -      -      -       -       -    c075       c079     c073        c077
  ARIA128-SHA256         c03c c03e   c040   c042    c044    c046 c04a       c04e     c048        c04c
  ARIA256-SHA384         c03d c03f   c041   c043    c045    c047 c04b       c04f     c049        c04d
  AES128-GCM-SHA256      009c 00a4   00a0   -       009e    00a6 c02d       c031     c02b        c02f
  AES256-GCM-SHA384      009d 00a5   00a1   -       009f    00a7 c02e       c032     c02c        c030
  CAMELLIA128-GCM-SHA256 c07a c082   c07e   -       -       c084 c088       c08c
  CAMELLIA256-GCM-SHA384 c07b c083   c07f   -       -       c085 c089       c08d
  ARIA128-GCM-SHA256     c050 c058   c054   -       -       c05a c05e       c062
  ARIA256-GCM-SHA384     c051 c059   c055   -       -       c05b c05f       c063
  CHACHA20-POLY1305      -    -      -      -       ccaa    -    -          -        cca9        cca8
  AES128-CCM             c09c -      -      -       c09e    -    -          -        c0ac
  AES256-CCM             c09d -      -      -       c09f    -    -          -        c0ad
  AES128-CCM8            c0a0
  AES256-CCM8            c0a1
`;

/** RFC 2246 appendix A.5, and draft-ietf-tls-56-bit-ciphersuites for the numbers from 0x0060. */
const exportSuites: Suites = [
  [0x0003, "EXP-RC4-MD5"],
  [0x0006, "EXP-RC2-CBC-MD5"],
  [0x0008, "EXP-DES-CBC-SHA"],
  [0x000b, "EXP-DH-DSS-DES-CBC-SHA"],
  [0x000e, "EXP-DH-RSA-DES-CBC-SHA"],
  [0x0011, "EXP-DHE-DSS-DES-CBC-SHA"],
  [0x0014, "EXP-DHE-RSA-DES-CBC-SHA"],
  [0x0017, "EXP-ADH-RC4-MD5"],
  [0x0019, "EXP-ADH-DES-CBC-SHA"],
  [0x0060, "EXP1024-RC4-MD5"],
  [0x0061, "EXP1024-RC2-CBC-MD5"],
  [0x0062, "EXP1024-DES-CBC-SHA"],
  [0x0063, "EXP1024-DHE-DSS-DES-CBC-SHA"],
  [0x0064, "EXP1024-RC4-SHA"],
  [0x0065, "EXP1024-DHE-DSS-RC4-SHA"],
];

/** Names of the suites of each weak kind. The first kind that matches counts; a suite without one is strong. */
const weakNames: Readonly<Record<WeakSuiteKind, RegExp>> = {
  null: /NULL/,
  anonymous: /^(?:ADH|AECDH)-/,
  export: /^EXP|(?:^|-)DES-CBC-SHA$/,
  rc4: /RC4/,
  smallBlock: /DES-CBC3|IDEA/,
  staticKey: /^(?!DHE-|ECDHE-)/,
  cbc: /^(?!.*(?:GCM|CCM|CHACHA20))/,
};

/** In the order of their numbers. */
const olderSuites: Suites = [...suitesIn(suiteTable), ...exportSuites].toSorted(([one], [other]) => one - other);

function suitesIn(table: string): Suites {
  const [[, ...keyExchanges] = [], ...rows] = table
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/ +/));
  return rows.flatMap(([cipher = "", ...codes]) =>
    codes.flatMap((code, at) => {
      const name = keyExchanges[at] === "RSA" ? cipher : `${keyExchanges[at]}-${cipher}`;
      return code === "-" ? [] : [[Number.parseInt(code, 16), name] as const];
    }),
  );
}

function weakKindOf(name: string): WeakSuiteKind | null {
  return weakSuiteKinds.find((kind) => weakNames[kind].test(name)) ?? null;
}

export interface WeakSuite {
  readonly code: number;
  readonly kind: WeakSuiteKind;
  readonly name: string;
}

/** Worst kind first. */
export const weakSuites: readonly WeakSuite[] = weakSuiteKinds.flatMap((kind) =>
  olderSuites.filter(([, name]) => weakKindOf(name) === kind).map(([code, name]) => ({ code, kind, name })),
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
const anyVersionSuites = suitesNamed(
  "ECDHE-ECDSA-AES128-SHA ECDHE-RSA-AES128-SHA ECDHE-ECDSA-AES256-SHA ECDHE-RSA-AES256-SHA DHE-RSA-AES128-SHA DHE-RSA-AES256-SHA " +
    "DHE-DSS-AES128-SHA DHE-DSS-AES256-SHA AES128-SHA AES256-SHA ECDH-ECDSA-AES128-SHA ECDH-ECDSA-AES256-SHA ECDH-RSA-AES128-SHA " +
    "ECDH-RSA-AES256-SHA CAMELLIA128-SHA CAMELLIA256-SHA DHE-RSA-CAMELLIA128-SHA DHE-RSA-CAMELLIA256-SHA SEED-SHA DHE-RSA-SEED-SHA " +
    "ECDHE-ECDSA-DES-CBC3-SHA ECDHE-RSA-DES-CBC3-SHA DHE-RSA-DES-CBC3-SHA DHE-DSS-DES-CBC3-SHA DES-CBC3-SHA IDEA-CBC-SHA " +
    "ECDHE-ECDSA-RC4-SHA ECDHE-RSA-RC4-SHA RC4-SHA RC4-MD5 DHE-RSA-DES-CBC-SHA DES-CBC-SHA",
);

/** Suites of the names, which spaces separate. */
function suitesNamed(names: string): Suites {
  return names.split(" ").flatMap((wanted) => olderSuites.filter(([, name]) => name === wanted));
}

const names = new Map([...tls13Suites, ...tls12Suites, ...anyVersionSuites]);

/** Codes in order of preference. A 1.3 hello includes older suites, so that an older server can answer with its version. */
export function offeredSuites(version: TlsVersion): readonly number[] {
  const suites = [
    ...(version === "1.3" ? tls13Suites : []),
    ...(version === "1.2" || version === "1.3" ? tls12Suites : []),
    ...anyVersionSuites,
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
