/** Runs the laboratory cases about policies and framing, and sees to it that they reach every state of every key. */
import { expect, test } from "vitest";
import { cspCases } from "./csp.ts";
import { labTests } from "./laboratory.ts";
import { unseenProofs } from "./table.ts";

labTests("CSP", cspCases);

test("every key is seen to pass, to be violated and not to be checked", () => {
  const keys = [...new Set(cspCases.flatMap(({ expected }) => Object.keys(expected)))].sort();
  const asExpected = cspCases.map(({ expected }) => ({ expected, held: true }));
  expect(unseenProofs(asExpected, keys)).toEqual([]);
  expect(keys).toHaveLength(14);
});
