/** The cases of the laboratory cover every state of the keys in their area. `npm run test:lab` scans the cases themselves. */
import { expect, test } from "vitest";
import { cspCases } from "./csp.ts";
import type { LabCase } from "./laboratory.ts";
import { mailCases } from "./mail.ts";
import { missingStates } from "./table.ts";

test.each([
  ["CSP", cspCases, [...new Set(cspCases.flatMap(({ expected }) => Object.keys(expected)))].sort(), 14],
  ["mail", mailCases, Object.keys(mailCases[0]?.expected ?? {}), 8],
] as const satisfies readonly (readonly [string, readonly LabCase[], readonly string[], number])[])(
  "%s: each key has a passed, a violated and a not checked case",
  (_area, cases, keys, count) => {
    const asExpected = cases.map(({ expected }) => ({ expected, ok: true }));
    expect(missingStates(asExpected, keys)).toEqual([]);
    expect(keys).toHaveLength(count);
  },
);
