/** Names of exported files. */
import { expect, test } from "vitest";
import { clientReportFileName } from "../../../src/export/formats.ts";

const now = new Date("2026-11-19T23:59:59.000Z");
const nameOf = (client: string) => clientReportFileName(client, now, "pdf");

test.each([
  ["Acme Ltd", "Acme-Ltd"],
  ["M\u00fcller & S\u00f6hne GmbH", "Mueller-Soehne-GmbH"],
  ["O\u0308sterreich, Caf\u00e9", "Oesterreich-Cafe"],
  ["Stra\u00dfe 5", "Strasse-5"],
  ["../../etc/passwd", "etc-passwd"],
  ['a"; filename="b.exe\r\nx: y', "a-filename-b-exe-x-y"],
  ["\u65e5\u672c", "client"],
  ["\u202e...", "client"],
  ["a".repeat(100), "a".repeat(80)],
])("the report of %j has a plain name", (client, plain) => {
  expect(nameOf(client)).toBe(`security-report_${plain}_2026-11-19.pdf`);
});
