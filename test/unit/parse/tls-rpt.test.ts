/** Grammar of RFC 8460 section 3. */
import { expect, test } from "vitest";
import { isMeantAsTlsRpt, parseTlsRpt, type TlsRptDefect } from "../../../src/parse/tls-rpt.ts";

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
