/** Coverage of the random evidence: the properties of the catalog say nothing about states that never occur. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { evidence } from "../../support/evidence.ts";
import { anyEvidence } from "./any-evidence.ts";
import { judged } from "./judged.ts";
import { tableCases } from "./sound-site.ts";

test("the random evidence makes every check pass and every check fail", () => {
  const samples = [...fc.sample(anyEvidence, { numRuns: 800, seed: 1 }), ...tableCases.map(evidence)];
  const seen = new Set(samples.flatMap((given) => judged(given).ledger.map(({ key, state }) => `${key} ${state}`)));
  const expected = builtInChecks.flatMap(({ key }) => [`${key} passed`, `${key} violated`, `${key} notChecked`]);
  expect(expected.filter((row) => !seen.has(row))).toEqual([]);
});
