/** Runs the laboratory cases about policies and framing, and sees to it that they reach every state of every key. */
import { expect, test } from "vitest";
import { cspCases } from "./csp.ts";
import { labTests } from "./laboratory.ts";

labTests("CSP", cspCases);

test("every key is seen to pass, to be violated and not to be checked", () => {
  const keys = [...new Set(cspCases.flatMap(({ expected }) => Object.keys(expected)))].sort();
  const reached = keys.map((key) => [key, [...new Set(cspCases.map(({ expected }) => expected[key]))]] as const);
  const missing = reached.filter(([, states]) => !["passed", "violated", "notChecked"].every((state) => states.includes(state as never)));
  expect(missing).toEqual([]);
  expect(keys).toHaveLength(14);
});
