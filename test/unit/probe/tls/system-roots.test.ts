/** Roots of the machine: the file that is named, what it adds to the bundled ones, and files that are none. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { systemRoots } from "../../../../src/probe/tls/system-roots.ts";
import { strangeAuthority, testAuthority } from "../../../support/certificates.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-roots-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text: string): string {
  const file = join(folder, "roots.pem");
  writeFileSync(file, text);
  return file;
}

test("the file that SSL_CERT_FILE names adds what is not bundled", () => {
  const own = [testAuthority().root.pem, strangeAuthority().root.pem];
  const found = systemRoots(fileOf(["# some words", ...rootCertificates.slice(0, 3), ...own].join("\n")));
  expect(found.map((pem) => pem.trim())).toEqual(own.map((pem) => pem.trim()));
});

test("without that name, the usual files are read, and hold no bundled root", () => {
  for (const named of [undefined, ""]) {
    const found = systemRoots(named);
    expect(found.filter((pem) => rootCertificates.some((bundled) => bundled.trim() === pem.trim()))).toEqual([]);
  }
});

test("a file that is absent, empty, damaged or without end holds none", () => {
  expect(systemRoots(join(folder, "absent.pem"))).toEqual([]);
  expect(systemRoots(folder)).toEqual([]);
  expect(systemRoots(fileOf(""))).toEqual([]);
  expect(systemRoots(fileOf("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"))).toEqual([]);
  const endless = fileOf(testAuthority().root.pem);
  truncateSync(endless, 17 * 1024 ** 2);
  expect(systemRoots(endless)).toEqual([]);
});
