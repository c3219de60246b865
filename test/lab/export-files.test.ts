/** JUnit files judged by xmllint of Debian. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeJunit } from "../../src/export/junit.ts";
import { exportedScan, exportSettings, failedExport } from "../support/exported-scans.ts";
import { poisonedScan } from "../support/poisoned-scan.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-junit-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function complaintsOn(text: string): string {
  const file = join(folder, "report.junit.xml");
  writeFileSync(file, text);
  const { exitCode, stderr } = Bun.spawnSync(["xmllint", "--noout", "--nonet", file]);
  return exitCode === 0 ? "" : stderr.toString();
}

test.each(["en-gb", "de-de"])("xmllint accepts reports in %s", (locale) => {
  const scans = [exportedScan("bare"), exportedScan("shop"), exportedScan("old"), failedExport(), exportedScan(poisonedScan())];
  const text = writeJunit(scans, exportSettings({ locale })) ?? "";
  expect(complaintsOn(text)).toBe("");
  expect(complaintsOn(text.replace("&lt;", "<"))).not.toBe("");
});
