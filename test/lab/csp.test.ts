/** Runs the laboratory cases for CSP and framing; they must reach every state of every key. */
import { expect, test } from "vitest";
import { cspCases } from "./csp.ts";
import { labTests } from "./laboratory.ts";
import { missingStates } from "./table.ts";

labTests("CSP", cspCases);

test("every key has a passed, a violated and a not checked case", () => {
  const keys = [...new Set(cspCases.flatMap(({ expected }) => Object.keys(expected)))].sort();
  const asExpected = cspCases.map(({ expected }) => ({ expected, ok: true }));
  expect(missingStates(asExpected, keys)).toEqual([]);
  expect(keys).toHaveLength(14);
});
