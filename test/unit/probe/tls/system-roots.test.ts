/** Roots of the operating system: SSL_CERT_FILE, the difference to the bundled roots, and unreadable files. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { systemRoots } from "../../../../src/probe/tls/system-roots.ts";
import { testAuthority, untrustedAuthority } from "../../../support/certificates.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-roots-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text: string): string {
  const file = join(folder, "roots.pem");
  writeFileSync(file, text);
  return file;
}

test("the file of SSL_CERT_FILE adds roots that are not bundled", () => {
  const own = [testAuthority().root.pem, untrustedAuthority().root.pem];
  const found = systemRoots(fileOf(["# some words", ...rootCertificates.slice(0, 3), ...own].join("\n")));
  expect(found.map((pem) => pem.trim())).toEqual(own.map((pem) => pem.trim()));
});

test("without SSL_CERT_FILE, the default files are read, without the bundled roots", () => {
  for (const named of [undefined, ""]) {
    const found = systemRoots(named);
    expect(found.filter((pem) => rootCertificates.some((bundled) => bundled.trim() === pem.trim()))).toEqual([]);
  }
});

test("an absent, empty, damaged or oversized file has no roots", () => {
  expect(systemRoots(join(folder, "absent.pem"))).toEqual([]);
  expect(systemRoots(folder)).toEqual([]);
  expect(systemRoots(fileOf(""))).toEqual([]);
  expect(systemRoots(fileOf("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"))).toEqual([]);
  const oversized = fileOf(testAuthority().root.pem);
  truncateSync(oversized, 17 * 1024 ** 2);
  expect(systemRoots(oversized)).toEqual([]);
});
