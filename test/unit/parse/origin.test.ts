/** Origins as operators write them. */
import { expect, test } from "vitest";
import { parseOrigin } from "../../../src/parse/address.ts";

test.each([
  ["https://assay.test", "https://assay.test"],
  ["http://Assay.test:80/", "http://assay.test"],
  ["http://192.168.1.5:8787", "http://192.168.1.5:8787"],
  ["https://[FD00:0::1]", "https://[fd00::1]"],
  ["ftp://assay.test", null],
  ["//assay.test", null],
  ["assay.test", null],
  ["https://", null],
  ["https://assay.test//", null],
  ["https://assay.test/a", null],
  ["https://assay.test?", null],
  ["https://assay.test#", null],
  ["https://assay.test\\", null],
  ["https://me@assay.test", null],
  ["https://assay test", null],
  ["https://assay.test:65536", null],
  ["https://256.0.0.1", null],
  [`https://${"a".repeat(300)}`, null],
])("%s", (text, origin) => {
  expect(parseOrigin(text)).toBe(origin);
});
