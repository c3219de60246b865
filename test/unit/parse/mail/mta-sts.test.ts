/** Records and policies of RFC 8461, and mail hosts matched against patterns. Grammar of RFC 8460 section 3. */
import { describe, expect, test } from "vitest";
import {
  isMailHostCovered,
  isMeantAsMtaSts,
  isMeantAsTlsRpt,
  type MtaStsPolicy,
  type MtaStsPolicyDefect,
  type MtaStsRecordDefect,
  parseMtaStsPolicy,
  parseMtaStsRecord,
  parseTlsRpt,
  type TlsRptDefect,
} from "../../../../src/parse/mail/mta-sts.ts";

describe("a record", () => {
  test.each([
    ["v=STSv1; id=20160831085700Z;", "20160831085700Z"],
    ["v=STSv1;id=1", "1"],
    [`v=STSv1 ; x.y-z_1=a b ; id=${"a".repeat(32)}`, "a".repeat(32)],
  ])("%s", (text, id) => {
    expect(parseMtaStsRecord(text)).toEqual({ id });
  });
  test.each<[string, MtaStsRecordDefect]>([
    ["v=STSv1", "id-missing"],
    ["v=STSv1; ID=1", "id-missing"],
    ["v=STSv1; id=a-b", "id-invalid"],
    [`v=STSv1; id=${"a".repeat(33)}`, "id-invalid"],
    ["v=STSv1; id=", "syntax"],
    ["v=STSv1; id", "syntax"],
    ["v=STSv1; id=1; id=1", "syntax"],
    ["v=STSv1; id=1;;", "syntax"],
  ])("%s: %s", (text, defect) => {
    expect(parseMtaStsRecord(text)).toEqual({ defect });
  });
  test.each(["", "v=STSv2; id=1", "v=stsv1; id=1", "v=STSv1 id=1", "id=1; v=STSv1"])("%j is not a record", (text) => {
    expect(parseMtaStsRecord(text)).toBeNull();
  });
  test("texts that look like records are recognized", () => {
    expect(["v=STSv2", "id=1; v=stsv1"].every(isMeantAsMtaSts)).toBe(true);
    expect(["v=spf1", "", "sts"].some(isMeantAsMtaSts)).toBe(false);
  });
});

describe("a policy", () => {
  test.each<[string, MtaStsPolicy]>([
    [
      "version: STSv1\nmode: enforce\nmx: mail.example.com\nmx: *.example.net\nmx: backupmx.example.com\nmax_age: 604800\n",
      { mode: "enforce", maxAgeSeconds: 604_800, mx: ["mail.example.com", "*.example.net", "backupmx.example.com"] },
    ],
    ["max_age:1\r\nmx:\tA.b \r\n\r\nmode:testing\r\nversion:STSv1", { mode: "testing", maxAgeSeconds: 1, mx: ["a.b"] }],
    ["version: STSv1\nmode: none\nmax_age: 31557600", { mode: "none", maxAgeSeconds: 31_557_600, mx: [] }],
    ["version: STSv1\nmode: none\nmode: enforce\nmax_age: 5\nmax_age: 6\nversion: 2\nx: y\nz:", { mode: "none", maxAgeSeconds: 5, mx: [] }],
  ])("%j", (file, policy) => {
    expect(parseMtaStsPolicy(file)).toEqual(policy);
  });

  const sound = "version: STSv1\nmode: enforce\nmx: a.b\nmax_age: 5\n";
  test.each<[string, MtaStsPolicyDefect["kind"], string]>([
    [`${sound}hello`, "line-malformed", "hello"],
    [`${sound} mx: c.d`, "line-malformed", " mx: c.d"],
    [`\ufeff${sound}`, "line-malformed", "\ufeffversion: STSv1"],
    [sound.replace("version: STSv1\n", ""), "version-missing", "version"],
    [sound.replace("STSv1", "stsv1"), "version-unknown", "stsv1"],
    [sound.replace("mode: enforce\n", ""), "mode-missing", "mode"],
    [sound.replace("mode", "Mode"), "mode-missing", "mode"],
    [sound.replace("enforce", "ENFORCE"), "mode-unknown", "ENFORCE"],
    [sound.replace("enforce", ""), "mode-unknown", ""],
    [sound.replace("max_age: 5\n", ""), "max-age-missing", "max_age"],
    [sound.replace("5", "5s"), "max-age-malformed", "5s"],
    [sound.replace("5", "00000000005"), "max-age-malformed", "00000000005"],
    [sound.replace("5", "0"), "max-age-out-of-range", "0"],
    [sound.replace("5", "31557601"), "max-age-out-of-range", "31557601"],
    [sound.replace("mx: a.b\n", ""), "mx-missing", "mx"],
    [sound.replace("a.b", "*"), "mx-malformed", "*"],
    [sound.replace("a.b", "*.*.b"), "mx-malformed", "*.*.b"],
    [sound.replace("a.b", "*a.b"), "mx-malformed", "*a.b"],
    [sound.replace("a.b", ".b"), "mx-malformed", ".b"],
    [sound.replace("a.b", ""), "mx-malformed", ""],
    [sound.replace("a.b", "a.b, c.d"), "mx-malformed", "a.b, c.d"],
  ])("%j: %s", (file, kind, text) => {
    const parsed = parseMtaStsPolicy(file);
    expect("defects" in parsed ? parsed.defects : []).toContainEqual({ kind, text });
  });
  test("reports all defects", () => {
    const parsed = parseMtaStsPolicy("<!doctype html>");
    expect("defects" in parsed ? parsed.defects.map(({ kind }) => kind) : []).toEqual([
      "line-malformed",
      "version-missing",
      "mode-missing",
      "max-age-missing",
      "mx-missing",
    ]);
  });
});

test.each<[string, string, boolean]>([
  ["mail.example.com", "mail.example.com", true],
  ["mail.example.com", "*.example.com", true],
  ["example.com", "*.example.com", false],
  ["a.mail.example.com", "*.example.com", false],
  ["mail.example.com.evil.net", "*.example.com", false],
  ["mailexample.com", "*.example.com", false],
  [".example.com", "*.example.com", false],
  ["localhost", "*.localhost", false],
  ["mail.example.com", "example.com", false],
  ["mail.example.com", "*", false],
])("%s is covered by %s: %s", (host, pattern, covered) => {
  expect(isMailHostCovered(host, ["other.example", pattern])).toBe(covered);
});

test.each<[string, readonly string[]]>([
  ["v=TLSRPTv1;rua=mailto:reports@example.com", ["mailto:reports@example.com"]],
  ["v=TLSRPTv1; rua=https://reporting.example.com/v1/tlsrpt", ["https://reporting.example.com/v1/tlsrpt"]],
  ["v=TLSRPTv1 ; x=1 ; rua=mailto:a@b.example,https://b.example/ ;", ["mailto:a@b.example", "https://b.example/"]],
  ["v=TLSRPTv1; rua=mailto:a@b.example , ftp://b.example", ["mailto:a@b.example"]],
])("%s", (text, addresses) => {
  expect(parseTlsRpt(text)).toMatchObject({ rua: addresses.map((address) => ({ text: address })) });
});

test.each<[string, TlsRptDefect]>([
  ["v=TLSRPTv1", "rua-missing"],
  ["v=TLSRPTv1;", "rua-missing"],
  ["v=TLSRPTv1; ruf=mailto:a@b.example", "rua-missing"],
  ["v=TLSRPTv1; RUA=mailto:a@b.example", "rua-missing"],
  ["v=TLSRPTv1; rua", "syntax"],
  ["v=TLSRPTv1; rua=", "syntax"],
  ["v=TLSRPTv1; -=1; rua=mailto:a@b.example", "syntax"],
  ["v=TLSRPTv1; rua=mailto:a@b.example; rua=mailto:a@b.example", "syntax"],
  ["v=TLSRPTv1;; rua=mailto:a@b.example", "syntax"],
  ["v=TLSRPTv1; rua=a@b.example", "rua-invalid"],
  ["v=TLSRPTv1; rua=http://b.example", "rua-invalid"],
])("%s: %s", (text, defect) => {
  expect(parseTlsRpt(text)).toEqual({ defect });
});

test.each(["", "v=TLSRPTv2; rua=mailto:a@b.example", "v=tlsrptv1;", "v = TLSRPTv1;", " v=TLSRPTv1;", "v=TLSRPTv1 rua=mailto:a@b.example"])(
  "%j is no record",
  (text) => {
    expect(parseTlsRpt(text)).toBeNull();
  },
);

test("texts that look like records are recognized", () => {
  expect(["v=TLSRPTv2", "v=tls-rpt", "V = TLSRPT"].every(isMeantAsTlsRpt)).toBe(true);
  expect(["v=STSv1", "", "tlsrpt"].some(isMeantAsTlsRpt)).toBe(false);
});
