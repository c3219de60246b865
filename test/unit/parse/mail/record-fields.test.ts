/** Lists of report URIs: mail addresses, https URLs and others. */
import { expect, test } from "vitest";
import { parseReportUris, type ReportUri } from "../../../../src/parse/mail/record-fields.ts";

test.each<[string, ReportUri["kind"], string]>([
  ["mailto:a@b.example", "mailto", "b.example"],
  ["MAILTO:A@B.Example", "mailto", "b.example"],
  ["mailto:a@b.example?subject=x", "mailto", "b.example"],
  ["mailto:a+dmarc%21@b.example", "mailto", "b.example"],
  ["mailto:a@b.example!10m", "mailto", "b.example"],
  ["mailto:a@b.example!5", "mailto", "b.example"],
  ["https://b.example:8443/x?y=1", "https", "b.example"],
  ["http://b.example/", "other", ""],
  ["ftp:x", "other", ""],
  ["mailto:", "invalid", ""],
  ["mailto:a", "invalid", ""],
  ["mailto:a@", "invalid", ""],
  ["mailto:@b.example", "invalid", ""],
  ["mailto:a@b@c.example", "invalid", ""],
  ["mailto:a@b..example", "invalid", ""],
  ["mailto:a@[192.0.2.1]", "invalid", ""],
  ["mailto:a@b.example!10x", "invalid", ""],
  ["mailto:a b@c.example", "invalid", ""],
  [`mailto:a@${"b".repeat(64)}.example`, "invalid", ""],
  [`mailto:a@${"b.".repeat(127)}example`, "invalid", ""],
  ["https:b.example", "invalid", ""],
  ["https://", "invalid", ""],
  ["a@b.example", "invalid", ""],
  ["", "invalid", ""],
])("%j is %s", (written, kind, host) => {
  expect(parseReportUris(`${written},x:y`)[0]).toMatchObject({ kind, host });
});

test("a list keeps its order, without blanks and sizes", () => {
  expect(parseReportUris("mailto:a@b.example!10m , https://c.example/").map(({ text }) => text)).toEqual([
    "mailto:a@b.example",
    "https://c.example/",
  ]);
  expect(parseReportUris("  ")).toEqual([]);
});
