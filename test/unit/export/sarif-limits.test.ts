/** Limits of GitHub for SARIF files: the worst is kept, and the file says what was cut. */
import { expect, test } from "vitest";
import { findings, noticesOf, readSarif, scanWith } from "./limited-sarif.ts";

test("20 hosts with the worst findings have a run", () => {
  const mild = findings.filter(({ severity }) => severity === "low");
  const worst = findings.filter(({ severity }) => severity === "critical");
  const scans = Array.from({ length: 25 }, (_, at) => scanWith(`https://host-${at}.example/`, at === 24 ? worst : at < 5 ? [] : mild));
  const { runs } = readSarif(scans);
  expect(runs.map(({ automationDetails }) => automationDetails.id)).toEqual(
    Array.from({ length: 20 }, (_, at) => `assay/host-${at + 5}.example/`),
  );
  expect(noticesOf(runs[0])).toEqual([expect.stringMatching(/^5 of 25 hosts .* host-0\.example, .*host-4\.example$/)]);
  expect(noticesOf(runs[1])).toEqual([]);
});
