/** Real applications of Debian: their ledgers, and the same ledger in every scan. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../src/check/check.ts";
import { createTexts } from "../../src/text/i18n.ts";
import type { FinishedScan } from "./laboratory.ts";
import { openLaboratory } from "./open-laboratory.ts";
import { type PhpApplications, startPhpApplications } from "./php-applications.ts";
import { phpApplications } from "./php-ledgers.ts";
import { laboratoryReport, writeReport } from "./readable-report.ts";

const testMsMax = 120_000;
const scansCount = 10;

describe("applications of Debian", () => {
  const laboratory = openLaboratory();
  const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks });
  let applications: PhpApplications | undefined;
  beforeAll(async () => {
    applications = await startPhpApplications();
    await laboratory.ready();
  }, testMsMax);
  afterAll(async () => {
    await laboratory.close();
    await applications?.stop();
  });

  async function scanOf(path: string): Promise<FinishedScan> {
    if (applications === undefined) throw new Error("the applications do not run");
    const site = applications.siteAt(path);
    return laboratory.scan({ serve: async () => site });
  }

  for (const { name, path, expected } of phpApplications) {
    test(
      name,
      async () => {
        const scan = await scanOf(path);
        writeReport(name, scan);
        const ledger = Object.fromEntries(scan.result.ledger.map(({ key, state }) => [key, state]));
        // A check that is newer than the list is not compared.
        expect(ledger).toMatchObject(expected);
        expect(Object.values(ledger)).not.toContain("notChecked");
      },
      testMsMax,
    );
  }

  test(
    "ten scans in alternating languages give one ledger",
    async () => {
      const results: object[] = [];
      for (let at = 0; at < scansCount; at++) {
        const scan = await scanOf("/phpmyadmin/");
        const { security } = laboratoryReport(scan, locales[at % locales.length] ?? "en-gb", texts);
        const rendered = { score: security?.score, rows: security?.checks?.map(({ key, state }) => `${key} ${state}`) };
        results.push({ rendered, codes: security?.findings?.map(({ code }) => code), result: scan.result });
      }
      for (const result of results) expect(result).toEqual(results[0] ?? {});
    },
    testMsMax,
  );
});
