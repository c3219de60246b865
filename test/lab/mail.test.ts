/** Runs the laboratory cases for mail records, policy hosts and security.txt. */
import { expect, test } from "vitest";
import { labTests } from "./laboratory.ts";
import { mailCases } from "./mail.ts";
import { missingStates } from "./table.ts";

labTests("mail", mailCases);

test("each key has a passed, a violated and a not checked case", () => {
  const keys = Object.keys(mailCases[0]?.expected ?? {});
  const asExpected = mailCases.map(({ expected }) => ({ expected, ok: true }));
  expect(missingStates(asExpected, keys)).toEqual([]);
});
